import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call-request.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { PasswordHasher } from '../accounts/passwords/passwords.ts';
import { makeKeys } from '../apps/keys/make-keys.ts';
import { Origins } from '../apps/registry/origins.ts';
import { HookDurations } from '../apps/statistics/hook-durations.ts';
import type { Database } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { AddressPolicy } from '../jobs/public-address.ts';
import { RefreshedValue } from '../limits/refreshed-value.ts';
import { SharedRuns } from '../limits/shared-runs.ts';
import { Events } from '../observe/events.ts';
import { factsOfCalls } from './calls.ts';
import type { AuthContext } from './context.ts';
import { authErrorReply, handleAuth } from './handle.ts';
import { ProviderClients } from './providers/provider-client.ts';

const app = makeKeys('mine');

/** The tested calls must respond without the database, so every use of it throws. */
const noDatabase = new Proxy({} as Database, {
  get: () => {
    throw new Error('the database was asked');
  },
});

const context: AuthContext = {
  app,
  database: noDatabase,
  identity: () => Promise.reject(new Error('the identity was asked for')),
  settings: defaultAuthSettings,
  rateCounts: new SharedRuns(),
  commonHashes: new RefreshedValue(1000),
  hookDurations: new HookDurations(),
  passwords: new PasswordHasher(1).of('auth'),
  providerClients: new ProviderClients(),
  secrets: {},
  nodeKey: () => Buffer.alloc(32),
  origins: new Origins({ url: 'http://127.0.0.1:8000', isNamed: false, domain: null, defaultApp: null }),
  addresses: new AddressPolicy([]),
  events: new Events(),
};

async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  more: Partial<AuthContext> = {},
) {
  const request = { method, path, query: '', headers, body: null, requestId: 'r' } as unknown as CallRequest;
  const reply = await handleAuth({ ...context, ...more }, request).catch((error: unknown) =>
    authErrorReply(error, request),
  );
  return { status: reply?.status, headers: reply?.headers, body: JSON.parse(String(reply?.body)) };
}

it('handleAuth handles exactly the calls that contract/generated/auth-calls.json lists', async () => {
  const file = '../../contract/generated/auth-calls.json';
  // One line for each member of a call, so that a difference shows the member.
  const texts = factsOfCalls.map((call) => {
    const members = Object.entries(call).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
    return `  {\n${members.join(',\n')}\n  }`;
  });
  await expect(`[\n${texts.join(',\n')}\n]\n`).toMatchFileSnapshot(file);
});

it('factsOfCalls has calls with ids of their own, whose examples have all fields that the call needs and no unknown field', () => {
  const ids = factsOfCalls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, example, parameters } of factsOfCalls) {
    if (example === null) continue;
    const fields = parameters.filter((parameter) => parameter.in === 'body');
    expect([id, fields.map(({ name }) => name)]).toEqual([id, expect.arrayContaining(Object.keys(example))]);
    const needed = fields.filter(({ required }) => required).map(({ name }) => name);
    expect([id, Object.keys(example)]).toEqual([id, expect.arrayContaining(needed)]);
  }
});

it('handleAuth refuses every call below /admin and invitations to callers without the secret key', async () => {
  const anonymous: Identity = {
    source: 'none',
    role: 'anon',
    claims: {},
    claimsJson: '{}',
    userId: null,
    sessionId: null,
  };
  const calls = factsOfCalls
    .map(({ method, path }) => [method, path.slice('/auth/v1'.length)] as const)
    .filter(([, path]) => path.startsWith('/admin') || path === '/invite');
  expect(calls.length).toBeGreaterThan(25);
  for (const [method, path] of calls) {
    const reply = await ask(method, path.replace(/\{\w+\}/g, 'x'), {}, { identity: () => Promise.resolve(anonymous) });
    expect([method, path, reply.body.error_code]).toEqual([method, path, 'no_authorization']);
  }
});

describe('handleAuth without a caller', () => {
  it('returns the name of the service at /health', async () => {
    expect(await ask('GET', '/health')).toMatchObject({ status: 200, body: { name: 'Ninefold' } });
  });

  it('lists every provider at /settings with whether it is enabled', async () => {
    const { body } = await ask('GET', '/settings', { apikey: app.publishableKey });
    expect(body).toMatchObject({ disable_signup: false, mailer_autoconfirm: true });
    expect(body.external).toMatchObject({ email: true, phone: false, google: false, anonymous_users: false });
  });

  it('returns the public key without private parts at /.well-known/jwks.json', async () => {
    const { body, headers } = await ask('GET', '/.well-known/jwks.json');
    expect(body).toEqual({ keys: [app.signingKey.publicJwk] });
    expect(headers?.['cache-control']).toBe('public, max-age=600');
  });
});

it.each([
  ['GET', '/signup', 405, 'method_not_allowed'],
  ['POST', '/health', 405, 'method_not_allowed'],
  ['PATCH', '/admin/users/1', 405, 'method_not_allowed'],
  ['constructor', '/user', 405, 'method_not_allowed'],
  ['GET', '/nowhere', 404, 'not_found'],
  ['GET', '/', 404, 'not_found'],
  ['GET', '/admin', 404, 'not_found'],
  ['GET', '/admin/users/1/2', 404, 'not_found'],
  ['GET', '/admin/users/../settings', 404, 'not_found'],
  ['GET', '/__proto__', 404, 'not_found'],
])('handleAuth answers %s %s with %i %s', async (method, path, status, code) => {
  const reply = await ask(method, path);
  expect([reply.status, reply.body.error_code]).toEqual([status, code]);
  if (status === 405) expect(reply.headers?.allow).toMatch(/^[A-Z, ]+$/);
});

it('handleAuth refuses a key of another app, and accepts an older key that the same secret has signed', async () => {
  for (const key of [
    makeKeys('other').publishableKey,
    makeKeys('other').anonKey,
    'sb_publishable_',
    'x',
    `${app.secretKey}x`,
  ]) {
    expect(await ask('GET', '/settings', { apikey: key })).toMatchObject({
      status: 401,
      body: { error_code: 'key_unknown' },
    });
  }
  const moved = makeKeys('earlier', { jwtSecret: app.jwtSecret, now: Date.now() - 1e9 });
  expect((await ask('GET', '/settings', { apikey: moved.anonKey })).status).toBe(200);
});

it('handleAuth reports an error that the definition of the call does not declare, and no other error', async () => {
  const events = new Events();
  const reported: object[] = [];
  events.listen(['undeclared-error'], (event) => reported.push(event));
  const failing = (code: ErrorCode) => ({ events, identity: () => Promise.reject(new NinefoldError(code)) });
  expect(await ask('GET', '/user', {}, failing('bad_jwt'))).toMatchObject({ body: { error_code: 'bad_jwt' } });
  expect(reported).toEqual([]);
  expect(await ask('GET', '/user', {}, failing('conflict'))).toMatchObject({ body: { error_code: 'conflict' } });
  expect(reported).toEqual([{ type: 'undeclared-error', call: 'auth.user', code: 'conflict' }]);
});
