import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { uniqueEmail } from '../../test/support/unique.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../accounts/run-as-auth-admin.ts';
import { type RateRefusal, SharedRuns } from '../limits/shared-runs.ts';
import { type RateName, takeFromLimit } from './rate-limit.ts';

let postgres: TestPostgres;
let app: AuthApp;
const rateCounts = new SharedRuns<RateRefusal | null>();

beforeAll(async () => {
  postgres = await startPostgres('auth-rates', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const signUp = (address: string, email = uniqueEmail()) =>
  app.ask('POST', '/signup', { body: { email, password: 'correct horse battery' }, address });
const take = (name: RateName, address: string, account?: string) =>
  takeFromLimit({ database: app.database, rateCounts, settings: app.settings }, { address }, name, account);
/** Makes several parallel calls and returns how many of them were allowed. */
const passed = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;

describe('takeFromLimit for a network', () => {
  it('refuses with the limit’s name, Retry-After and the RateLimit headers', async () => {
    app.settings = { ...app.settings, rate_limit_sign_up: 2 };
    const replies = await Promise.all(Array.from({ length: 6 }, () => signUp('198.51.100.7')));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    const [{ headers, body } = { headers: {} as Record<string, string>, body: {} }] = refused;
    const wait = Number(headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(305);
    expect(body).toMatchObject({
      code: 'over_request_rate_limit',
      message: expect.stringContaining('rate_limit_sign_up'),
    });
    expect(headers['ratelimit-policy']).toBe('"rate_limit_sign_up";q=2;w=300');
    expect(headers.ratelimit).toBe(`"rate_limit_sign_up";r=0;t=${wait}`);
    expect((await signUp('198.51.100.8')).status).toBe(200);
  });

  it('counts an IPv6 /64 as one network, and an IPv4-mapped IPv6 address as its IPv4 address', async () => {
    app.settings = { ...app.settings, rate_limit_sign_up: 1 };
    expect((await signUp('2001:db8:1:2::1')).status).toBe(200);
    expect((await signUp('2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await signUp('2001:0DB8:0001:0002::1')).status).toBe(429);
    expect((await signUp('2001:db8:1:3::1')).status).toBe(200);
    expect((await signUp('203.0.113.9')).status).toBe(200);
    expect((await signUp('::ffff:203.0.113.9')).status).toBe(429);
  });

  it('does not count a request that is refused for its invalid body', async () => {
    app.settings = { ...app.settings, rate_limit_sign_up: 1 };
    for (let i = 0; i < 4; i++) expect((await signUp('198.51.100.20', 'no address')).status).toBe(400);
    expect((await signUp('198.51.100.20')).status).toBe(200);
  });
});

it('takeFromLimit limits the sign-ups and the anonymous accounts of an app over all networks', async () => {
  const count = async (path: string) =>
    Number((await app.sql('select count(*) from auth.users where is_anonymous = $1', [path]))[0]?.count);
  const before = await count('t');
  app.settings = { ...app.settings, external_anonymous_users_enabled: true, rate_limit_anonymous_users_app: 3 };
  const replies = await Promise.all(
    Array.from({ length: 9 }, (_, i) => app.call('POST', '/signup', { body: {}, address: `198.51.101.${i}` })),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(await count('t')).toBe(before + 3);
});

it('takeFromLimit counts parallel refreshes of one network exactly, over several workers and in few statements', async () => {
  app.settings = { ...app.settings, rate_limit_token_refresh: 7 };
  let batches = 0;
  const workers = [1, 2, 3].map(() => {
    const run: AuthApp['database']['run'] = (statements, options) => {
      batches++;
      return app.database.run(statements, options);
    };
    const database = { ...app.database, run } as unknown as AuthApp['database'];
    return { database, rateCounts: new SharedRuns<RateRefusal | null>() };
  });
  const settings = app.settings;
  const calls = Array.from({ length: 60 }, (_, i) =>
    takeFromLimit(
      { ...(workers[i % 3] as (typeof workers)[number]), settings },
      { address: '198.51.112.1' },
      'refresh',
    ),
  );
  const results = await Promise.allSettled(calls);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  expect(batches).toBeLessThanOrEqual(12);
  const waits = results.flatMap((result) =>
    result.status === 'rejected' ? [Number(result.reason.headers['retry-after'])] : [],
  );
  expect(Math.min(...waits)).toBeGreaterThan(290);
  expect(Math.max(...waits)).toBeLessThanOrEqual(305);
  await expect(take('refresh', '198.51.112.1')).rejects.toMatchObject({ limit: 'refreshesPerNetwork' });
});

it('takeFromLimit limits how many sign-ins at providers a network can begin, and stores no flow beyond the limit', async () => {
  const settings = { rate_limit_provider: 2, external_github_enabled: true, external_github_client_id: 'client' };
  app.settings = { ...app.settings, ...settings };
  app.secrets = { external_github_secret: 'secret' };
  const begin = async () => (await app.call('GET', '/authorize?provider=github', { address: '198.51.113.1' })).status;
  expect([await begin(), await begin(), await begin()]).toEqual([302, 302, 429]);
  expect(await app.sql('select count(*) from auth.flow_state')).toEqual([{ count: '2' }]);
});

it('takeFromLimit refuses refreshes of one network without refusing those of others', async () => {
  const { body } = await signUp('198.51.102.1');
  app.settings = { ...app.settings, rate_limit_token_refresh: 2 };
  const refresh = (address: string) =>
    app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token: body.refresh_token }, address });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await refresh('198.51.102.1')).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await refresh('198.51.102.2')).status).toBe(200);
});

describe('takeFromLimit for an account', () => {
  it('limits parallel calls over all networks and letter cases', async () => {
    const email = uniqueEmail();
    app.settings = { ...app.settings, rate_limit_verify_account: 5 };
    const calls = Array.from({ length: 20 }, (_, i) =>
      take('verify', `198.51.103.${i}`, i % 2 === 0 ? email : email.toUpperCase()),
    );
    expect(await passed(calls)).toBe(5);
    await expect(take('verify', '198.51.104.1', email)).rejects.toMatchObject({
      limit: 'verificationsPerAccount',
      status: 429,
    });
    expect(await passed([take('verify', '198.51.104.1', uniqueEmail())])).toBe(1);
  });

  it('lets a member in from a known network after strangers have used up the limit of the account', async () => {
    const home = '198.51.105.1';
    const { body } = await signUp(home);
    const email = (body.user as { email: string }).email;
    app.settings = { ...app.settings, rate_limit_otp_account: 2 };
    expect(await passed(Array.from({ length: 8 }, (_, i) => take('otp', `198.51.106.${i}`, email)))).toBe(2);
    expect(await passed([take('otp', '198.51.107.1', email)])).toBe(0);
    expect(await passed([take('otp', home, email), take('otp', home, email), take('otp', home, email)])).toBe(2);
  });

  it('does not count a refused call for the network', async () => {
    const email = uniqueEmail();
    app.settings = { ...app.settings, rate_limit_verify_account: 1, rate_limit_verify: 2 };
    const address = '198.51.108.1';
    await take('verify', address, email);
    for (let i = 0; i < 5; i++) expect(await passed([take('verify', address, email)])).toBe(0);
    expect(await passed([take('verify', address, uniqueEmail())])).toBe(1);
    expect(await passed([take('verify', address, uniqueEmail())])).toBe(0);
  });
});

it('takeFromLimit allows calls after the window, and deletes rows that no longer count', async () => {
  app.settings = { ...app.settings, rate_limit_passkey: 1 };
  const address = '198.51.109.1';
  expect(await passed([take('passkey', address)])).toBe(1);
  expect(await passed([take('passkey', address)])).toBe(0);
  await runAsAuthAdmin(app.database, [['update ninefold.rate_counts set slot = slot - 61, keep_until = now()', []]]);
  expect(await passed([take('passkey', address)])).toBe(1);
  for (let i = 0; i < 30; i++) await take('passkey', `198.51.110.${i}`);
  const left = await jsonAsAuthAdmin<number>(
    app.database,
    'select count(*) from ninefold.rate_counts where keep_until < now()',
    [],
  );
  expect(left).toBeLessThan(20);
});

it('takeFromLimit limits second-factor attempts and messages of each network', async () => {
  app.settings = { ...app.settings, mfa_rate_limit_challenge_and_verify: 3, rate_limit_otp: 3 };
  for (const name of ['mfa', 'otp'] as const) {
    expect(await passed(Array.from({ length: 9 }, (_, i) => take(name, '198.51.111.1', `id-${i}`)))).toBe(3);
  }
});
