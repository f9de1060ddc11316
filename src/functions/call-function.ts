import type { IncomingMessage } from 'node:http';
import type { CallRequest, IncomingBody, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { App } from '../apps/app.ts';
import { ownerConnection } from '../apps/app-connections.ts';
import { type ActiveFunctions, openSecrets, readBundle } from '../apps/functions/function-store.ts';
import { signToken } from '../apps/keys/sign-jwt.ts';
import { publicKeySet } from '../apps/keys/signing-keys.ts';
import type { Origins } from '../apps/registry/origins.ts';
import { type Server, serverOf } from '../apps/registry/server.ts';
import { connectionUrl } from '../database/connection-config.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { connectionHeaders } from '../jobs/send-request.ts';
import type { TraceRecorder } from '../observe/events.ts';
import type { FunctionClient } from './function-client.ts';
import type { LocalAddress } from './host/app-sockets.ts';
import { runtimeHeaders } from './host/function-host.ts';
import type { Deployment } from './host/runtime.ts';
import { type ClientSocket, openWebSocket } from './join-sockets.ts';

/** Parts of a worker that call functions. */
export interface FunctionParts {
  /** The process of the functions; null if the node runs none. */
  readonly client: FunctionClient | null;
  readonly origins: Origins;
  readonly server: Server;
  /** Where the node serves HTTP on its machine. */
  readonly node: LocalAddress;
}

/** The status of a response that opens a WebSocket. */
const SWITCHING = 101;
const NAME_IN_PATH = /^\/([^/]+)(\/.*)?$/;

/** Headers that pass neither to a function nor to the client. The sender of a body sets its length. */
const ownHeaders: ReadonlySet<string> = new Set([...connectionHeaders, 'expect', 'content-length', ...runtimeHeaders]);

/**
 * Handles a call of `/functions/v1/<name>`: the function gets the request with the path `/<name>/…`, as in Supabase's runtime.
 * @param socket The connection of a request for a WebSocket. The reply has the status 101 if the function accepts it
 * (`Deno.upgradeWebSocket`); then nothing more is written.
 * @throws NinefoldError
 */
export async function callFunction(
  { client, origins, server, node }: FunctionParts,
  app: App,
  request: CallRequest,
  identify: () => Promise<Identity>,
  trace: TraceRecorder,
  socket: ClientSocket | null = null,
): Promise<Reply> {
  const [, encoded = '', rest = ''] = NAME_IN_PATH.exec(request.path) ?? [];
  const active = await app.activeFunctions();
  const found = active.byName.get(decoded(encoded));
  if (!found) throw new NinefoldError('function_not_found');
  trace.call = `functions.${found.name}`;
  let identity: Identity | null = null;
  if (found.verifiesJwt && request.method !== 'OPTIONS') {
    identity = await identify();
    if (identity.source === 'none') throw new NinefoldError('function_unauthorized');
  }
  if (client === null) throw new NinefoldError('functions_off');
  trace.planned = performance.now();
  const target = `/${found.name}${rest}${request.query === '' ? '' : `?${request.query}`}`;
  const publicUrl = origins.appUrl(app.ref);
  const response = await client.call(
    {
      ref: app.ref,
      name: found.name,
      method: request.method,
      target,
      url: `${new URL(publicUrl).origin}${target}`,
      requestId: request.requestId,
      headers: headersOf(request, identity, app),
      body: request.stream && boundedBody(request.stream),
      onOpen: (abort) => request.signal.addEventListener('abort', abort),
      onSocket: socket && ((response, far, head) => openWebSocket(socket, response, far, head)),
    },
    active.identity,
    () => deploymentOf({ origins, server, node }, app, active),
  );
  trace.ran = performance.now();
  if (response.statusCode === SWITCHING) return { status: SWITCHING, headers: {}, body: null };
  return replyOf(response);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the headers for the function. A builder's request has no credentials, so it gets those of the caller whose rights it has. */
function headersOf(
  { headers, address, requestId }: CallRequest,
  identity: Identity | null,
  app: App,
): Record<string, string> {
  const passed = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ownHeaders.has(entry[0]),
  );
  return {
    ...Object.fromEntries(passed),
    'x-forwarded-for': address,
    'x-request-id': requestId,
    ...(identity?.source === 'builder' && { authorization: `Bearer ${credentialOf(identity, app)}` }),
  };
}

/** Returns the key or the token with which a function acts for a builder. The token expires with the builder's acting token. */
function credentialOf({ role, userId, claims }: Identity, { record }: App): string {
  if (role === 'service_role') return record.serviceRoleKey;
  return userId === null ? record.anonKey : signToken(record, claims);
}

/** Passes a body on, up to the limit functionRequestBytes. */
function boundedBody(body: IncomingBody): IncomingBody {
  const max = limits.functionRequestBytes.default;
  const tooLarge = () => new NinefoldError('body_too_large', { limit: 'functionRequestBytes' });
  if ((body.length ?? 0) > max) throw tooLarge();
  return {
    length: body.length,
    async *[Symbol.asyncIterator]() {
      let bytes = 0;
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > max) throw tooLarge();
        yield chunk;
      }
    },
  };
}

