import { describe, expect, it } from 'vitest';
import { readAuthorization } from './authorization-request.ts';

const good = {
  response_type: 'code',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'openid offline_access',
};

const read = (change: Record<string, string> = {}, takesRefreshTokens = true) =>
  readAuthorization(new URLSearchParams({ ...good, ...change }), takesRefreshTokens);

describe('readAuthorization', () => {
  it('reads prompt, max_age and login_hint, and ignores unknown parameters', () => {
    expect(
      read({ prompt: 'login  consent login', max_age: '60', login_hint: 'ada@example.com', ui_locales: 'de' }),
    ).toEqual({
      scopes: ['openid', 'offline_access'],
      state: null,
      nonce: null,
      codeChallenge: good.code_challenge,
      prompts: ['login', 'consent'],
      maxAge: 60,
      loginHint: 'ada@example.com',
    });
  });

  it('ignores offline_access for a client that is not registered for refresh tokens', () => {
    expect(read({}, false)).toMatchObject({ scopes: ['openid'] });
  });

  it('refuses a scope that the client is not registered for', () => {
    const asked = (scope: string) => readAuthorization(new URLSearchParams({ ...good, scope }), true, 'openid profile');
    expect(asked('openid profile')).toMatchObject({ scopes: ['openid', 'profile'] });
    expect(asked('openid email')).toMatchObject({ error: 'invalid_scope' });
    // A request without a scope asks for the default scope. This client is not registered for it, so the request is
    // refused.
    expect(asked('')).toMatchObject({ error: 'invalid_scope' });
    expect(readAuthorization(new URLSearchParams({ ...good, scope: '' }), true, 'email')).toMatchObject({
      scopes: ['email'],
    });
  });

  it.each<[string, Record<string, string>]>([
    ['invalid_request', { prompt: 'none login' }],
    ['invalid_request', { prompt: 'create' }],
    ['invalid_request', { max_age: '-1' }],
    ['invalid_request', { max_age: '1e9' }],
    ['invalid_request', { max_age: '9'.repeat(30) }],
    ['invalid_request', { response_mode: 'fragment' }],
    ['invalid_request', { response_mode: 'form_post' }],
    ['invalid_request', { login_hint: 'x'.repeat(1025) }],
    ['invalid_scope', { scope: 'openid admin' }],
    ['unsupported_response_type', { response_type: 'code id_token' }],
    ['request_not_supported', { request: 'eyJ' }],
    ['request_uri_not_supported', { request_uri: 'https://client.example/request' }],
    ['registration_not_supported', { registration: '{}' }],
  ])('returns the error %s for the query %j', (error, change) => expect(read(change)).toMatchObject({ error }));

  it('refuses a repeated parameter', () => {
    const parameters = new URLSearchParams([...Object.entries(good), ['state', 'a'], ['state', 'b']]);
    expect(readAuthorization(parameters, true)).toMatchObject({ error: 'invalid_request' });
  });
});
