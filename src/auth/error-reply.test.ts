import { describe, expect, it } from 'vitest';
import { type ErrorParts, NinefoldError } from '../errors/ninefold-error.ts';
import { authErrorReply } from './error-reply.ts';

const render = (code: ConstructorParameters<typeof NinefoldError>[0], version?: string, parts: ErrorParts = {}) => {
  const headers = version === undefined ? {} : { 'x-supabase-api-version': version };
  const reply = authErrorReply(new NinefoldError(code, parts), { headers, requestId: 'r1' });
  return { ...reply, body: JSON.parse(String(reply?.body)) };
};

describe('authErrorReply', () => {
  it.each(['2024-01-01', '2030-12-31'])('returns the code and a message to clients of version %s', (version) => {
    const reply = render('invalid_credentials', version);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' });
    // The stock client reads the code from the body only if the response names the version in a header.
    expect(reply.headers).toMatchObject({
      'x-supabase-api-version': '2024-01-01',
      'x-sb-error-code': 'invalid_credentials',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ['JWT expired', 'token has invalid claims: token is expired'],
    ['Wrong or unsupported encoding algorithm', 'token signature is invalid: signing method none is invalid'],
    ['Expected 3 parts in JWT; got 2', 'Expected 3 parts in JWT; got 2'],
  ])("returns GoTrue's words for the token error %j", (message, words) => {
    expect(render('PGRST301', '2024-01-01', { message }).body).toEqual({
      code: 'bad_jwt',
      message: `invalid JWT: unable to parse or verify signature, ${words}`,
    });
  });

  it.each([undefined, '2023-12-31', 'latest', ''])(
    'returns the HTTP status as code to clients of version %s',
    (version) => {
      const reply = render('invalid_credentials', version);
      expect(reply.body).toEqual({ code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' });
      expect(reply.headers).not.toHaveProperty('x-supabase-api-version');
    },
  );

  it('returns the reasons of a weak password', () => {
    const details = { reasons: ['length'] };
    expect(render('weak_password', '2024-01-01', { message: 'Too short.', details }).body).toEqual({
      code: 'weak_password',
      message: 'Too short.',
      weak_password: { reasons: ['length'] },
    });
  });

  it('keeps headers of the error such as Retry-After', () => {
    const reply = render('over_request_rate_limit', '2024-01-01', { headers: { 'retry-after': '7' } });
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
  });
});

it.each([
  ['PGRST301', 'bad_jwt', 403],
  ['PGRST303', 'bad_jwt', 403],
  ['session_revoked', 'session_not_found', 403],
  ['key_unknown', 'key_unknown', 401],
  ['database_busy', 'database_busy', 504],
] as const)('authErrorReply translates %s to GoTrue’s code %s with status %i', (code, said, status) => {
  const reply = render(code, '2024-01-01');
  expect([reply.body.code, reply.status]).toEqual([said, status]);
});

it('authErrorReply returns null for an error that is not a NinefoldError', () => {
  expect(authErrorReply(new Error('secret'), { headers: {}, requestId: 'r1' })).toBeNull();
});