/** Returns the response of a function. Its own headers decide about other origins. */
function replyOf(response: IncomingMessage): Reply {
  const headers: Record<string, string> = {};
  const { 'set-cookie': cookies, ...others } = response.headers;
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined && !ownHeaders.has(name)) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const length = Number(others['content-length'] ?? Number.NaN);
  return {
    status: response.statusCode ?? 200,
    headers,
    decidesCors: true,
    ...(cookies && { cookies }),
    body: Object.assign(response, { length: Number.isNaN(length) ? null : length }),
  };
}

/**
 * Returns the variables that every function of an app has. A key that
 * was revoked, or rotated and so is only known as a hash, is replaced by the key of the other kind.
 */
function variablesOf({ origins, server }: Pick<FunctionParts, 'origins' | 'server'>, { ref, record }: App) {
  const { address, ...login } = ownerConnection(serverOf(server, record).target, record);
  const [host] = address.hosts;
  return {
    SUPABASE_URL: origins.appUrl(ref),
    SUPABASE_ANON_KEY: record.anonKey || record.publishableKey,
    SUPABASE_SERVICE_ROLE_KEY: record.serviceRoleKey || record.secretKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: record.publishableKey || record.anonKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: record.secretKey || record.serviceRoleKey }),
    SUPABASE_JWKS: JSON.stringify(publicKeySet(record)),
    SUPABASE_DB_URL: connectionUrl({
      ...login,
      address: { ...address, hosts: host ? [host] : [], socketFolder: null },
    }),
    SB_REGION: 'local',
  };
}

/** Returns the functions of an app for the process, with their variables. */
async function deploymentOf(
  { origins, server, node }: Omit<FunctionParts, 'client'>,
  app: App,
  { byName, secrets, identity }: ActiveFunctions,
): Promise<Deployment> {
  const { record, ref } = app;
  const bundles: Record<string, string> = {};
  for (const { name, version } of byName.values()) {
    const bundle = await readBundle(app.serverDatabase, version);
    if (bundle !== null) bundles[name] = bundle;
  }
  const own = serverOf(server, record);
  const [host] = ownerConnection(own.target, record).address.hosts;
  const url = origins.appUrl(ref);
  const origin = origins.appOrigin(ref);
  return {
    identity,
    bundles,
    variables: {
      ...openSecrets(secrets, own.masterKey),
      ...variablesOf({ origins, server }, app),
      SB_EXECUTION_ID: identity,
      DENO_DEPLOYMENT_ID: `${ref}_${identity}`,
    },
    addresses: {
      urls: origin === null || origin === url ? [url] : [url, origin],
      node,
      database: host ?? null,
    },
  };
}
