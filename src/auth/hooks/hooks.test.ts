import { decodeJwt } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HookName } from '../../../contract/hooks.ts';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../../test/support/receiver.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { jsonAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

type Respond = Parameters<typeof startReceiver>[0];

let postgres: TestPostgres;
let app: AuthApp;
let receiver: Receiver;
let respond: Respond;
/** Two receivers of hooks: one never responds, the other closes the connection. */
let silent: Receiver;
let rude: Receiver;
/**
 * The responses to sign-ups whose hooks take seconds to fail. These sign-ups start first, and the other tests run in
 * the meantime.
 */
let late: Record<'slow' | 'silent' | 'rude', ReturnType<AuthApp['ask']>>;

beforeAll(async () => {
  [postgres, receiver, silent, rude] = await Promise.all([
    startPostgres('auth-hooks', { seed: authSeed }),
    startReceiver((request, response) => respond?.(request, response)),
    startReceiver(() => undefined),
    startReceiver((_, response) => response.destroy()),
  ]);
  app = await makeAuthApp(postgres.url);
  await app.sql('create schema hooks');
  await app.sql('grant usage on schema hooks to supabase_auth_admin');
  await app.sql(
    `create function hooks.slow(event jsonb) returns jsonb language plpgsql as
     $f$ begin perform set_config('statement_timeout', '0', false); perform pg_sleep(30); return event; end $f$`,
  );
  const signUpWith = (uri: string) => {
    use('custom_access_token', uri);
    app.secrets = { hook_custom_access_token_secrets: `v1,${secret}` };
    return signUp();
  };
  late = {
    slow: signUpWith('pg-functions://postgres/hooks/slow'),
    silent: signUpWith(silent.url),
    rude: signUpWith(rude.url),
  };
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await Promise.all([postgres.stop(), receiver.close(), silent.close(), rude.close()]);
});

const password = 'correct horse';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const older = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** Enables a hook whose function has this body. `event` is the argument of the function. */
async function useFunction(name: HookName, body: string, more = ''): Promise<void> {
  await app.sql(
    `create or replace function hooks.${name}(event jsonb) returns jsonb language plpgsql ${more} as $f$ begin ${body} end $f$`,
  );
  await app.sql(`grant execute on function hooks.${name} to supabase_auth_admin`);
  use(name, `pg-functions://postgres/hooks/${name}`);
}

function use(name: HookName, uri: string): void {
  app.settings = { ...app.settings, [`hook_${name}_enabled`]: true, [`hook_${name}_uri`]: uri };
}

function useAddress(name: HookName, answer: Respond, secrets = `v1,${secret}`): void {
  use(name, `${receiver.url}/${name}`);
  app.secrets = { ...app.secrets, [`hook_${name}_secrets`]: secrets };
  respond = answer;
  receiver.requests.length = 0;
}

const sendsJson =
  (value: unknown): Respond =>
  (_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

/** Returns a handler that responds with the claims of the request and with additional claims. */
const withClaims =
  (claims: Record<string, unknown>): Respond =>
  (request, response) =>
    sendsJson({ claims: { ...JSON.parse(request.body).claims, ...claims } })?.(request, response);

const signUp = (email = uniqueEmail()) => app.ask('POST', '/signup', { body: { email, password } });
const signIn = (email: string, given = password) =>
  app.ask('POST', '/token?grant_type=password', { body: { email, password: given } });
const claimsOf = ({ body }: { body: unknown }) => decodeJwt((body as { access_token: string }).access_token);

describe('the hook custom_access_token', () => {
  it('changes the claims of each token by a function', async () => {
    await useFunction(
      'custom_access_token',
      `return jsonb_set(event, '{claims}', event -> 'claims' || jsonb_build_object(
         'user_role', 'editor', 'method', event -> 'authentication_method', 'hook', event -> 'metadata' -> 'name'));`,
    );
    const email = uniqueEmail();
    expect(claimsOf(await signUp(email))).toMatchObject({ user_role: 'editor', method: 'password' });
    const signedIn = await signIn(email);
    expect(claimsOf(signedIn)).toMatchObject({ email, role: 'authenticated', hook: 'customize-access-token' });
    const { refresh_token } = signedIn.body as unknown as { refresh_token: string };
    const refreshed = await app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token } });
    expect(claimsOf(refreshed)).toMatchObject({ user_role: 'editor', method: 'token_refresh' });
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    expect(claimsOf(await app.ask('POST', '/signup', { body: {} }))).toMatchObject({
      method: 'anonymous',
      user_role: 'editor',
    });
  });

  it('changes the claims of tokens after links and second factors, and redirects to the site with an error if it fails', async () => {
    await useFunction(
      'custom_access_token',
      `return jsonb_set(event, '{claims,way}', event -> 'authentication_method');`,
    );
    const email = uniqueEmail();
    await signUp(email);
    const link = async () => {
      const headers = { authorization: `Bearer ${app.keys.secretKey}` };
      const { body } = await app.ask('POST', '/admin/generate_link', { headers, body: { type: 'magiclink', email } });
      return (body as unknown as { hashed_token: string }).hashed_token;
    };
    const verified = await app.ask('POST', '/verify', { body: { type: 'magiclink', token_hash: await link() } });
    expect(claimsOf(verified)).toMatchObject({ email, way: 'otp' });
    const press = async (token: string) => {
      const raw = Buffer.from(new URLSearchParams({ type: 'magiclink', token }).toString());
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { redirect } = await app.call('POST', '/verify', { raw, headers });
      return new URLSearchParams(new URL(String(redirect)).hash.slice(1));
    };
    app.settings = { ...app.settings, site_url: 'https://site.example' };
    expect(decodeJwt((await press(await link())).get('access_token') ?? '')).toMatchObject({ way: 'otp' });
    const before = await sessionsOf(email);
    await useFunction('custom_access_token', `return '{"error": {"http_code": 403, "message": "Not today"}}';`);
    const failed = await press(await link());
    expect([failed.get('error_code'), failed.get('error_description')]).toEqual(['unknown', 'Not today']);
    expect(failed.has('access_token')).toBe(false);
    expect(await sessionsOf(email)).toBe(before);
  });

  it('determines expires_in of the response by the claim exp that the hook returns', async () => {
    await useFunction(
      'custom_access_token',
      `return jsonb_set(event, '{claims,exp}', to_jsonb((event -> 'claims' ->> 'iat')::bigint + 60));`,
    );
    expect((await signUp()).body).toMatchObject({ expires_in: 60 });
  });

  it('sets the role to one of the app’s own roles', async () => {
    const { rolname = '' } = (await app.sql(`select rolname from pg_roles where rolname = 'anon'`))[0] ?? {};
    await useFunction('custom_access_token', `return jsonb_set(event, '{claims,role}', '"${rolname}"');`);
    expect(claimsOf(await signUp())).toMatchObject({ role: 'anon' });
  });

  it.each([
    ['a role that bypasses policies', `jsonb_set(event, '{claims,role}', '"service_role"')`, /role: Is not/],
    ['a role of the server', `jsonb_set(event, '{claims,role}', '"postgres"')`, /role: Is not/],
    ['the role of sign-in', `jsonb_set(event, '{claims,role}', '"supabase_auth_admin"')`, /role: Is not/],
    ['the login role', `jsonb_set(event, '{claims,role}', to_jsonb(session_user::text))`, /role: Is not/],
    ['a role that the app cannot take on', `jsonb_set(event, '{claims,role}', '"pg_monitor"')`, /role: Is not/],
    ['an unknown role', `jsonb_set(event, '{claims,role}', '"app_of_another"')`, /role: Is not/],
    ['another account', `jsonb_set(event, '{claims,sub}', to_jsonb(gen_random_uuid()))`, /sub: Cannot be changed/],
    [
      'no session',
      `jsonb_set(event, '{claims,session_id}', '"00000000-0000-0000-0000-000000000000"')`,
      /session_id: Cannot/,
    ],
    ['more assurance', `jsonb_set(event, '{claims,aal}', '"aal2"')`, /aal: Cannot be changed/],
    ['an application of another', `jsonb_set(event, '{claims,client_id}', '"x"')`, /client_id: Cannot be changed/],
    ['a longer life', `jsonb_set(event, '{claims,exp}', '9999999999')`, /exp: Cannot be later/],
    ['no sub', `event #- '{claims,sub}'`, /\(root\): sub is required/],
    [
      'a sub that is null',
      `jsonb_set(event, '{claims,sub}', 'null')`,
      /sub: Invalid type. Expected: string, given: null/,
    ],
    [
      'a number for a text',
      `jsonb_set(event, '{claims,role}', '1')`,
      /role: Invalid type. Expected: string, given: integer/,
    ],
    ['methods that are no list', `jsonb_set(event, '{claims,amr}', '[1]')`, /amr.0: Invalid type/],
    ['claims that are a list', `jsonb_set(event, '{claims}', '[]')`, /Expected: object, given: array/],
    ['no claims', `event - 'claims'`, /^output claims field is missing$/],
    ['NULL', 'null', /^output claims field is missing$/],
    ['a list', `'[]'::jsonb`, /^Error unmarshaling JSON output.$/],
  ])('prevents the token and the session if it returns %s', async (_, result, message) => {
    const email = uniqueEmail();
    await signUp(email);
    await useFunction('custom_access_token', `return ${result};`);
    const refused = await signIn(email);
    expect(refused).toMatchObject({
      status: 500,
      body: { code: 'unexpected_failure', message: expect.stringMatching(message) },
    });
    expect(await sessionsOf(email)).toBe(1);
  });

  it('cannot put a reserved role into the claim that jwt_role_claim_key names', async () => {
    await useFunction('custom_access_token', `return jsonb_set(event, '{claims,my_role}', '"service_role"');`);
    expect((await signUp()).status).toBe(200);
    app.roleClaimKey = '.my_role';
    expect((await signUp()).body).toMatchObject({ message: expect.stringContaining('role: Is not a role') });
  });

  it('is refused if the claims that it returns are too large for a request', async () => {
    await useFunction(
      'custom_access_token',
      `return jsonb_set(event, '{claims,big}', to_jsonb(repeat('x', ${limits.hookClaimsBytes.default})));`,
    );
    expect(await signUp()).toMatchObject({ status: 422, body: { code: 'hook_payload_over_size_limit' } });
  });

  it('leaves the refresh token usable if it fails', async () => {
    const { body } = await signUp();
    const { refresh_token } = body as unknown as { refresh_token: string };
    await useFunction('custom_access_token', `raise exception 'not now';`);
    const ask = () => app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token } });
    expect(await ask()).toMatchObject({ status: 500, body: { message: 'not now' } });
    app.reset();
    expect((await ask()).status).toBe(200);
  });
});

