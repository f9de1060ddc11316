import { limits } from '../../contract/limits.ts';
import { profileClaims } from '../../contract/oauth-scopes.ts';

type Claims = Readonly<Record<string, unknown>>;

/** An e-mail address as a provider reports it. */
export interface ProviderEmail {
  /** The address in lower case. */
  readonly email: string;
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
}

/** A person as a provider reports them. */
export interface Profile {
  /** The id of the person at the provider, which never changes. */
  readonly subject: string;
  readonly emails: readonly ProviderEmail[];
  /** Metadata with the names of OpenID Connect and the names that GoTrue adds. */
  readonly claims: Claims;
}

/**
 * Returns a text or a number as text. Returns the empty text for other values and for texts longer than a claim may be.
 */
export function claimText(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  return text.length <= limits.claimCharacters.default ? text.replaceAll(/\0|\p{Surrogate}/gu, '') : '';
}

/** Returns true for the boolean true and for the text "true", because some providers send booleans as texts. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** Returns a list with the address; an empty list if there is none. */
export const oneEmail = (value: unknown, isVerified: boolean): readonly ProviderEmail[] => {
  const email = claimText(value).trim().toLowerCase();
  return email === '' ? [] : [{ email, isVerified, isPrimary: true }];
};

/** Returns an object; an empty one for any other value. */
export const asObject = (value: unknown): Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : {};

/** Returns the claims of a person that are texts. */
export function standardClaims(claims: Claims): Claims {
  return Object.fromEntries(profileClaims.map((name) => [name, claimText(claims[name])]));
}

/** Returns the address that is marked as primary. If none is, returns the last address (GoTrue). */
export const mainEmail = ({ emails }: Pick<Profile, 'emails'>): ProviderEmail | null =>
  emails.find(({ isPrimary }) => isPrimary) ?? emails.at(-1) ?? null;

/**
 * Returns the data of a person that the identity and the account's metadata store. Claims without a value are left out.
 */
export function identityData(profile: Profile): Claims {
  const main = mainEmail(profile);
  const filled = Object.entries(profile.claims).filter(([, value]) => value !== '' && value !== undefined);
  return {
    ...Object.fromEntries(filled),
    sub: profile.subject,
    provider_id: profile.subject,
    ...(main && { email: main.email }),
    email_verified: main?.isVerified ?? false,
    phone_verified: false,
  };
}
