import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Session, type SupabaseClient, type User } from '@supabase/supabase-js';
import ws from 'ws';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import type { CommonHashes } from '../../src/accounts/passwords/common-hashes.ts';
import { type AppPasswords, PasswordHasher } from '../../src/accounts/passwords/passwords.ts';
import type { AppKeys } from '../../src/apps/keys/app-keys.ts';
import { makeKeys } from '../../src/apps/keys/make-keys.ts';
import type { Secrets } from '../../src/apps/registry/app-secrets.ts';
import { Origins } from '../../src/apps/registry/origins.ts';
import { defaultSettings } from '../../src/apps/settings.ts';
import { HookDurations } from '../../src/apps/statistics/hook-durations.ts';
import { authErrorReply, handleAuth } from '../../src/auth/handle.ts';
import { ProviderClients } from '../../src/auth/providers/provider-client.ts';
import { type ConnectionConfig, parseConnectionUrl } from '../../src/database/connection-config.ts';
import { Listener } from '../../src/database/listener.ts';
import { Pool } from '../../src/database/pool.ts';
import { quoteIdentifier, type Result, rowsAsText } from '../../src/database/statement.ts';
import type { Identity } from '../../src/identity/identity.ts';
import { resolveIdentity } from '../../src/identity/resolve.ts';
import { TokenCache } from '../../src/identity/token-cache.ts';
import { AddressPolicy } from '../../src/jobs/public-address.ts';
import { RefreshedValue } from '../../src/limits/refreshed-value.ts';
import { type RateRefusal, SharedRuns } from '../../src/limits/shared-runs.ts';
import { Events, eventTypes, type NinefoldEvent } from '../../src/observe/events.ts';
import { clone } from './clone.ts';
import type { Seed } from './postgres.ts';
import { uniqueEmail } from './unique.ts';

