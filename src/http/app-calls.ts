import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { consoleHeader } from '../../contract/admin.ts';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { Origins } from '../apps/registry/origins.ts';
import { withSignInCookies } from '../auth/providers/browser-binding.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { FunctionParts } from '../functions/call-function.ts';
import type { Identity } from '../identity/identity.ts';
import { METRICS_PATH } from '../monitoring/exposition.ts';
import type { TraceSampler } from '../observe/trace-context.ts';
import type { Realtime } from '../realtime/realtime.ts';
import type { ApiHandler } from './api-handler.ts';
import {
  corsHeaders,
  type HeaderPolicy,
  headerPolicies,
  isPreflight,
  preflightReply,
  refusedAsScript,
  withoutCookies,
} from './app-headers.ts';
import type { Arrivals } from './arrival.ts';
import type { BufferedBodies } from './buffered-bodies.ts';
import { hasBody, headerError, readTarget, toCallRequest } from './call-request.ts';
import type { AddressReader } from './client-address.ts';
import { errorReply } from './error-reply.ts';
import { functionsApi } from './functions-api.ts';
import { helpLink } from './help-link.ts';
import { missingServiceReply } from './missing-service.ts';
import type { Pipeline } from './pipeline.ts';
import { isAccountPath, type PortalPages } from './portal-pages.ts';
import { type ArrivingBody, arrivingBody } from './read-body.ts';
import { SOCKET_PATH, socketApi } from './realtime-api.ts';
import type { SitePages } from './site-pages.ts';
import type { SlowReaders } from './slow-readers.ts';
import { discardBody, writeReply } from './write-reply.ts';

/** The parts of the server that requests to apps use. */
export interface AppCallParts {
  pipeline: Pipeline;
  areas: readonly ApiHandler[];
  /** Handles <app>/openapi.json. */
  openApi: ApiHandler;
  /** The pages for members on the app's own origin. */
  portal: PortalPages;
  /** The apps' own front ends. */
  sites: SitePages;
  /** Returns the identity for a builder's request; throws if the builder may not work on the app. */
  authorise: (request: CallRequest, to: Pick<AppPath, 'ref' | 'area'>) => Promise<Identity>;
  /** Returns the identity for a channel of a builder's socket; `as` is the token of the join. */
  authoriseAs: (request: CallRequest, ref: string, as: string | null) => Promise<Identity>;
  /** The sockets of this worker. */
  realtime: Realtime;
  /** The parts that call functions, because a function can accept a WebSocket. */
  functions: FunctionParts;
  origins: Origins;
  readAddress: AddressReader;
  bufferedBodies: BufferedBodies;
  arrivals: Arrivals;
  /** Decides to which trace a request belongs. */
  traces: TraceSampler;
  slowReaders: SlowReaders;
}

/** Path of the health check, which works on every origin of the node and of apps. */
export const HEALTH = '/health';

/** Path of the check whether the process responds, without the database. */
export const LIVE = '/live';
/** Path of the check whether the worker accepts requests: the database responds, and the node does not stop. */
export const READY = '/ready';

/** Paths of monitoring, which work with every Host header, because load balancers use addresses and internal names. */
export const MONITORING: ReadonlySet<string> = new Set([HEALTH, LIVE, READY, METRICS_PATH]);

/**
 * Handles all requests to apps: the API on an app's own origin, below /apps/<ref>, and for builders below /admin/v1. No
 * other code writes a reply whose content an app can choose.
 */
export class AppCalls {
  readonly #parts: AppCallParts;
  readonly #areas: ReadonlyMap<string, ApiHandler>;
  readonly #policies: ReturnType<typeof headerPolicies>;
  #closing = false;

  constructor(parts: AppCallParts) {
    this.#parts = parts;
    this.#areas = new Map(parts.areas.map((api) => [api.name, api]));
    this.#policies = headerPolicies(parts.origins);
  }

