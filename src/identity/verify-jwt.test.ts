import { createHmac, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeKeys } from '../apps/keys/make-keys.ts';
import { signEs256, signHs256 } from '../apps/keys/sign-jwt.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { verifyJwt } from './verify-jwt.ts';

const app = makeKeys('mine');
const other = makeKeys('other');
const now = 1_800_000_000;
const claims = { sub: 'ada', role: 'authenticated', iat: now, exp: now + 3600 };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const es256 = (payload: object, keys = app) => signEs256(payload, keys.signingKey.privateKeyPem, keys.signingKey.kid);
const verified = (token: string, audience: string | null = null) =>
  verifyJwt(token, app, { nowSeconds: now, audience });

function refusal(token: string, audience: string | null = null): [code: string, message: string] {
  try {
    verified(token, audience);
  } catch (error) {
    if (error instanceof NinefoldError) return [error.code, error.message];
    throw error;
  }
  throw new Error('the token was accepted');
}

describe('verifyJwt: signature', () => {
  it("accepts tokens of the app's key pair and of its secret", () => {
    expect(verified(es256(claims))).toEqual(claims);
    expect(verified(signHs256(claims, app.jwtSecret))).toEqual(claims);
  });

  const publicPem = createPublicKey({ key: { ...app.signingKey.publicJwk, key_ops: ['verify'] }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();
  const unsigned = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
  const [head, body, signature] = es256(claims).split('.');
  const forged = (header: object, secret: string) => {
    const input = `${encode(header)}.${encode(claims)}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };

  it.each([
    ['alg none', unsigned],
    ['alg None with another letter case', `${encode({ alg: 'NONE' })}.${encode(claims)}.`],
    ['the key pair of another app', es256(claims, other)],
    ['the secret of another app', signHs256(claims, other.jwtSecret)],
    ['another key pair under this app’s key id', signEs256(claims, other.signingKey.privateKeyPem, app.signingKey.kid)],
    ['this app’s key pair under another key id', signEs256(claims, app.signingKey.privateKeyPem, 'another')],
    ['HS256 with the public key as secret', forged({ alg: 'HS256' }, publicPem)],
    [
      'HS256 with the secret under the key id of the key pair',
      forged({ alg: 'HS256', kid: app.signingKey.kid }, app.jwtSecret),
    ],
    ['an algorithm of the same family', forged({ alg: 'HS512' }, app.jwtSecret)],
    ['claims that were changed', `${head}.${encode({ ...claims, role: 'service_role' })}.${signature}`],
    ['a signature of another length', `${head}.${body}.${signature?.slice(0, 40)}`],
    ['no signature', `${head}.${body}.`],
    ['a signature in another encoding of the same bytes', `${head}.${body}.${signature}=`],
    ['an extension that must be understood', forged({ alg: 'HS256', crit: ['b64'] }, app.jwtSecret)],
    ['a header that is no object', `${encode([])}.${body}.${signature}`],
    ['a header that is no JSON', `e30x.${body}.${signature}`],
  ])('rejects a token: %s', (_, token) => {
    expect(refusal(token)[0]).toBe('PGRST301');
  });

  it('names the algorithm of an unsigned token as PostgREST does', () => {
    expect(refusal(unsigned)[1]).toBe('Wrong or unsupported encoding algorithm');
    expect(refusal(forged({ alg: 'HS512' }, app.jwtSecret))[1]).toBe('No suitable key or wrong key type');
  });

  it.each(['', 'a', 'a.b', 'a.b.c.d', '...', 'null.null.null'])('rejects a token of the form %j', (token) => {
    expect(refusal(token)[0]).toBe('PGRST301');
  });
});

describe('verifyJwt: claims', () => {
  const refused = (change: object) => refusal(es256({ ...claims, ...change }));
  it('tolerates clocks that differ by 30 seconds', () => {
    expect(verified(es256({ ...claims, exp: now - 30, nbf: now + 30, iat: now + 30 }))).toBeTruthy();
    expect(refused({ exp: now - 31 })).toEqual(['PGRST303', 'JWT expired']);
    expect(refused({ nbf: now + 31 })).toEqual(['PGRST303', 'JWT not yet valid']);
    expect(refused({ iat: now + 31 })).toEqual(['PGRST303', 'JWT issued at future']);
  });

  it('rejects claims of the wrong type', () => {
    expect(refused({ exp: 'never' })).toEqual(['PGRST303', "The JWT 'exp' claim must be a number"]);
    expect(refused({ aud: { is: 'app' } })[1]).toBe("The JWT 'aud' claim must be a string or an array of strings");
    expect(refusal(signHs256([] as object, app.jwtSecret))).toEqual(['PGRST303', 'Parsing claims failed']);
  });

  it("requires the app's audience if both the app and the token name one", () => {
    const token = es256({ ...claims, aud: ['staff', 'authenticated'] });
    expect(verified(token, 'authenticated')).toBeTruthy();
    expect(refusal(token, 'robots')).toEqual(['PGRST303', 'JWT not in audience']);
    expect(verified(es256(claims), 'robots')).toBeTruthy();
  });

  it('accepts tokens without an expiry, as PostgREST does', () => {
    expect(verified(signHs256({ role: 'anon' }, app.jwtSecret))).toEqual({ role: 'anon' });
  });
});