export interface AuthApp {
  readonly keys: AppKeys;
  /** Pool of connections as the app's authenticator, which is the role that runs requests. */
  readonly database: Pool;
  /** Pool of connections as the app's server role. */
  readonly serverDatabase: Pool;
  readonly passwords: AppPasswords;
  readonly commonHashes: CommonHashes;
  /** All events that the calls emitted. */
  readonly events: NinefoldEvent[];
  /** The settings of the app. A test may change them; `reset` restores the defaults. */
  settings: AuthSettings;
  secrets: Secrets;
  /** The value of the setting jwt_role_claim_key. */
  roleClaimKey: string;
  /** Milliseconds that are added to the time of the server's clock. */
  clockOffset: number;
  /** The addresses of the node and of the app. */
  origins: Origins;
  reset(): void;
  /** Sends one request to `/auth/v1` without HTTP. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Sends one request like `call`, and parses the body of the response as JSON. */
  ask(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<{ status: number; body: AuthResponse; headers: Reply['headers'] }>;
  identify(headers: Record<string, string>): Promise<Identity>;
  /** Returns a supabase-js client whose requests are sent with `call`. */
  client(key?: string, options?: { flowType?: 'pkce' | 'implicit' }): SupabaseClient;
  /** Signs up a new member with a supabase-js client. */
  member(password: string): Promise<{ client: SupabaseClient; email: string; user: User; session: Session }>;
  /** Runs SQL as the app's owner. Each value in the returned rows is a text. */
  sql(text: string, params?: string[]): Promise<Record<string, string | null>[]>;
  /** Waits for the next notification of the app's database that `matches`, and resolves with its payload. */
  heard(matches: (payload: string) => boolean): Promise<string>;
  /** Fails if a call returned an error that its definition does not declare. */
  close(): Promise<void>;
}

export type AuthResponse = Record<string, unknown>;

export interface CallOptions {
  body?: unknown;
  raw?: Uint8Array;
  headers?: Record<string, string>;
  address?: string;
}

const origins = new Origins({ url: 'http://127.0.0.1:8000', isNamed: false, domain: null, defaultApp: null });
const nodeKey = randomBytes(32);
/** The addresses to which the app may connect. The servers of tests listen on the loopback address. */
const addresses = new AddressPolicy([{ address: '127.0.0.1', bits: 32, port: null }]);

const ROLES = { owner: 'app_auth', authenticator: 'app_auth_authenticator', server: 'app_auth_server' };
const PASSWORD = 'for-tests-only';

/** The origin of the app's own pages. */
export const ORIGIN = 'http://auth.localhost:9009';

const numbered = readdirSync(join(clone, 'src/schema')).filter((name) => /^\d+_.*\.sql$/.test(name));
const files = ['cluster.sql', ...numbered.sort()].map((name) => `src/schema/${name}`);

/** Content of a cluster: the database `app_auth`, as provisioning creates it. */
export const authSeed: Seed = { files: [...files, 'test/support/auth-app.ts'], plant: provision };

/**
 * Opens the app in the database `app_auth` of a separate server. `url` is the superuser's URL. Unless the server was
 * started with `authSeed`, creates the database first, which takes a second.
 */
export async function makeAuthApp(url: string, options: { jwtSecret?: string } = {}): Promise<AuthApp> {
  const superuser = superuserOf(url);
  if (!(await hasApp(superuser))) await provision(url);
  const login = (user: string): ConnectionConfig => {
    const { searchPath: _, ...target } = superuser;
    return { ...target, database: 'app_auth', user, password: PASSWORD };
  };
  const database = open(login(ROLES.authenticator));
  const serverDatabase = open(login(ROLES.server));
  const owner = open(login(ROLES.owner));
  const sessions = new TokenCache();
  const waiting = new Set<{ matches: (payload: string) => boolean; resolve: (payload: string) => void }>();
  const listener = new Listener(login(ROLES.authenticator), ['ninefold'], {
    onConnected: () => sessions.connected(),
    onLost: () => sessions.disconnected(),
    onNotification: (_, payload) => {
      const notification = JSON.parse(payload);
      if (notification.type === 'session-revoked') sessions.revoke(notification.ids);
      if (notification.type === 'sessions-revoked-all') sessions.revokeAll();
      for (const waiter of waiting) {
        if (!waiter.matches(payload)) continue;
        waiting.delete(waiter);
        waiter.resolve(payload);
      }
    },
  });
  await listener.start();

  const keys = makeKeys('auth', options);
  const bus = new Events();
  const events: NinefoldEvent[] = [];
  bus.listen(eventTypes, (event) => events.push(event));
  const undeclared = new Set<string>();
  bus.listen(['undeclared-error'], ({ call, code }) => undeclared.add(`${call} ${code}`));
  const rateCounts = new SharedRuns<RateRefusal | null>();
  const passwords = new PasswordHasher(1).of('auth');
  const commonHashes: CommonHashes = new RefreshedValue(limits.commonHashSeconds.default * 1000);
  const hookDurations = new HookDurations();
  const providerClients = new ProviderClients();
  const app: AuthApp = {
    keys,
    database,
    serverDatabase,
    passwords,
    origins,
    commonHashes,
    events,
    settings: defaultSettings(true).auth,
    secrets: {},
    roleClaimKey: '.role',
    clockOffset: 0,
    reset() {
      app.settings = defaultSettings(true).auth;
      app.secrets = {};
      app.roleClaimKey = '.role';
      app.clockOffset = 0;
      app.origins = origins;
      events.length = 0;
    },
    async call(method, path, { body, raw, headers = {}, address = '127.0.0.1' } = {}) {
      const [pathname = '/', query = ''] = path.split('?');
      const exchange: CallRequest = {
        method,
        path: pathname,
        query,
        headers: { 'x-supabase-api-version': '2024-01-01', ...headers },
        body: raw ?? (body === undefined ? null : Buffer.from(JSON.stringify(body))),
        stream: null,
        target: path,
        address,
        requestId: 'test',
        baseUrl: 'http://localhost/apps/auth',
        signal: new AbortController().signal,
      };
      const now = () => Date.now() + app.clockOffset;
      const identity = () =>
        resolveIdentity({ app: keys, database, sessions, sessionBounds: app.settings, now }, exchange.headers);
      try {
        return await handleAuth(
          {
            app: keys,
            database,
            identity,
            settings: app.settings,
            rateCounts,
            passwords,
            commonHashes,
            hookDurations,
            providerClients,
            secrets: app.secrets,
            roleClaimKey: app.roleClaimKey,
            nodeKey: () => nodeKey,
            origins: app.origins,
            addresses,
            events: bus,
            now,
            appOrigin: ORIGIN,
          },
          exchange,
        );
      } catch (error) {
        const reply = authErrorReply(error, exchange);
        if (!reply) throw error;
        return reply;
      }
    },
    async ask(method, path, callOptions) {
      const { status, body, headers } = await app.call(method, path, callOptions);
      return { status, headers, body: typeof body === 'string' ? JSON.parse(body) : {} };
    },
    identify: (headers) => resolveIdentity({ app: keys, database, sessions, sessionBounds: app.settings }, headers),
    client: (key = keys.publishableKey, { flowType = 'implicit' } = {}) =>
      createClient('http://localhost/apps/auth', key, {
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, flowType },
        realtime: { transport: ws as never },
        global: { fetch: (input, init) => fetchFrom(app, String(input), init) },
      }),
    async member(password) {
      const email = uniqueEmail();
      const client = app.client();
      const { data, error } = await client.auth.signUp({ email, password });
      if (error || !data.user || !data.session) throw error ?? new Error('sign-up gave no session');
      return { client, email, user: data.user, session: data.session };
    },
    async sql(text, params = []) {
      const [result] = await owner.run([{ text, params }]);
      return rowsAsText(result as Result);
    },
    heard: (matches) => new Promise((resolve) => waiting.add({ matches, resolve })),
    async close() {
      listener.close();
      await Promise.all([database.close(), serverDatabase.close(), owner.close()]);
      if (undeclared.size > 0) throw new Error(`Definitions of calls lack errors: ${[...undeclared].join(', ')}`);
    },
  };
  return app;
}