  /**
   * Handles a request if it is to an app. Returns false for a request to the node itself, and then has no side effect.
   */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const found = this.#find(request);
    if (!found || found.target === HEALTH) return false;
    // Load balancers use addresses, which can lead to the default app. An app's own origin has its own pages.
    const isCheck = found.target === LIVE || found.target === READY;
    if (isCheck && !this.#parts.origins.isAtOrigin(found.to.ref, request.headers.host)) return false;
    const { to, policy } = found;
    if (to.isByBuilder && !this.#areas.has(to.area ?? '')) return false;
    void this.#answer(to, policy, request, response);
    return true;
  }

  /** Returns the path of an app that a request is for, and the policy of its reply; null for any other request. */
  #find(request: IncomingMessage): FoundPath | null {
    const { origins } = this.#parts;
    const { path: target, host } = readTarget(request);
    if (!origins.isServed(request.headers.host, request.socket)) return null;
    const ref = origins.appAt(host);
    const to = readAppPath(target, ref, origins.defaultApp);
    if (!to) return null;
    const { own, builder, path } = this.#policies;
    return { to, target, policy: ref !== null ? own : to.isByBuilder ? builder : path };
  }

  /**
   * Opens a socket if the request is for one of an app. Returns false for any other path, and then has no side effect.
   */
  takeSocket(request: IncomingMessage, socket: Socket, head: Buffer): boolean {
    const found = this.#find(request);
    if (!found || !opensSocket(found.to)) return false;
    void this.#openSocket(found, { request, socket, head });
    return true;
  }

  /** Makes every connection close after its current response. */
  close(): void {
    this.#closing = true;
  }

