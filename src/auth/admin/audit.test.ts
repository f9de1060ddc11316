import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { readSignInCounts } from '../../accounts/passwords/sign-in-counts.ts';
import { jsonAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { sweepSignIns } from '../../apps/maintenance/state-change-cleanup.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-audit', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(async () => {
  app.reset();
  app.settings = { ...app.settings, mfa_rate_limit_challenge_and_verify: 100_000, smtp_max_frequency: 0 };
  await app.sql('delete from auth.audit_log_entries');
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const PASSWORD = 'a long password';

interface Entry {
  id: string;
  created_at: string;
  ip_address: string;
  payload: {
    action: string;
    actor_id: string;
    actor_username: string;
    actor_via_sso: boolean;
    log_type: string;
    traits: Record<string, unknown>;
  };
}

/** Returns the entries of the audit log, the oldest first. */
async function entries(): Promise<Entry[]> {
  const reply = await app.ask('GET', '/admin/audit?per_page=1000', { headers: { apikey: app.keys.secretKey } });
  expect(reply.status).toBe(200);
  return (reply.body as unknown as Entry[]).reverse();
}

/** The app as the cleanup gets it: `settings` is a method that reads a private field, as in `App`. */
class OpenedApp {
  readonly database = app.database as never;
  readonly #settings = app.settings;

  async settings() {
    return { auth: this.#settings } as never;
  }
}

const actions = async () => (await entries()).map(({ payload }) => payload.action);

it('the audit log writes the actions of a member in GoTrue’s format, without secrets', async () => {
  const { client, email, user, session } = await app.member(PASSWORD);
  const signedIn = await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect((await client.auth.updateUser({ data: { team: 'blue' } })).error).toBeNull();
  expect((await client.auth.reauthenticate()).error).toBeNull();
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
  const totp = factor as unknown as { id: string; totp: { secret: string } };
  const code = new TOTP({ secret: Secret.fromBase32(totp.totp.secret) }).generate();
  const verified = await client.auth.mfa.challengeAndVerify({ factorId: totp.id, code });
  expect(verified.error).toBeNull();
  const bearer = { authorization: `Bearer ${verified.data?.access_token}` };
  const made = await app.ask('POST', '/factors/recovery-codes', { headers: bearer, body: {} });
  expect(made.status).toBe(200);
  const again = await app.ask('POST', '/factors/recovery-codes/regenerate', { headers: bearer });
  expect(again.status).toBe(200);
  expect((await app.ask('DELETE', '/factors/recovery-codes', { headers: bearer })).status).toBe(200);
  expect((await client.auth.mfa.unenroll({ factorId: totp.id })).error).toBeNull();
  expect((await client.auth.signOut({ scope: 'local' })).error).toBeNull();

  const log = await entries();
  expect(log.map(({ payload }) => payload.action)).toEqual([
    'user_signedup',
    'login',
    'login',
    'user_modified',
    'user_reauthenticate_requested',
    'factor_in_progress',
    'challenge_created',
    'verification_attempted',
    'generate_recovery_codes',
    'generate_recovery_codes',
    'recovery_codes_deleted',
    'factor_unenrolled',
    'logout',
  ]);
  expect(log[2]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    ip_address: expect.stringMatching(/^[0-9a-f.:]+$/),
    payload: {
      action: 'login',
      actor_id: user.id,
      actor_username: email,
      actor_via_sso: false,
      log_type: 'account',
      traits: { provider: 'password', session_id: expect.any(String) },
    },
  });
  expect(new Set(log.map(({ payload }) => payload.actor_id))).toEqual(new Set([user.id]));
  const secrets = [
    PASSWORD,
    session.refresh_token,
    signedIn.data.session?.refresh_token ?? '',
    totp.totp.secret,
    code,
    ...((made.body.codes as string[]) ?? []),
  ];
  const written = JSON.stringify(log);
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
});

it('the audit log writes actions with the secret key, with the changed account in the traits', async () => {
  const admin = app.client(app.keys.secretKey).auth.admin;
  const email = uniqueEmail();
  const { data } = await admin.createUser({ email, password: PASSWORD, email_confirm: true });
  const id = data.user?.id ?? '';
  await admin.updateUserById(id, { user_metadata: { team: 'red' } });
  const member = app.client();
  await member.auth.signInWithPassword({ email, password: PASSWORD });
  expect(
    (await app.ask('DELETE', `/admin/users/${id}/sessions`, { headers: { apikey: app.keys.secretKey } })).status,
  ).toBe(204);
  await admin.deleteUser(id, true);
  await admin.deleteUser(id);
  await admin.inviteUserByEmail(uniqueEmail());
  const log = await entries();
  expect(log.map(({ payload }) => payload.action)).toEqual([
    'user_signedup',
    'user_modified',
    'login',
    'session_ended',
    'user_deleted',
    'user_deleted',
    'user_invited',
  ]);
  expect(log[0]?.payload).toMatchObject({
    actor_id: '00000000-0000-0000-0000-000000000000',
    actor_username: 'service_role',
    log_type: 'team',
    traits: { user_id: id, user_email: email, provider: 'email' },
  });
  expect(log[3]?.payload.traits).toMatchObject({ user_id: id, sessions: 1 });
});

it('the audit log writes an entry for a requested mail and for a changed password, but none for a refused call', async () => {
  const { client, email } = await app.member(PASSWORD);
  await client.auth.resetPasswordForEmail(email);
  await client.auth.resetPasswordForEmail(uniqueEmail());
  expect((await client.auth.updateUser({ password: PASSWORD })).error?.code).toBe('same_password');
  expect((await client.auth.updateUser({ password: 'another long password' })).error).toBeNull();
  expect((await client.auth.updateUser({ data: { big: 'x'.repeat(200_000) } })).error).not.toBeNull();
  app.settings = { ...app.settings, mailer_autoconfirm: false };
  const { data } = await app.client().auth.signUp({ email: uniqueEmail(), password: PASSWORD });
  expect(data.session).toBeNull();
  await app.client().auth.signUp({ email, password: PASSWORD });
  expect(await actions()).toEqual([
    'user_signedup',
    'login',
    'user_recovery_requested',
    'user_updated_password',
    'user_confirmation_requested',
    'user_repeated_signup',
  ]);
});

it('the audit log writes an entry for a refresh token that is used again, and none for a normal refresh', async () => {
  const { session } = await app.member(PASSWORD);
  const refresh = (token: string) =>
    app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } });
  const second = (await refresh(session.refresh_token)).body.refresh_token as string;
  const third = (await refresh(second)).body.refresh_token as string;
  expect((await refresh(third)).status).toBe(200);
  expect((await refresh(session.refresh_token)).body.code).toBe('refresh_token_already_used');
  expect(await actions()).toEqual(['user_signedup', 'login', 'token_revoked']);
});

