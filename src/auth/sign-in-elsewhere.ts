import { NinefoldError } from '../errors/ninefold-error.ts';

/** Handles POST /sso: responds like GoTrue with SAML disabled. */
export const signInWithSso = (): never => {
  throw new NinefoldError('saml_provider_disabled');
};

/** Handles POST /token?grant_type=web3: responds like GoTrue with wallets disabled. */
export const signInWithWeb3 = (): never => {
  throw new NinefoldError('web3_provider_disabled');
};