  async #answer(to: AppPath, policy: HeaderPolicy, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isPath = policy === this.#policies.path;
    const headers = request.headers as CallRequest['headers'];
    const callRequest = toCallRequest(request, response, this.#parts.traces, {
      path: to.path,
      query: to.query,
      headers: isPath ? (to.area === 'auth' ? withSignInCookies(headers) : withoutCookies(headers)) : headers,
      address: this.#parts.readAddress(request),
      baseUrl: this.#parts.origins.pathUrl(to.ref),
    });
    const refused =
      headerError(request, isPreflight(callRequest)) ??
      (mayRunScripts(policy === this.#policies.own, to, callRequest)
        ? undefined
        : refusedAsScript(callRequest.headers));
    const { arrivals, bufferedBodies } = this.#parts;
    const body = hasBody(request)
      ? arrivingBody(request, response, bufferedBodies, arrivals.begin(request, response))
      : null;
    const isPage = !refused && policy === this.#policies.own && to.area === null;
    const page = isPage ? await this.#page(to.ref, callRequest) : null;
    const reply = refused
      ? await this.#refuse(refused, to, callRequest)
      : (page ?? (await this.#reply(to, callRequest, body)));
    if (this.#closing) reply.headers.connection = 'close';
    if (response.destroyed) discardBody(reply);
    else writeReply(response, reply, policy, this.#parts.slowReaders);
  }

  async #openSocket(
    { to, policy }: FoundPath,
    { request, socket, head }: { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
  ): Promise<void> {
    const { realtime, functions, pipeline, origins, authorise, authoriseAs, readAddress, slowReaders, traces } =
      this.#parts;
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    const { apikey, query } = keyOf(to.query);
    const callRequest = toCallRequest(request, response, traces, {
      path: to.path,
      query,
      headers: {
        ...withoutCookies(request.headers as CallRequest['headers']),
        ...(to.isByBuilder && cookieOfConsole(origins, request)),
        ...(apikey !== null && { apikey }),
      },
      address: readAddress(request),
      baseUrl: origins.pathUrl(to.ref),
    });
    const refused = headerError(request);
    // A copy, because the pipeline removes the credentials of a builder from the request.
    const withCredentials = { ...callRequest };
    const joinsAs = to.isByBuilder ? (as: string | null) => authoriseAs(withCredentials, to.ref, as) : null;
    const opened = { request, stream: socket, head };
    const api = to.area === 'functions' ? functionsApi(functions, opened) : socketApi(realtime, opened, joinsAs);
    const builder = to.isByBuilder ? () => authorise(callRequest, to) : null;
    const reply = refused
      ? await this.#refuse(refused, to, callRequest)
      : await pipeline.answerApp(api, to.ref, callRequest, null, builder);
    // The socket is open.
    if (reply.status === 101 || socket.destroyed) return;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    writeReply(response, reply, policy, slowReaders);
  }

  /** Returns a page or a file of the app's own front end, or of the pages for members; null if neither has the path. */
  async #page(ref: string, request: CallRequest): Promise<Reply | null> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const { pipeline, portal, sites } = this.#parts;
    const page = portal.answer(request);
    if (isAccountPath(request.path)) return page;
    return pipeline.answerPage(ref, request, page, (app) => sites.answer(app, request));
  }

  #reply(to: AppPath, request: CallRequest, body: ArrivingBody | null): Promise<Reply> {
    const { pipeline, openApi, authorise } = this.#parts;
    const api = this.#areas.get(to.area ?? '');
    const builder = to.isByBuilder ? () => authorise(request, to) : null;
    if (api) return pipeline.answerApp(api, to.ref, request, body, builder);
    const isDocument = to.area === OPEN_API && documentMethods.has(request.method);
    if (isDocument) return pipeline.answerApp(openApi, to.ref, request, null);
    return this.#refuse(new NinefoldError('not_found'), to, request);
  }

  /**
   * Returns the response to a request that the pipeline does not get, in the format of the API. A preflight request of
   * a path that nothing serves succeeds, because a page can read the error only then.
   */
  async #refuse(error: NinefoldError, to: AppPath, request: CallRequest): Promise<Reply> {
    const api = this.#areas.get(to.area ?? '');
    const isUnserved = error.code === 'not_found';
    const reply =
      (await api?.renderError(error, null, request, null)) ??
      (isUnserved && isPreflight(request) ? preflightReply(request) : null) ??
      (isUnserved ? missingServiceReply(to.area, this.#parts.origins.url) : null) ??
      errorReply(error, request.requestId);
    Object.assign(reply.headers, corsHeaders, { 'x-request-id': request.requestId });
    if (reply.status >= 400) reply.headers.link ??= helpLink(reply.code ?? error.code);
    return reply;
  }
}

/** Returns true for the path of realtime's socket, and for calls of functions, which may accept a WebSocket. */
const opensSocket = ({ area, path, isByBuilder }: AppPath): boolean =>
  area === 'realtime' ? path === SOCKET_PATH : area === 'functions' && !isByBuilder;

/**
 * Returns true if a browser may run a response as a script: on the app's own origin. Files that members upload are an
 * exception, because they share this origin with the pages of the app: only other sites may load them as scripts.
 */
const mayRunScripts = (isOwnOrigin: boolean, { area }: AppPath, { headers }: CallRequest): boolean =>
  isOwnOrigin &&
  (area !== 'storage' || (headers['sec-fetch-site'] === 'cross-site' && headers['service-worker'] === undefined));

/**
 * Returns the headers that let a page of the console open a socket. A page cannot add headers to such a request, and a
 * browser sends the cookies of the console for a page of any origin, so the header Origin decides.
 */
function cookieOfConsole(origins: Origins, { headers }: IncomingMessage): Readonly<Record<string, string>> {
  const { origin, host, cookie } = headers;
  const isConsole = origin !== undefined && origins.isNode(origin, host) && cookie !== undefined;
  return isConsole ? { cookie, [consoleHeader]: '1' } : {};
}

/** Returns the key in the query of a socket, and the query without it, which may be logged. */
function keyOf(query: string): { apikey: string | null; query: string } {
  const params = new URLSearchParams(query);
  const apikey = params.get('apikey');
  params.delete('apikey');
  return { apikey, query: params.toString() };
}

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A path of an app, with the target of the request and the policy of its reply. */
interface FoundPath {
  readonly to: AppPath;
  readonly target: string;
  readonly policy: HeaderPolicy;
}

/** A request path that belongs to an app. */
interface AppPath {
  readonly ref: string;
  /** API of the app (`rest`, `auth`, …) or `openapi.json`; null for any other path. */
  readonly area: string | null;
  /** Path below the API, as it was sent; `/` for the API itself. */
  readonly path: string;
  /** Query without `?`; empty if there is none. */
  readonly query: string;
  /** True for paths below /admin/v1, which builders use. */
  readonly isByBuilder: boolean;
}

/**
 * Names of an app's APIs. With `NINEFOLD_DEFAULT_APP`, the APIs of the default app can also be reached without
 * `/apps/<ref>` in the path.
 */
const areas: ReadonlySet<string> = new Set([
  ...['auth', 'rest', 'portal', 'realtime', 'storage', 'functions'],
  // Services of hosted projects that no app has (`missing-service.ts`).
  ...['graphql', 'analytics'],
]);

const TWO = /^\/([^/?]+)\/([^/?]+)/;
/**
 * Matches the path of a provider's metadata as RFC 8414, section 3, defines it: the well-known part comes before the
 * path of the issuer.
 */
const METADATA = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/[^?]+)(\?.*)?$/s;
const BUILDER = /^\/[^/?]+\/([^/?]+)\/([^/?]+)\/([^/?]+)/;

/**
 * Reads a request target. On an app's origin, every path belongs to the app. On the node's origin, these paths belong
 * to an app: `/apps/<ref>/…`, `/admin/v1/apps/<ref>/<area>/v1…` and the API paths of the default app. Clients may
 * percent-encode letters of these segments.
 * @param ref The app whose origin it is; null for the node's origin.
 * @returns null for a path of the node itself.
 */
export function readAppPath(target: string, ref: string | null, defaultApp: string | null): AppPath | null {
  const metadata = target.startsWith('/.well-known/') ? METADATA.exec(target) : null;
  if (metadata) {
    const [, document, issuer, query = ''] = metadata as unknown as [string, string, string, string?];
    const found = readPath(`${issuer}/.well-known/${document}${query}`, ref, defaultApp);
    const isProvider = found?.area === 'auth' && found.path === `/.well-known/${document}` && !found.isByBuilder;
    if (isProvider) return found;
  }
  return readPath(target, ref, defaultApp);
}

function readPath(target: string, ref: string | null, defaultApp: string | null): AppPath | null {
  if (ref !== null) return belowApp(ref, target, false);
  const match = TWO.exec(target);
  if (!match) return null;
  const [prefix, first, second] = match as unknown as [string, string, string];
  const name = decoded(first);
  if (name === 'apps') return belowApp(decoded(second), target.slice(prefix.length), false);
  if (name === 'admin') return isByBuilder(target);
  const isDefault = defaultApp !== null && areas.has(name) && decoded(second) === 'v1';
  return isDefault ? belowApp(defaultApp, target, false) : null;
}

function isByBuilder(target: string): AppPath | null {
  const match = BUILDER.exec(target);
  if (!match) return null;
  const [prefix, version, apps, ref] = match as unknown as [string, string, string, string];
  if (decoded(version) !== 'v1' || decoded(apps) !== 'apps') return null;
  const found = belowApp(decoded(ref), target.slice(prefix.length), true);
  return found.area === null || found.area === OPEN_API ? null : found;
}

/**
 * Reads the part of a path that follows the app's URL.
 * @param rest Path and query after the app's URL.
 */
function belowApp(ref: string, rest: string, isByBuilder: boolean): AppPath {
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  const match = TWO.exec(path);
  if (match) {
    const [prefix, first, version] = match as unknown as [string, string, string];
    const area = decoded(first);
    if (areas.has(area) && decoded(version) === 'v1') {
      return { ref, area, path: path.slice(prefix.length) || '/', query, isByBuilder };
    }
  }
  // The API of Studio has no version in its path.
  if (match && decoded(match[1] as string) === 'pg') return { ref, area: 'pg', path, query, isByBuilder };
  return { ref, area: decoded(path) === `/${OPEN_API}` ? OPEN_API : null, path, query, isByBuilder };
}

/** Path of the app's OpenAPI document below the app's URL. */
const OPEN_API = 'openapi.json';

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