it('the audit log writes a limited number of refused sign-ins, without the password and without addresses that no account has', async () => {
  const { client, email } = await app.member(PASSWORD);
  const wrong = `wrong ${PASSWORD}`;
  const typed = 'my secret@password.example';
  await client.auth.signInWithPassword({ email, password: wrong });
  await client.auth.signInWithPassword({ email: typed, password: wrong });
  const log = (await entries()).slice(2);
  expect(log.map(({ payload }) => [payload.action, payload.actor_username])).toEqual([
    ['login_refused', email],
    ['login_refused', ''],
  ]);
  expect(JSON.stringify(log)).not.toMatch(/wrong|my secret/);
  await app.sql(
    `insert into auth.audit_log_entries (id, payload, created_at)
     select gen_random_uuid(), '{"action": "login_refused"}', now() from generate_series(3, $1::integer)`,
    [String(limits.auditRefusals.default)],
  );
  await client.auth.signInWithPassword({ email, password: wrong });
  const [counted] = await app.sql(
    `select count(*)::text as n from auth.audit_log_entries where payload ->> 'action' = 'login_refused'`,
  );
  expect(counted?.n).toBe(String(limits.auditRefusals.default));
});

it('GET /admin/audit returns pages and applies filters as GoTrue does, only for the secret key', async () => {
  const { email, session } = await app.member(PASSWORD);
  const ask = (query: string) => app.ask('GET', `/admin/audit${query}`, { headers: { apikey: app.keys.secretKey } });
  const read = async (query: string) =>
    ((await ask(query)).body as unknown as Entry[]).map(({ payload }) => payload.action);
  expect(await read('?query=action:LOGI')).toEqual(['login']);
  expect(await read(`?query=author:${encodeURIComponent(email)}`)).toEqual(['login', 'user_signedup']);
  expect(await read('?query=type:team')).toEqual(['user_signedup']);
  expect(await read('?query=author:%25')).toEqual([]);
  const first = await ask('?page=1&per_page=1');
  expect(first.headers['x-total-count']).toBe('2');
  expect(first.headers.link).toContain('</admin/audit?page=2&per_page=1>; rel="next"');
  expect((await ask('?query=nothing')).body).toMatchObject({ code: 'validation_failed' });
  const refused = await app.ask('GET', '/admin/audit', {
    headers: { authorization: `Bearer ${session.access_token}` },
  });
  expect([refused.status, refused.body.code]).toEqual([403, 'not_admin']);
});

