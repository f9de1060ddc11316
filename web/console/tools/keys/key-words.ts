import type { SigningKeyEntry } from '../../../../contract/admin.ts';

/** Describes the effect of each key state on tokens. */
export const stateWords: Readonly<Record<SigningKeyEntry['state'], string>> = {
  standby: 'Published. It signs nothing before you make it current.',
  current: 'Signs every new access token.',
  previous: 'Signs no new tokens. Its tokens stay valid until they expire.',
  revoked: 'Its tokens are refused. Its private half is erased.',
};
