import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { type CodeChallenge, issueAuthCode, makeAuthCode, startFlow } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-codes', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const verifier = randomBytes(40).toString('base64url');
const s256 = { value: createHash('sha256').update(verifier).digest('base64url'), method: 's256' } as const;

/** Creates a member and returns the code that this member gets by opening a magic link. */
async function issuedCode(challenge: CodeChallenge = s256): Promise<{ code: string; userId: string }> {
  const { user } = await app.member('correct horse');
  const issued = makeAuthCode();
  const flow = { method: 'magiclink', providerType: 'magiclink', challenge, userId: user.id } as const;
  await runAsAuthAdmin(app.database, startFlow(flow));
  await runAsAuthAdmin(app.database, [issueAuthCode(issued, user.id, 'magiclink')]);
  return { code: issued.code, userId: user.id };
}

const exchange = (code: string, shown: string) =>
  app.ask('POST', '/token?grant_type=pkce', { body: { auth_code: code, code_verifier: shown } });

it.each([['s256', s256] as const, ['plain', { value: verifier, method: 'plain' }] as const])(
  'POST /token?grant_type=pkce exchanges a code for a session if the verifier matches the %s challenge',
  async (_, challenge) => {
    const { code, userId } = await issuedCode(challenge);
    const { status, body } = await exchange(code, verifier);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'bearer', user: { id: userId } });
    const claims = JSON.parse(Buffer.from(String(body.access_token).split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: userId, aal: 'aal1', amr: [{ method: 'magiclink' }] });
  },
);

it('POST /token?grant_type=pkce opens one session when one code is exchanged 32 times at once', async () => {
  const { code, userId } = await issuedCode();
  const before = await app.sql('select count(*) from auth.sessions where user_id = $1', [userId]);
  const statuses = (await Promise.all(Array.from({ length: 32 }, () => exchange(code, verifier)))).map((r) => r.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 404)).toHaveLength(31);
  const after = await app.sql('select count(*) from auth.sessions where user_id = $1', [userId]);
  expect(Number(after[0]?.count)).toBe(Number(before[0]?.count) + 1);
});

it('POST /token?grant_type=pkce refuses a wrong verifier, and accepts the right verifier afterwards', async () => {
  const { code } = await issuedCode();
  expect(await exchange(code, 'x'.repeat(43))).toMatchObject({ status: 400, body: { code: 'bad_code_verifier' } });
  expect(await exchange(code, s256.value)).toMatchObject({ status: 400, body: { code: 'bad_code_verifier' } });
  expect(await exchange(code, verifier)).toMatchObject({ status: 200 });
  expect(await exchange(code, verifier)).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } });
});

it('POST /token?grant_type=pkce refuses a code after five minutes, and the code of a banned member', async () => {
  const old = await issuedCode();
  await app.sql("update auth.flow_state set auth_code_issued_at = now() - interval '301 seconds'");
  expect(await exchange(old.code, verifier)).toMatchObject({ status: 422, body: { code: 'flow_state_expired' } });
  const banned = await issuedCode();
  await app.sql("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [banned.userId]);
  expect(await exchange(banned.code, verifier)).toMatchObject({ status: 400, body: { code: 'user_banned' } });
});

it('POST /token?grant_type=pkce refuses a code that was issued before the password changed, over the API and by SQL', async () => {
  const asAdmin = await issuedCode();
  const { error } = await app
    .client(app.keys.secretKey)
    .auth.admin.updateUserById(asAdmin.userId, { password: 'another horse' });
  expect(error).toBeNull();
  const bySql = await issuedCode();
  await app.sql("update auth.users set encrypted_password = 'x' where id = $1", [bySql.userId]);
  for (const { code } of [asAdmin, bySql]) {
    expect(await exchange(code, verifier)).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } });
  }
});

it('the table of flows stores codes in a form that a reader cannot exchange', async () => {
  await issuedCode();
  const rows = await app.sql('select auth_code from auth.flow_state');
  for (const row of rows) expect((await exchange(String(row.auth_code), verifier)).status).toBe(404);
});

it.each([{}, { auth_code: 'x' }, { code_verifier: 'x' }])(
  'POST /token?grant_type=pkce refuses the body %j',
  async (body) => {
    expect(await app.ask('POST', '/token?grant_type=pkce', { body })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  },
);

it('the sweep deletes flows that are older than the lifetime of every link', async () => {
  await issuedCode();
  await app.sql("update auth.flow_state set created_at = now() - interval '3 days'");
  await issuedCode();
  expect(await app.sql('select count(*) from auth.flow_state')).toEqual([{ count: '1' }]);
});