it('the audit log writes no entries while audit_log_disable_postgres is set', async () => {
  await app.sql(`insert into ninefold.settings (key, value) values ('audit_log_disable_postgres', 'true')`);
  try {
    await app.member(PASSWORD);
    expect(await actions()).toEqual([]);
  } finally {
    await app.sql(`delete from ninefold.settings where key = 'audit_log_disable_postgres'`);
  }
});

it('sweepSignIns deletes old entries, ended sessions with their refresh tokens, and unused flows, tokens and challenges', async () => {
  const old = await app.member(PASSWORD);
  const current = await app.member(PASSWORD);
  await app.sql(
    `update auth.sessions set created_at = now() - interval '40 days', refreshed_at = null where user_id = $1`,
    [old.user.id],
  );
  await app.sql(
    `update auth.audit_log_entries set created_at = now() - interval '91 days' where payload ->> 'actor_id' = $1`,
    [old.user.id],
  );
  await app.sql(
    `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at)
     values (gen_random_uuid(), $1, 'recovery_token', 'old', 'a@b.example', now() - interval '8 days'),
       (gen_random_uuid(), $2, 'recovery_token', 'new', 'b@b.example', now())`,
    [old.user.id, current.user.id],
  );
  expect(await sweepSignIns(new OpenedApp())).toBeGreaterThanOrEqual(4);
  const left = await app.sql(
    `select s.user_id, (select count(*) from auth.refresh_tokens t where t.user_id = $1)::text as tokens,
       (select string_agg(token_hash, ',') from auth.one_time_tokens where user_id in ($1::uuid, $2::uuid)) as codes
     from auth.sessions s where s.user_id in ($1::uuid, $2::uuid)`,
    [old.user.id, current.user.id],
  );
  expect(left).toEqual([{ user_id: current.user.id, tokens: '0', codes: 'new' }]);
  expect((await entries()).every(({ payload }) => payload.actor_id !== old.user.id)).toBe(true);
  expect(await sweepSignIns(new OpenedApp())).toBe(0);
});

it('the node counts sign-ins by method, and deletes counts that are 90 days old', async () => {
  const ways = () => readSignInCounts(app.database);
  const run = (text: string) => jsonAsAuthAdmin<number>(app.database, text, []);
  await run('delete from ninefold.sign_in_counts');
  app.settings = { ...app.settings, external_anonymous_users_enabled: true };
  const { email } = await app.member('correct horse');
  for (const password of ['correct horse', 'wrong horse', 'correct horse']) {
    await app.client().auth.signInWithPassword({ email, password });
  }
  await app.client().auth.signInAnonymously();
  const { data } = await app.client(app.keys.secretKey).auth.admin.generateLink({ type: 'magiclink', email });
  await app.client().auth.verifyOtp({ type: 'magiclink', token_hash: data.properties?.hashed_token ?? '' });
  expect(await ways()).toEqual({ password: 3, anonymous: 1, mail: 1 });
  await run(`insert into ninefold.sign_in_counts (day, way, n) select d, 'password', 10
    from unnest(array[current_date - 29, current_date - 31, current_date - 91]) d`);
  const rows = () => run('select to_jsonb(count(*)) from ninefold.sign_in_counts');
  expect(await rows()).toBe(8);
  await sweepSignIns(new OpenedApp());
  expect(await rows()).toBe(5);
  expect(await ways()).toEqual({ password: 13, anonymous: 1, mail: 1 });
});
