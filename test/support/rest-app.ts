import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { defaultRestSettings, type RestSettings } from '../../contract/settings.ts';
import { loadSchemaCache } from '../../src/catalog/load-schema-cache.ts';
import { parseConnectionUrl } from '../../src/database/connection-config.ts';
import { Pool } from '../../src/database/pool.ts';
import type { Identity } from '../../src/identity/identity.ts';
import { handleRest } from '../../src/rest/handle.ts';
import { PlanCache } from '../../src/rest/plan-cache.ts';
import { restErrorReply } from '../../src/rest/response/error-reply.ts';

export interface RestCall {
  role?: string;
  claims?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Body of the request. A string is sent unchanged; any other value is sent as JSON. */
  body?: unknown;
  /** True if the query string is already percent-encoded. */
  encoded?: boolean;
}

export interface RestResponse {
  status: number;
  headers: Record<string, string>;
  cookies: readonly string[];
  /** The body as text; '' if there is no body. */
  text: string;
  /** The body as JSON; null if there is no body. */
  json: unknown;
}

export interface RestApp {
  /** Sends one request to `/rest/v1` without HTTP, for example `call('GET', '/films?id=eq.1')`. */
  call(method: string, path: string, call?: RestCall): Promise<RestResponse>;
  /** Returns the data API of the same database with other settings. */
  with(settings: Partial<RestSettings>): Promise<RestApp>;
  /** Runs SQL as the superuser. */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** SQL that creates the roles of a Ninefold cluster, and a login role that may switch to them. */
const roles = `
  create role anon nologin;
  create role authenticated nologin;
  create role service_role nologin bypassrls;
  create role rest_login login noinherit password 'for-tests-only';
  grant anon, authenticated, service_role to rest_login;
`;

/**
 * Creates the content of `fixture` and returns the data API for its database. `url` is the superuser's URL of a server
 * that does not have the roles yet.
 */
export async function makeRestApp(url: string, fixture: string): Promise<RestApp> {
  const superuser = new Pool(parseConnectionUrl(url, 'test'), poolOptions);
  await superuser.script(roles);
  await superuser.script(fixture);
  const database = new Pool(
    { ...parseConnectionUrl(url, 'test'), user: 'rest_login', password: 'for-tests-only' },
    poolOptions,
  );
  return restApp(database, superuser, { ...defaultRestSettings, db_extra_search_path: ['public'] });
}

const poolOptions = { max: 4, idleMilliseconds: 10_000, waitMilliseconds: 10_000 };

async function restApp(database: Pool, superuser: Pool, settings: RestSettings): Promise<RestApp> {
  const plans = new PlanCache();
  let schemaCache = await loadSchemaCache(database, settings.db_schemas, settings.db_extra_search_path);
  return {
    async call(method, path, { role = 'anon', claims = {}, headers = {}, body, encoded = false } = {}) {
      const [pathname = '', query = ''] = path.split(/\?(.*)/s);
      const all = { role, ...claims };
      const identity: Identity = {
        role,
        claims: all,
        claimsJson: JSON.stringify(all),
        userId: null,
        sessionId: null,
        source: role === 'anon' ? 'none' : 'token',
      };
      const exchange: CallRequest = {
        method,
        path: pathname,
        query: encoded ? query : encodeURI(query),
        headers,
        body: body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
        stream: null,
        target: '/',
        address: '127.0.0.1',
        requestId: 'test',
        baseUrl: 'http://localhost:9009/apps/test',
        signal: new AbortController().signal,
      };
      let reply: Reply;
      try {
        reply = await handleRest({ database, schemaCache, identity, settings, plans }, exchange);
      } catch (error) {
        const rendered = restErrorReply(error, {
          authenticated: role !== settings.db_anon_role,
          verbosity: settings.client_error_verbosity,
        });
        if (!rendered) throw error;
        reply = rendered;
      }
      const text = await textOf(reply.body);
      const isJson = /^application\/[^;]*json/.test(reply.headers['content-type'] ?? '');
      return {
        status: reply.status,
        headers: reply.headers,
        cookies: reply.cookies ?? [],
        text,
        json: isJson && text ? JSON.parse(text) : null,
      };
    },
    with: (changed) => restApp(database, superuser, { ...settings, ...changed }),
    async script(sql) {
      await superuser.script(sql);
      schemaCache = await loadSchemaCache(database, settings.db_schemas, settings.db_extra_search_path);
    },
    async close() {
      await Promise.all([database.close(), superuser.close()]);
    },
  };
}

async function textOf(body: Reply['body']): Promise<string> {
  if (body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
