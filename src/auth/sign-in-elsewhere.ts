import { NinefoldError } from '../errors/ninefold-error.ts';

/** Handles POST /sso: responds as GoTrue does if SAML is off. */
export const signInWithSso = (): never => {
  throw new NinefoldError('saml_provider_disabled');
};

/** Handles POST /token?grant_type=web3: responds as GoTrue does if wallets are off. */
export const signInWithWeb3 = (): never => {
  throw new NinefoldError('web3_provider_disabled');
};