const open = (target: ConnectionConfig): Pool =>
  new Pool(target, { max: 8, idleMilliseconds: 10_000, waitMilliseconds: 10_000 });

const superuserOf = (url: string) => ({ ...parseConnectionUrl(url, 'test'), searchPath: '' });

async function hasApp(superuser: ConnectionConfig): Promise<boolean> {
  const maintenance = open(superuser);
  const text = `select from pg_catalog.pg_database where datname = 'app_auth'`;
  const [found] = await maintenance.run([{ text, params: [] }]);
  await maintenance.close();
  return found?.rows.length === 1;
}

async function provision(url: string): Promise<void> {
  const superuser = superuserOf(url);
  const [cluster, ...schema] = await Promise.all(files.map((name) => readFile(join(clone, name), 'utf8')));
  const maintenance = open(superuser);
  await maintenance.script(cluster ?? '');
  const [owner, authenticator] = [quoteIdentifier(ROLES.owner), quoteIdentifier(ROLES.authenticator)];
  for (const text of [
    `create role ${owner} login password '${PASSWORD}'`,
    `create role ${authenticator} login noinherit password '${PASSWORD}'`,
    `grant authenticator to ${authenticator}`,
    `create role ${quoteIdentifier(ROLES.server)} login password '${PASSWORD}'`,
    `grant ninefold_server to ${quoteIdentifier(ROLES.server)}`,
    `grant anon, authenticated, service_role to ${owner}`,
    'create database app_auth template template0',
    'alter database app_auth set search_path = "$user", public, extensions',
  ]) {
    await maintenance.run([{ text, params: [] }]);
  }
  const inside = open({ ...superuser, database: 'app_auth' });
  for (const text of schema) await inside.script(`begin; set local search_path = ''; ${text}; commit`);
  await inside.close();
  await maintenance.run([{ text: `alter database app_auth owner to ${owner}`, params: [] }]);
  await maintenance.close();
}

async function fetchFrom(app: AuthApp, input: string, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input);
  const reply = await app.call(init.method ?? 'GET', url.pathname.replace('/apps/auth/auth/v1', '') + url.search, {
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(typeof init.body === 'string' && { raw: Buffer.from(init.body) }),
  });
  return new Response(typeof reply.body === 'string' ? reply.body : null, {
    status: reply.status,
    headers: reply.headers,
  });
}
