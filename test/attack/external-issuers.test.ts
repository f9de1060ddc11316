import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createAppWith } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** Tokens that other systems issue. They must have only the access that the app gives to their issuer. */
let node: TestNode;
let receiver: Receiver;
let app: AppConnection;
let unlisted: AppConnection;

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const second = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicJwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig' });

const FIRST = 'https://clerk.example';
const SECOND = 'https://auth0.example/';
const ME = `create function public.me() returns jsonb language sql stable return jsonb_build_object('role', auth.role(), 'sub', auth.jwt() ->> 'sub')`;

beforeAll(async () => {
  receiver = await startReceiver(({ url }, response) =>
    response.end(
      JSON.stringify({
        keys:
          url === '/first'
            ? [publicJwk(pair.publicKey, 'one'), publicJwk(rsa.publicKey, 'rsa')]
            : [publicJwk(second.publicKey, 'two')],
      }),
    ),
  );
  node = await startNode({ env: { NINEFOLD_WORKERS: '1', NINEFOLD_HTTP_ALLOW: `127.0.0.1:${receiver.port}` } });
  [app, unlisted] = await Promise.all([createAppWith(node, ME), createAppWith(node, ME)]);
  await admin(node, 'PUT', `/apps/${app.ref}/settings/external_jwt_issuers`, {
    value: [`${FIRST} ${receiver.url}/first desk`, `${SECOND} ${receiver.url}/second`],
  });
});
afterAll(async () => {
  await node.stop();
  await receiver.close();
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);
const claims = (more: object = {}) => ({
  iss: FIRST,
  sub: 'user_2abc',
  aud: 'desk',
  role: 'authenticated',
  iat: now(),
  exp: now() + 600,
  ...more,
});
function signed(payload: object, header: object = {}, key: KeyObject = pair.privateKey): string {
  const input = `${encode({ alg: 'ES256', kid: 'one', ...header })}.${encode(payload)}`;
  const options = { key, ...(key.asymmetricKeyType === 'ec' && { dsaEncoding: 'ieee-p1363' as const }) };
  return `${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}`;
}
const call = (token: string, of = app, path = '/rest/v1/rpc/me') =>
  send(node.url, `/apps/${of.ref}${path}`, {
    headers: { apikey: of.publishable_key, authorization: `Bearer ${token}` },
  });

it('an app accepts a data call with a token of a listed third party, with its role and without a session of the app', async () => {
  const session_id = 'aaaaaaaa-bbbb-4ccc-8ddd-6070e0000000';
  const response = await call(signed(claims({ session_id, aud: ['other', 'desk'] })));
  expect([response.status, JSON.parse(response.body)]).toEqual([200, { role: 'authenticated', sub: 'user_2abc' }]);
  expect((await call(signed(claims(), { alg: 'RS256', kid: 'rsa' }, rsa.privateKey))).status).toBe(200);
  expect((await call(signed(claims({ iss: SECOND, aud: 'any' }), { kid: 'two' }, second.privateKey))).status).toBe(200);
  const { role: _, ...noRole } = claims();
  expect(JSON.parse((await call(signed(noRole))).body).role).toBe('anon');
});

describe('a data call with a token of a third party', () => {
  it.each<[string, () => string]>([
    ['with another audience', () => signed(claims({ aud: 'shop' }))],
    ['without an audience', () => signed(claims({ aud: undefined }))],
    ['with an empty list of audiences', () => signed(claims({ aud: [] }))],
    ['of another issuer', () => signed(claims({ iss: 'https://evil.example' }))],
    ['of the issuer with an additional slash', () => signed(claims({ iss: `${FIRST}/` }))],
    ['without an issuer', () => signed(claims({ iss: undefined }))],
    ['with the issuer in a list', () => signed(claims({ iss: [FIRST] }))],
    ['of one third party in the name of another', () => signed(claims({ iss: SECOND }))],
    ['of one third party with the key id of another', () => signed(claims({ iss: SECOND }), { kid: 'two' })],
    ['with a number as its subject', () => signed(claims({ sub: 1 }))],
    ['with a list as its subject', () => signed(claims({ sub: ['user_2abc'] }))],
    ['with a subject that ends with NUL', () => signed(claims({ sub: 'user_2abc\0' }))],
    ['with a subject that begins with a blank', () => signed(claims({ sub: ' user_2abc' }))],
    ['with an invisible character in its subject', () => signed(claims({ sub: 'user_\u200b2abc' }))],
    ['with a subject that is too long', () => signed(claims({ sub: 'a'.repeat(3000) }))],
    ['with a line break in its address', () => signed(claims({ email: 'ada@example.org\n' }))],
    ['with a mark of direction in its number', () => signed(claims({ phone_number: '\u202e+49171' }))],
    ['that has expired', () => signed(claims({ exp: now() - 60 }))],
    ['that never expires', () => signed(claims({ exp: undefined }))],
    ['that is not valid yet', () => signed(claims({ nbf: now() + 600 }))],
    ['with an unknown key id', () => signed(claims(), { kid: 'three' })],
    ['without a key id', () => signed(claims(), { kid: undefined })],
    ['with the key id of another key of the issuer', () => signed(claims(), { kid: 'rsa' })],
    ['that names another algorithm', () => signed(claims(), { alg: 'RS256' })],
    ['with a critical extension', () => signed(claims(), { crit: ['exp'] })],
    ['without a signature', () => `${encode({ alg: 'none', kid: 'one' })}.${encode(claims())}.`],
    [
      'signed by HS256 with the public key',
      () => {
        const input = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(claims())}`;
        const secret = pair.publicKey.export({ type: 'spki', format: 'pem' });
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      },
    ],
    [
      'signed with the app’s shared secret in the third party’s name',
      () => {
        const input = `${encode({ alg: 'HS256' })}.${encode(claims({ role: 'service_role' }))}`;
        return `${input}.${createHmac('sha256', app.jwt_secret).update(input).digest('base64url')}`;
      },
    ],
  ])('is rejected if the token is one of this kind: %s', async (_, token) => {
    expect((await call(token())).status).toBe(401);
  });

  it('is rejected by an app that does not list the third party', async () => {
    expect((await call(signed(claims()), unlisted)).status).toBe(401);
  });

  it('is rejected with the role service_role and with reserved roles', async () => {
    for (const role of ['service_role', 'postgres', `app_${app.ref}`, 'supabase_auth_admin']) {
      expect((await call(signed(claims({ role })))).status, role).toBe(403);
    }
  });
});

it('an app rejects auth calls whose token has the id of a member in sub', async () => {
  const member = await signUpMember(app);
  const token = signed(claims({ sub: member.user.id, email: member.email }));
  for (const path of ['/auth/v1/user', '/auth/v1/sessions', '/auth/v1/admin/users']) {
    expect((await call(token, app, path)).status).toBe(403);
  }
  expect((await member.client.auth.getUser()).error).toBeNull();
});

it('an app rejects tokens within a second after the setting external_jwt_issuers is deleted', async () => {
  const token = signed(claims());
  expect((await call(token)).status).toBe(200);
  await admin(node, 'DELETE', `/apps/${app.ref}/settings/external_jwt_issuers`);
  await expect.poll(async () => (await call(token)).status, { timeout: 1000, interval: 50 }).toBe(401);
});

it.each(['clerk', 'https://a ftp://b', 'https://a', 'https://a https://b c d', 'https://a  https://b'])(
  'the management API rejects an invalid entry of external_jwt_issuers: %j',
  async (entry) => {
    const call = admin(node, 'PUT', `/apps/${app.ref}/settings/external_jwt_issuers`, { value: [entry] });
    await expect(call).rejects.toThrow('setting_invalid');
  },
);
