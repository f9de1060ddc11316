import { NinefoldError } from '../errors/ninefold-error.ts';

/** POST /sso: answers as GoTrue does where SAML is off. */
export const signInWithSso = (): never => {
  throw new NinefoldError('saml_provider_disabled');
};

/** POST /token?grant_type=web3: answers as GoTrue does where wallets are off. */
export const signInWithWeb3 = (): never => {
  throw new NinefoldError('web3_provider_disabled');
};