const sessionsOf = async (email: string): Promise<number> => {
  const rows = await app.sql(
    'select count(*) as n from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
    [email],
  );
  return Number(rows[0]?.n);
};

describe('a function as hook', () => {
  it('runs with the privileges of supabase_auth_admin', async () => {
    await useFunction(
      'custom_access_token',
      `return jsonb_set(event, '{claims,as}', to_jsonb(current_user || ' ' || current_setting('search_path') || ' ' || (select rolsuper from pg_roles where rolname = current_user)));`,
    );
    expect(claimsOf(await signUp())).toMatchObject({ as: 'supabase_auth_admin auth false' });
  });

  it.each([
    ['becomes another role', 'set local role postgres; return event;', 500, 'unexpected_failure'],
    [
      'answers too much',
      `return jsonb_build_object('claims', repeat('x', 300000));`,
      422,
      'hook_payload_over_size_limit',
    ],
    ['fails', 'perform 1 / 0; return event;', 500, 'unexpected_failure'],
    ['answers with an error', `return '{"error": {"http_code": 403, "message": "Go away"}}';`, 403, 'unknown'],
    [
      'answers with an error without a status',
      `return '{"error": {"message": "Go away"}}';`,
      500,
      'unexpected_failure',
    ],
    [
      'answers with a status that is none',
      `return '{"error": {"http_code": 200, "message": "Go away"}}';`,
      500,
      'unexpected_failure',
    ],
  ])(
    'causes an error of the request if it %s',
    async (_, body, status, code) => {
      await useFunction('custom_access_token', body);
      const answer = await signUp();
      expect(answer).toMatchObject({ status, body: { code: code } });
      expect(JSON.stringify(answer.body)).not.toContain('division');
      app.reset();
      expect((await signUp()).status).toBe(200);
    },
    20_000,
  );

  it('causes an error if it is missing or not executable, and sign-up works again after it is disabled', async () => {
    use('custom_access_token', 'pg-functions://postgres/hooks/nowhere');
    const message = 'Error running hook URI: pg-functions://postgres/hooks/nowhere';
    expect(await signUp()).toMatchObject({ status: 500, body: { code: 'unexpected_failure', message: message } });
    await useFunction('custom_access_token', 'return event;');
    await app.sql('revoke execute on function hooks.custom_access_token from supabase_auth_admin, public');
    expect((await signUp()).status).toBe(500);
    app.settings = { ...app.settings, hook_custom_access_token_uri: null };
    expect((await signUp()).body).toMatchObject({ message: expect.stringContaining('hook_custom_access_token_uri') });
  });
});

