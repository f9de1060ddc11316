import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp } from '../support/apps.ts';

/**
 * Compares statuses, codes and fields with GoTrue's where a client could notice a difference; docs/compatibility.md
 * lists the intended differences.
 */
const node = inject('node');
const secret = 'the-secret-of-a-project-that-moved-0123456789';
const password = 'correct horse 9 battery';

let app: AppConnection;
/** Tokens by name. The first column of the table below contains these names. */
const tokens: Record<string, string> = {};
let userId: string;

interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  readonly body: any;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token as a server of the app could sign it. */
function sign(claims: object): string {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ role: 'authenticated', aud: 'authenticated', exp, ...claims })}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

async function ask(
  call: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const [method = '', path = ''] = call.split(' ');
  const response = await fetch(`${app.url}/auth/v1${path}`, {
    method,
    headers: {
      apikey: app.publishable_key,
      'content-type': 'application/json',
      'x-supabase-api-version': '2024-01-01',
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const bearer = (token = '') => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  app = await createApp(node, { jwt_secret: secret });
  const settings = { external_anonymous_users_enabled: true, security_manual_linking_enabled: true };
  for (const [key, value] of Object.entries(settings)) {
    await admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
  }
  const member = await ask('POST /signup', { email: 'ada@example.com', password });
  userId = member.body.user.id;
  Object.assign(tokens, {
    member: member.body.access_token,
    anonymous: (await ask('POST /signup', {})).body.access_token,
    admin: app.service_role_key,
    nobody: sign({ sub: randomUUID() }),
    'no UUID': sign({ sub: 'ada' }),
    'no sub': sign({}),
    'session x': sign({ sub: userId, session_id: 'x' }),
    expired: sign({ sub: userId, exp: 1_700_000_000 }),
  });
});

const someId = '00000000-0000-4000-8000-000000000001';
const unknownFactor = `/factors/${someId}`;

type Row = [token: string, call: string, body: unknown, status: number, code: string | null, words?: string];

const rows: Row[] = [
  // The caller.
  ['', 'GET /admin/users', undefined, 403, 'not_admin', 'User not allowed'],
  ['member', 'POST /invite', { email: 'b@example.com' }, 403, 'not_admin'],
  ['no UUID', 'GET /user', undefined, 400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
  ['no sub', 'GET /user', undefined, 403, 'bad_jwt', 'invalid claim: missing sub claim'],
  ['expired', 'GET /user', undefined, 403, 'bad_jwt', 'token is expired'],
  ['nobody', 'GET /user', undefined, 403, 'user_not_found', 'User from sub claim in JWT does not exist'],
  ['session x', 'GET /user', undefined, 403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID'],
  ['nobody', 'POST /logout', undefined, 403, 'user_not_found'],
  ['member', 'POST /logout?scope=GLOBAL', undefined, 400, 'validation_failed', 'Unsupported logout scope "GLOBAL"'],
  ['anonymous', 'GET /reauthenticate', undefined, 400, 'validation_failed', 'an email or a phone number'],

  // Bodies.
  ['', 'POST /token?grant_type=password', 'null', 400, 'validation_failed', 'missing email or phone'],
  ['', 'POST /otp', 'null', 400, 'validation_failed', 'One of email or phone must be set'],
  ['', 'POST /signup', '\ufeff{}', 400, 'bad_json'],
  ['', 'POST /signup', '[]', 400, 'bad_json'],
  ['', 'POST /signup', '{}{}', 400, 'bad_json'],
  ['', 'POST /signup', '', 400, 'bad_json'],
  ['', 'POST /signup', { email: 1, password }, 400, 'bad_json', 'Could not parse request body as JSON: email'],
  ['', 'POST /otp', { email: 'a@example.com', create_user: 'no' }, 400, 'bad_json'],
  ['member', 'PUT /user', { data: 'x' }, 400, 'bad_json'],
  ['admin', 'POST /admin/users', 'null', 400, 'validation_failed', 'without either an email or phone'],
  ['', 'POST /token?grant_type=password', { EMAIL: 'ada@example.com', Password: password }, 200, null],

  // POST /signup.
  ['', 'POST /signup', { email: 'b@example.com' }, 400, 'validation_failed', 'Signup requires a valid password'],
  ['', 'POST /signup', { email: 'b@example.com', password: 'abc' }, 422, 'weak_password'],
  ['', 'POST /signup', { email: 'b', password }, 400, 'validation_failed', 'invalid format'],
  ['', 'POST /signup', { email: 'ada@example.com', password }, 422, 'user_already_exists', 'User already registered'],
  ['', 'POST /signup', { email: 'b@example.com', password, code_challenge_method: 's256' }, 400, 'validation_failed'],
  ['', 'POST /signup', { phone: '15551234567', password }, 400, 'phone_provider_disabled'],

  // POST /token.
  ['', 'POST /token', { grant_type: 'password' }, 400, 'invalid_credentials', 'unsupported_grant_type'],
  ['', 'POST /token?grant_type=web3', {}, 422, 'web3_provider_disabled'],
  ['', 'POST /token?grant_type=pkce', {}, 400, 'validation_failed', 'both auth code and code verifier'],
  ['', 'POST /token?grant_type=id_token', {}, 400, 'bad_id_token', 'id_token required'],
  ['', 'POST /token?grant_type=refresh_token', { refresh_token: 'x' }, 400, 'validation_failed', 'is not valid'],
  ['', 'POST /token?grant_type=refresh_token', { refresh_token: 'x'.repeat(12) }, 400, 'refresh_token_not_found'],
  ['', 'POST /token?grant_type=password', { email: 'c@example.com', password }, 400, 'invalid_credentials'],

  // Links and codes.
  ['', 'POST /verify', {}, 400, 'validation_failed', 'Verify requires a verification type'],
  ['', 'POST /verify', { type: 'email', email: 'x', token: '1' }, 422, 'validation_failed', 'Invalid email format'],
  ['', 'POST /verify', { type: 'email', email: 'a@example.com', token: '1' }, 403, 'otp_expired', 'Token has expired'],
  ['', 'POST /verify', { type: 'email', token_hash: 'x' }, 403, 'otp_expired', 'Email link is invalid or has expired'],
  ['', 'POST /verify', { type: 'sms', token_hash: 'x' }, 400, 'validation_failed', 'Invalid email verification type'],
  ['', 'POST /recover', {}, 400, 'validation_failed', 'Password recovery requires an email'],
  ['', 'POST /magiclink', {}, 422, 'validation_failed', 'Password recovery requires an email'],
  ['', 'POST /resend', {}, 400, 'validation_failed', 'Missing one of these types'],
  ['', 'POST /resend', { type: 'signup' }, 400, 'validation_failed', 'Type provided requires an email address'],
  [
    '',
    'POST /otp',
    { email: 'a@example.com', channel: 'sms' },
    400,
    'validation_failed',
    'only be specified with Phone',
  ],
  ['admin', 'POST /invite', { email: 'ada@example.com' }, 422, 'email_exists'],
  ['admin', 'POST /admin/generate_link', { type: 'x', email: 'a@example.com' }, 400, 'validation_failed'],
  ['admin', 'POST /admin/generate_link', { type: 'recovery', email: 'no@example.com' }, 404, 'user_not_found'],

  // PUT /user.
  ['member', 'PUT /user', 'null', 200, null],
  ['member', 'PUT /user', { password: '' }, 422, 'weak_password'],
  ['member', 'PUT /user', { password }, 422, 'same_password'],
  ['member', 'PUT /user', { app_metadata: {} }, 403, 'not_admin', 'app_metadata requires admin privileges'],
  ['anonymous', 'PUT /user', { password }, 422, 'validation_failed', 'without an email or phone is not allowed'],

  // Second factors and identities.
  [
    'member',
    'POST /factors',
    { factor_type: 'x' },
    400,
    'validation_failed',
    'factor_type needs to be totp, phone, or',
  ],
  ['member', 'POST /factors', { factor_type: 'phone' }, 422, 'mfa_phone_enroll_not_enabled'],
  ['member', 'POST /factors/x/challenge', {}, 404, 'validation_failed', 'factor_id must be an UUID'],
  ['member', `POST ${unknownFactor}/challenge`, {}, 404, 'mfa_factor_not_found', 'Factor not found'],
  ['member', `DELETE ${unknownFactor}`, undefined, 404, 'mfa_factor_not_found'],
  ['member', 'DELETE /user/identities/x', undefined, 404, 'validation_failed', 'identity_id must be an UUID'],
  ['member', `DELETE /user/identities/${someId}`, undefined, 422, 'single_identity_not_deletable'],
  ['member', 'GET /user/identities/authorize?provider=x', undefined, 400, 'validation_failed', 'Unsupported provider'],

  // Administration.
  ['admin', 'GET /admin/users/x', undefined, 404, 'validation_failed', 'user_id must be an UUID'],
  ['admin', 'GET /admin/users/abcdef0000000000000000000000abcd', undefined, 404, 'user_not_found', 'User not found'],
  ['admin', `DELETE /admin/users/%7B${someId}%7D`, undefined, 404, 'user_not_found'],
  ['admin', 'POST /admin/users', { email: 'ada@example.com' }, 422, 'email_exists'],
  [
    'admin',
    'POST /admin/users',
    { email: 'b@example.com', ban_duration: '5' },
    400,
    'validation_failed',
    'ban duration',
  ],
  ['admin', 'GET /admin/users?sort=email', undefined, 400, 'validation_failed', 'Bad Sort Parameters'],
  ['admin', 'GET /admin/users?page=x', undefined, 400, 'validation_failed', 'Bad Pagination Parameters'],
  ['admin', `GET /admin/users/${someId}/factors`, undefined, 404, 'user_not_found'],

  // Services that are off.
  ['', 'POST /sso', { domain: 'example.com' }, 404, 'saml_provider_disabled'],
  ['', 'GET /.well-known/oauth-authorization-server', undefined, 404, 'feature_disabled', 'OAuth server is disabled'],
];

it.each<Row>(rows)('the app answers [%s] %s %j with %i %s', async (token, call, body, status, code, words = '') => {
  const answer = await ask(call, body, token === '' ? {} : bearer(tokens[token]));
  expect(answer).toMatchObject({ status, ...(code !== null && { body: { code } }) });
  expect(answer.headers.get('x-sb-error-code')).toBe(code);
  if (code !== null) expect(answer.body.message).toContain(words);
});

it.each(['', ' ', 'x', 'Basic abc', 'Bearer', 'Bearer a b'])(
  'the app reports a missing bearer token for “%s”',
  async (given) => {
    for (const call of ['GET /user', 'GET /admin/users', 'POST /logout', 'POST /factors']) {
      const answer = await ask(call, call.startsWith('POST') ? {} : undefined, { authorization: given });
      expect(answer, call).toMatchObject({
        status: 401,
        body: { code: 'no_authorization', message: 'This endpoint requires a valid Bearer token' },
      });
    }
  },
);

describe('the shape of an error', () => {
  it.each(['', '2023-01-01', 'x'])('has the fields code, error_code and msg for the version “%s”', async (version) => {
    const { body, headers } = await ask('POST /otp', {}, { 'x-supabase-api-version': version });
    const msg = 'One of email or phone must be set';
    expect(body).toEqual({ code: 400, error_code: 'validation_failed', msg });
    expect(headers.get('x-supabase-api-version')).toBeNull();
  });

  it('names the reasons for a weak password in both versions', async () => {
    const weak_password = { reasons: ['length'] };
    const asked = { email: 'b@example.com', password: 'abc' };
    expect((await ask('POST /signup', asked)).body).toMatchObject({ code: 'weak_password', weak_password });
    const older = await ask('POST /signup', asked, { 'x-supabase-api-version': '' });
    expect(older.body).toMatchObject({ code: 422, error_code: 'weak_password', weak_password });
  });
});

describe('the fields of an account', () => {
  const always = 'aud,app_metadata,created_at,email,id,identities,is_anonymous,phone,role,updated_at,user_metadata';
  const keys = (value: object) => Object.keys(value).sort();
  const expected = (more: string) => [...always.split(','), ...more.split(',').filter(Boolean)].sort();

  it('include optional fields only if they have a value', async () => {
    const member = (await ask('GET /user', undefined, bearer(tokens.member))).body;
    expect(keys(member)).toEqual(expected('confirmed_at,email_confirmed_at,last_sign_in_at'));
    const [identity] = member.identities;
    expect(keys(identity)).toEqual(
      'created_at,email,id,identity_data,identity_id,last_sign_in_at,provider,updated_at,user_id'.split(','),
    );
    expect(identity).toMatchObject({
      id: userId,
      user_id: userId,
      identity_data: { sub: userId, email_verified: true },
    });
    expect(identity.identity_id).not.toBe(userId);
    const anonymous = (await ask('GET /user', undefined, bearer(tokens.anonymous))).body;
    expect(keys(anonymous)).toEqual(expected('last_sign_in_at'));
    expect(anonymous).toMatchObject({ email: '', phone: '', is_anonymous: true, identities: [], app_metadata: {} });
  });

  it('do not include the address of an identity without one', async () => {
    const made = await ask('POST /admin/users', { phone: '15551006677', phone_confirm: true }, bearer(tokens.admin));
    expect(keys(made.body)).toEqual(expected('confirmed_at,phone_confirmed_at'));
    expect(made.body.identities).toHaveLength(1);
    expect(made.body.identities[0]).not.toHaveProperty('email');
  });

  it('include weak_password in a session only after a sign-in by password', async () => {
    const asked = { email: 'ada@example.com', password };
    const signedIn = (await ask('POST /token?grant_type=password', asked)).body;
    const session = 'access_token,expires_at,expires_in,refresh_token,token_type,user'.split(',');
    expect(keys(signedIn)).toEqual([...session, 'weak_password']);
    expect(signedIn.weak_password).toBeNull();
    const { refresh_token } = signedIn;
    expect(keys((await ask('POST /token?grant_type=refresh_token', { refresh_token })).body)).toEqual(session);
  });
});

it('the app accepts JSON under any content type, and additional fields that clients send', async () => {
  const types = ['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'application/octet-stream', 'x'];
  for (const [index, type] of types.entries()) {
    const extras = { gotrue_meta_security: { captcha_token: null }, phone: '', data: null, code_challenge: null };
    const asked = { email: `client-${index}@example.com`, password, ...extras };
    expect(await ask('POST /signup', asked, { 'content-type': type }), type).toMatchObject({ status: 200 });
    const code = { type: 'email', email: `client-${index}@example.com`, token: '123456', redirect_to: '' };
    const refused = await ask('POST /verify', code, { 'content-type': type });
    expect(refused, type).toMatchObject({ status: 403, body: { code: 'otp_expired' } });
  }
});
