import { limits } from '../../../contract/limits.ts';
import { profileClaims } from '../../../contract/oauth-scopes.ts';
import { identifierProblem } from '../../accounts/users/identifiers.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

type Claims = Readonly<Record<string, unknown>>;

/** An e-mail address as a provider reports it. */
export interface ProviderEmail {
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

const refusal = (name: string, problem: string): NinefoldError =>
  new NinefoldError('provider_identity_refused', { message: `The ${name} that the provider reports ${problem}` });

/** Matches control characters and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * Returns a claim that describes a person, such as a name, as text. Returns the empty text for a claim that is neither
 * text nor number, and for a claim that is longer than a claim may be.
 * @throws provider_identity_refused for control characters
 */
export function claimText(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  if (text.length > limits.claimCharacters.default) return '';
  if (UNPRINTABLE.test(text)) throw refusal('profile', 'has a claim with a control character');
  return text;
}

/**
 * Returns the id of a person at the provider as text; the empty text if there is none. The id is never changed, because
 * two persons could then become one.
 * @throws provider_identity_refused for an id that would have to be cleaned, and for a number that JSON rounds
 */
export function claimId(value: unknown): string {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return String(value);
    throw refusal('id', 'is a number that is not exact');
  }
  return typeof value === 'string' ? asIdentifier('id', value) : '';
}

function asIdentifier(name: string, text: string): string {
  const problem = identifierProblem(text);
  if (problem !== null) throw refusal(name, problem);
  return text;
}

/** Returns true for the boolean true and for the text "true", because some providers send booleans as texts. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true';

/**
 * Returns a list with the address as the provider reports it; an empty list if there is none.
 * @throws provider_identity_refused for an address that would have to be cleaned
 */
export const oneEmail = (value: unknown, isVerified: boolean): readonly ProviderEmail[] =>
  typeof value !== 'string' || value === ''
    ? []
    : [{ email: asIdentifier('address', value), isVerified, isPrimary: true }];

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