describe('a URL as hook', () => {
  it('receives signed requests with unique ids, which the package standardwebhooks verifies with each of the secrets', async () => {
    useAddress('custom_access_token', withClaims({ plan: 'pro' }), `v1,${secret}|v1,${older}`);
    expect(claimsOf(await signUp())).toMatchObject({ plan: 'pro' });
    await signUp();
    const [first, second] = receiver.requests as [ReceivedRequest, ReceivedRequest];
    for (const each of [secret, older]) {
      const payload = new Webhook(each).verify(first.body, first.headers as Record<string, string>);
      expect(payload).toMatchObject({
        metadata: { name: 'customize-access-token' },
        claims: { role: 'authenticated' },
      });
    }
    const wrong = new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    expect(() => wrong.verify(first.body, first.headers as Record<string, string>)).toThrow();
    expect(() => new Webhook(secret).verify(second.body, first.headers as Record<string, string>)).toThrow();
    expect(first.headers['webhook-id']).not.toBe(second.headers['webhook-id']);
  });

  it('is retried with the same id after 429 or 503 with Retry-After', async () => {
    useAddress('custom_access_token', (request, response) => {
      if (receiver.requests.length > 2) withClaims({ tries: 3 })?.(request, response);
      else response.writeHead(receiver.requests.length === 1 ? 429 : 503, { 'retry-after': '0' }).end();
    });
    expect(claimsOf(await signUp())).toMatchObject({ tries: 3 });
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  const plain =
    (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
    (_, response) =>
      response.writeHead(status, headers).end(body);
  const asJson = { 'content-type': 'application/json' };

  it.each<[string, Respond, number, string, string, number]>([
    [
      'asks to come back each time',
      plain(503, { 'retry-after': 'true' }),
      500,
      'unexpected_failure',
      'Service currently unavailable due to hook',
      3,
    ],
    [
      'asks to come back too late',
      plain(429, { 'retry-after': '60' }),
      500,
      'unexpected_failure',
      'Service currently unavailable due to hook',
      1,
    ],
    ['is overloaded', plain(503), 500, 'unexpected_failure', 'Service currently unavailable due to hook', 1],
    ['refuses the payload', plain(400), 500, 'unexpected_failure', 'Invalid payload sent to hook', 1],
    ['wants a token', plain(401), 500, 'unexpected_failure', 'Hook requires authorization token', 1],
    [
      'redirects',
      plain(302, { location: 'http://169.254.169.254/' }),
      500,
      'unexpected_failure',
      'Unexpected status code returned from hook: 302',
      1,
    ],
    [
      'names no content type',
      plain(200, {}, '{}'),
      400,
      'hook_payload_invalid_content_type',
      'Invalid Content-Type: Missing Content-Type header',
      1,
    ],
    [
      'answers with HTML',
      plain(200, { 'content-type': 'text/html' }, '{}'),
      400,
      'hook_payload_invalid_content_type',
      'Invalid JSON response. Received content-type: text/html',
      1,
    ],
    [
      'answers with half of it',
      plain(200, asJson, '{"claims":'),
      500,
      'unexpected_failure',
      'Error unmarshaling JSON output.',
      1,
    ],
    [
      'answers with deep brackets',
      plain(200, asJson, '['.repeat(100_000)),
      500,
      'unexpected_failure',
      'Error unmarshaling JSON output.',
      1,
    ],
    [
      'answers with too much',
      plain(200, asJson, `{"claims":"${'x'.repeat(300_000)}"}`),
      422,
      'hook_payload_over_size_limit',
      'Payload size exceeded size limit of 204800 bytes',
      1,
    ],
    ['answers nothing', plain(204), 500, 'unexpected_failure', 'output claims field is missing', 1],
    [
      'answers with its error',
      sendsJson({ error: { http_code: 422, message: 'No more tokens' } }),
      422,
      'unknown',
      'No more tokens',
      1,
    ],
  ])(
    'causes an error of the request if it %s',
    async (_, answer, status, code, message, times) => {
      useAddress('custom_access_token', answer);
      expect(await signUp()).toMatchObject({ status, body: { code: code, message: message } });
      expect(receiver.requests).toHaveLength(times);
    },
    20_000,
  );

  it('gets no request without a secret, or if its network is not allowed', async () => {
    useAddress('custom_access_token', withClaims({}), '');
    expect((await signUp()).body).toMatchObject({
      message: expect.stringContaining('hook_custom_access_token_secrets'),
    });
    app.secrets = { hook_custom_access_token_secrets: `v1,${secret}` };
    for (const url of ['https://10.0.0.1/', 'https://[fd00::1]/', 'https://169.254.169.254/latest/meta-data']) {
      use('custom_access_token', url);
      expect(await signUp()).toMatchObject({ status: 422, body: { code: 'hook_timeout_after_retry' } });
    }
    expect(receiver.requests).toEqual([]);
  });
});

describe('the hook before_user_created', () => {
  const reject = sendsJson({ error: { http_code: 403, message: 'Only example.com' } });
  const refused = { status: 403, body: { code: 'unknown', message: 'Only example.com' } };

  it('receives the account; if it refuses, no account is created', async () => {
    useAddress('before_user_created', reject);
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const email = uniqueEmail();
    const before = await app.sql('select count(*) as n from auth.users');
    expect(await app.ask('POST', '/signup', { body: { email, password, data: { team: 'a' } } })).toMatchObject(refused);
    expect(await app.ask('POST', '/signup', { body: {} })).toMatchObject(refused);
    expect(await app.ask('POST', '/otp', { body: { email } })).toMatchObject(refused);
    app.settings = { ...app.settings, mailer_autoconfirm: false };
    expect(await app.ask('POST', '/signup', { body: { email, password } })).toMatchObject(refused);
    const asAdmin = { headers: { authorization: `Bearer ${app.keys.secretKey}` } };
    expect(await app.ask('POST', '/invite', { ...asAdmin, body: { email } })).toMatchObject(refused);
    expect(
      await app.ask('POST', '/admin/generate_link', { ...asAdmin, body: { type: 'magiclink', email } }),
    ).toMatchObject(refused);
    expect(await app.sql('select count(*) as n from auth.users')).toEqual(before);
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
      metadata: { name: 'before-user-created', ip_address: expect.any(String) },
      user: {
        email,
        role: '',
        app_metadata: { provider: 'email', providers: ['email'] },
        user_metadata: { team: 'a' },
        identities: [],
      },
    });
    expect(await app.ask('POST', '/admin/users', { ...asAdmin, body: { email } })).toMatchObject({ status: 200 });
  });

  it('receives the id that the new account will have, and is not called for an address that an account has', async () => {
    useAddress('before_user_created', sendsJson(null));
    const email = uniqueEmail();
    const { body } = await signUp(email);
    expect((body as unknown as { user: { id: string } }).user.id).toBe(
      JSON.parse(receiver.requests[0]?.body ?? '').user.id,
    );
    expect((await signUp(email)).body).toMatchObject({ code: 'user_already_exists' });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('the hook password_verification_attempt', () => {
  it('is called after right and wrong passwords of accounts, and not for unknown addresses', async () => {
    const email = uniqueEmail();
    const { body } = await signUp(email);
    useAddress('password_verification_attempt', sendsJson({ decision: 'continue' }));
    expect((await signIn(email)).status).toBe(200);
    expect((await signIn(email, 'wrong')).body).toMatchObject({ message: 'Invalid login credentials' });
    expect((await signIn(uniqueEmail())).body).toMatchObject({ message: 'Invalid login credentials' });
    const user_id = (body as unknown as { user: { id: string } }).user.id;
    expect(receiver.requests.map((request) => JSON.parse(request.body))).toMatchObject([
      { user_id, valid: true, metadata: { name: 'password-verification' } },
      { user_id, valid: false },
    ]);
  });

  it('can refuse a right password, and ends the sessions only if it requests that', async () => {
    const email = uniqueEmail();
    await signUp(email);
    useAddress('password_verification_attempt', sendsJson({ decision: 'reject', message: 'Too many' }));
    expect(await signIn(email)).toMatchObject({
      status: 400,
      body: { code: 'invalid_credentials', message: 'Too many' },
    });
    expect(await sessionsOf(email)).toBe(1);
    useAddress('password_verification_attempt', sendsJson({ decision: 'reject', should_logout_user: true }));
    expect((await signIn(email)).body).toMatchObject({
      message: 'Further password verification attempts will be rejected.',
    });
    expect(await sessionsOf(email)).toBe(0);
  });

  it('refuses a right password if it fails or returns values of wrong types', async () => {
    const email = uniqueEmail();
    await signUp(email);
    for (const answer of [{ decision: 1 }, { should_logout_user: 'yes' }]) {
      useAddress('password_verification_attempt', sendsJson(answer));
      expect((await signIn(email)).status).toBe(500);
      const [wrong, unknown] = [await signIn(email, 'wrong'), await signIn(uniqueEmail(), 'wrong')];
      expect([wrong.status, wrong.body]).toEqual([unknown.status, unknown.body]);
    }
  });
});

describe('the hook mfa_verification_attempt', () => {
  it('is called after right and wrong codes, and ends all sessions of the account if it refuses', async () => {
    const { client, email } = await app.member(password);
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp' });
    if (data?.type !== 'totp') throw new Error('no factor');
    const factorId = data.id;
    const totp = new TOTP({ secret: Secret.fromBase32(data.totp.secret) });
    useAddress('mfa_verification_attempt', sendsJson({ decision: 'continue' }));
    const wrong = await client.auth.mfa.challengeAndVerify({ factorId, code: '000000' });
    expect(wrong.error).toMatchObject({ code: 'mfa_verification_failed' });
    expect((await client.auth.mfa.challengeAndVerify({ factorId, code: totp.generate() })).error).toBeNull();
    expect(receiver.requests.map((request) => JSON.parse(request.body))).toMatchObject([
      { factor_id: factorId, factor_type: 'totp', valid: false, metadata: { name: 'mfa-verification' } },
      { factor_id: factorId, valid: true },
    ]);
    useAddress('mfa_verification_attempt', sendsJson({ decision: 'reject', message: 'Ask the desk' }));
    app.clockOffset = 60_000;
    const later = totp.generate({ timestamp: Date.now() + 60_000 });
    const refused = await client.auth.mfa.challengeAndVerify({ factorId, code: later });
    expect(refused.error).toMatchObject({ code: 'mfa_verification_rejected', status: 403, message: 'Ask the desk' });
    expect(await sessionsOf(email)).toBe(0);
  });
});

describe('the hook send_sms', () => {
  const phone = '15551234';
  const ask = (path: string, body: object) => app.ask('POST', path, { body });

  it('receives the code of a sign-in by phone and the account that was created', async () => {
    app.settings = { ...app.settings, external_phone_enabled: true, sms_max_frequency: 0 };
    useAddress('send_sms', sendsJson({}));
    expect((await ask('/otp', { phone })).status).toBe(200);
    const { metadata, user, sms } = JSON.parse(receiver.requests[0]?.body ?? '');
    expect({ metadata, user, sms }).toMatchObject({
      metadata: { name: 'send-sms', ip_address: expect.any(String) },
      user: { id: expect.any(String), phone },
      sms: { otp: expect.stringMatching(/^\d{6}$/), phone },
    });
    const verified = await ask('/verify', { type: 'sms', phone, token: sms.otp });
    expect((verified.body as { user?: { id: string } }).user?.id).toBe(user.id);
    expect(receiver.requests).toHaveLength(1);
  });

  it('returns its refusal to the client, and then no SMS is queued', async () => {
    app.settings = { ...app.settings, external_phone_enabled: true, sms_max_frequency: 0 };
    useAddress('send_sms', sendsJson({ error: { http_code: 429, message: 'No more texts today' } }));
    const refused = await ask('/otp', { phone: '15551235' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      429,
      expect.stringContaining('No more texts today'),
    ]);
    const queued = `select pg_catalog.to_jsonb(pg_catalog.count(*)) from ninefold.mails where channel = 'sms'`;
    expect(await jsonAsAuthAdmin(app.database, queued, [])).toBe(0);
  });

  it('is not called if before_user_created refuses the number', async () => {
    app.settings = { ...app.settings, external_phone_enabled: true, sms_max_frequency: 0 };
    useAddress('send_sms', sendsJson({}));
    await useFunction(
      'before_user_created',
      `return '{"error": {"http_code": 403, "message": "Not from here"}}'::jsonb;`,
    );
    for (const path of ['/otp', '/signup']) {
      const refused = await ask(path, { phone: '15551236', password });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining('Not from here')]);
    }
    expect(receiver.requests).toHaveLength(0);
  });
});

describe('a hook that takes too long', () => {
  it('ends the request with hook_timeout if its function changes its own timeout', async () => {
    expect(await late.slow).toMatchObject({ status: 422, body: { code: 'hook_timeout' } });
    expect((await signUp()).status).toBe(200);
  }, 20_000);

  it('ends the request with hook_timeout if its URL never responds', async () => {
    const message = 'Failed to reach hook within maximum time of 5.000000 seconds';
    expect(await late.silent).toMatchObject({ status: 422, body: { code: 'hook_timeout', message } });
    expect(silent.requests).toHaveLength(1);
  }, 20_000);

  it('ends the request with hook_timeout_after_retry if its URL closes each connection', async () => {
    const message = 'Failed to reach hook after maximum retries';
    expect(await late.rude).toMatchObject({ status: 422, body: { code: 'hook_timeout_after_retry', message } });
    expect(rude.requests).toHaveLength(3);
  }, 20_000);
});
