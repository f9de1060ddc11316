import { profileClaims } from '../../contract/oauth-scopes.ts';
import type { User } from '../accounts/users/user.ts';

/** Go's zero time, which GoTrue's clients receive in place of a required time that is not shown. */
const NO_TIME = '0001-01-01T00:00:00Z';

/** Names under which metadata holds the values of a scope. */
const NAMES = {
  email: ['email', 'email_verified'],
  phone: ['phone', 'phone_number', 'phone_verified', 'phone_number_verified'],
  // GoTrue and the sign-up forms of apps use further names for a name and a picture.
  profile: [...profileClaims, 'full_name', 'avatar_url', 'username', 'user_name'],
};

/** Matches an e-mail address within a text, but not a path such as `https://example.org/@ada.l`. */
const EMAIL = /[^\s@/]@[^\s@/]+\.[^\s@/]/u;

/**
 * Returns the part of an account that an application with these scopes may see (OpenID Connect Core 1.0, section 5.4).
 * All other fields are empty or absent.
 *
 * - `email` and `phone` give the address or the number, and whether it is confirmed.
 * - `profile` gives the standard claims in `user_metadata` and the time of the last change.
 * - Identities, second factors and pending changes belong to no scope.
 * - `app_metadata` is given without a scope, because policies read roles and tenants there. Without `email` or `phone`
 *   it has no addresses or numbers.
 */
export function accountForScopes(user: User, scopes: readonly string[]): User {
  const [hasEmail, hasPhone, hasProfile] = ['email', 'phone', 'profile'].map((scope) => scopes.includes(scope));
  const hidden = [...(hasEmail ? [] : [isEmailOf(user)]), ...(hasPhone ? [] : [isPhoneOf(user)])];
  const named = [
    ...(hasEmail ? NAMES.email : []),
    ...(hasPhone ? NAMES.phone : []),
    ...(hasProfile ? NAMES.profile : []),
  ];
  const unnamed = [...(hasEmail ? [] : NAMES.email), ...(hasPhone ? [] : NAMES.phone)];
  const { email_confirmed_at, phone_confirmed_at } = user;
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: hasEmail ? user.email : '',
    phone: hasPhone ? user.phone : '',
    app_metadata: withoutHidden(
      entriesOf(user.app_metadata, (name) => !unnamed.includes(name)),
      hidden,
    ),
    user_metadata: withoutHidden(
      entriesOf(user.user_metadata, (name) => named.includes(name)),
      hidden,
    ),
    identities: [],
    created_at: hasProfile ? user.created_at : NO_TIME,
    updated_at: hasProfile ? user.updated_at : NO_TIME,
    is_anonymous: user.is_anonymous,
    ...(hasEmail && email_confirmed_at !== undefined && { email_confirmed_at }),
    ...(hasPhone && phone_confirmed_at !== undefined && { phone_confirmed_at }),
  };
}

type Metadata = Readonly<Record<string, unknown>>;
type IsHidden = (text: string) => boolean;

const entriesOf = (metadata: Metadata, isShown: (name: string) => boolean): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => isShown(name)));

/** Returns metadata without the names and values that contain a hidden address or number, at every depth. */
function withoutHidden(metadata: Metadata, hidden: readonly IsHidden[]): Metadata {
  if (hidden.length === 0) return metadata;
  const isHidden = (text: string): boolean => hidden.some((hides) => hides(text));
  const shown = (value: unknown): unknown => {
    if (typeof value === 'string' || typeof value === 'number') return isHidden(String(value)) ? undefined : value;
    if (Array.isArray(value)) return value.map(shown).filter((entry) => entry !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, entry]) => [name, isHidden(name) ? undefined : shown(entry)]);
    return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined));
  };
  return shown(metadata) as Metadata;
}

/** Returns a function that recognises a text with an e-mail address, or with one of the account that has no dot. */
function isEmailOf({ email, new_email, identities }: User): IsHidden {
  const own = [email, new_email, ...identities.map((identity) => identity.email)].filter((address) => !!address);
  const known = own.map((address) => String(address).toLowerCase());
  return (text) => EMAIL.test(text) || known.some((address) => text.toLowerCase().includes(address));
}

/** Returns a function that recognises a text with a phone number of the account, in any spelling of its digits. */
function isPhoneOf({ phone, new_phone, factors = [] }: User): IsHidden {
  const known = [phone, new_phone, ...factors.map((factor) => factor.phone)].filter((number) => !!number);
  return (text) => known.some((number) => text.replace(/\D/g, '').includes(String(number)));
}
