import { publicKeySet } from '../apps/keys/signing-keys.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { authCall } from './call.ts';
import { json } from './reply.ts';

/** Does not contain the version, because every stranger can make this call. */
export const health = authCall({
  id: 'auth.health',
  route: 'GET /health',
  caller: 'anyone',
  errors: [],
  summary: 'Whether sign-in is at work.',
  returns: 'name, version, description',
  handle: () => json({ name: 'Ninefold', description: 'Sign-in and sessions, as GoTrue answers them' }),
});

export const jwks = authCall({
  id: 'auth.jwks',
  route: 'GET /.well-known/jwks.json',
  caller: 'anyone',
  errors: [],
  summary: 'The public keys that access tokens are signed with (RFC 7517).',
  returns: 'keys: a list of JSON Web Keys',
  handle: (context) => json(publicKeySet(context.app), { 'cache-control': 'public, max-age=600' }),
});

export const signInWithSso = authCall({
  id: 'auth.sso',
  route: 'POST /sso',
  caller: 'anyone',
  needsMemberPages: true,
  errors: ['saml_provider_disabled'],
  summary: 'Answers that sign-in by SAML is off.',
  returns: 'an error',
  handle: () => {
    throw new NinefoldError('saml_provider_disabled');
  },
});

export const signInWithWeb3 = authCall({
  id: 'auth.token.web3',
  route: 'POST /token?grant_type=web3',
  caller: 'anyone',
  errors: ['web3_provider_disabled'],
  summary: 'Answers that sign-in with wallets is off.',
  returns: 'an error',
  handle: () => {
    throw new NinefoldError('web3_provider_disabled');
  },
});
