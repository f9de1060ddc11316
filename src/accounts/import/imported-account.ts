import { createHash } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import { passwordScheme } from '../passwords/passwords.ts';
import { identifierProblem, UNSTORABLE } from '../users/identifiers.ts';
import { checkMetadata } from '../users/users.ts';

/** An identity of an account that is imported. */
export interface ImportedIdentity {
  readonly provider: string;
  /** The id of the person at the provider. */
  readonly providerId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * An account as a file describes it. The reader of each format returns such drafts, and the values are the strings of
 * the file, not yet checked.
 */
export interface AccountDraft {
  readonly id?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly passwordHash?: string | null | undefined;
  /** True if the address is confirmed but the time is unknown. */
  readonly emailConfirmed?: string | boolean | null | undefined;
  readonly phoneConfirmed?: string | boolean | null | undefined;
  readonly createdAt?: string | number | null | undefined;
  readonly lastSignInAt?: string | number | null | undefined;
  readonly bannedUntil?: string | null | undefined;
  readonly userMetadata?: Readonly<Record<string, unknown>>;
  readonly appMetadata?: Readonly<Record<string, unknown>>;
  readonly role?: string | null | undefined;
  readonly aud?: string | null | undefined;
  readonly isAnonymous?: boolean;
  /** The identities of the account, except those of its address and its phone number. */
  readonly identities?: readonly ImportedIdentity[];
}

/** The reason why an account is not imported. */
export class RefusedAccount extends Error {
  override readonly name = 'RefusedAccount';
}

/**
 * Functions that convert addresses and ids into the form in which the database stores them. They throw for an invalid
 * value.
 */
export interface AccountForms {
  readonly email: (text: string) => string;
  readonly phone: (text: string) => string;
  readonly id: (text: string) => string;
}

/** Returns a UUID that is the same for the same id of the same source (RFC 9562, version 5). */
export function uuidOf(source: string, id: string): string {
  const hash = createHash('sha1').update(`ninefold:import:${source}:${id}`).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const PRINTED_TIME = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Returns a time in ISO 8601. Accepts the format that PostgreSQL prints, ISO 8601, and milliseconds since 1970. */
function timeOf(value: string | number | boolean | null | undefined, name: string): string | null {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return null;
  const text = String(value);
  const printed = text.replace(' ', 'T').replace(/(T.*[+-]\d\d)$/, '$1:00');
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(printed) || !printed.includes('T');
  const time = /^\d{1,14}$/.test(text)
    ? new Date(Number(text))
    : new Date(PRINTED_TIME.test(text) ? printed + (hasZone ? '' : 'Z') : Number.NaN);
  if (Number.isNaN(time.getTime()) || time.getTime() > Date.UTC(9999, 0))
    throw new RefusedAccount(`${name} is no time`);
  return time.toISOString();
}

/**
 * Throws unless a text can identify a person. It is not cleaned, because two records of the file could then become one.
 * @throws RefusedAccount
 */
export function requireIdentifier(text: string, name: string): void {
  const problem = identifierProblem(text);
  if (problem !== null) throw new RefusedAccount(`${name} ${problem}`);
}

function stored(form: (text: string) => string, text: string | null | undefined, name: string): string | null {
  if (!text?.trim()) return null;
  requireIdentifier(text, `the ${name}`);
  try {
    return form(text);
  } catch {
    throw new RefusedAccount(`the ${name} is not valid`);
  }
}

function named(text: string | null | undefined, name: string): string {
  if (!text) return 'authenticated';
  if (text.length > limits.authRoleCharacters.default) throw new RefusedAccount(`the ${name} is too long`);
  return text;
}

/**
 * Returns an account as JSON in the form that `storeAccounts` takes.
 * @throws RefusedAccount with a message for a builder
 */
export function importedAccount(draft: AccountDraft, forms: AccountForms, newId: () => string): string {
  const email = stored(forms.email, draft.email, 'address');
  const phone = stored(forms.phone, draft.phone, 'phone number');
  const identities = draft.identities ?? [];
  for (const { provider, providerId } of identities) {
    requireIdentifier(provider, 'the name of a provider');
    requireIdentifier(providerId, 'the id at a provider');
  }
  if (!email && !phone && identities.length === 0 && !draft.isAnonymous) {
    throw new RefusedAccount('it has no address, no phone number and no identity');
  }
  const id = stored(forms.id, draft.id, 'id') ?? newId();
  const hash = draft.passwordHash || null;
  if (hash !== null && passwordScheme(hash) === null) {
    throw new RefusedAccount(
      'the password hash is of an unknown kind, or costs more than the limits of password hashes allow',
    );
  }
  const createdAt = timeOf(draft.createdAt, 'the time of creation');
  const confirmed = (value: AccountDraft['emailConfirmed'], name: string) =>
    value === true ? (createdAt ?? new Date().toISOString()) : timeOf(value, name);
  const hasEmailIdentity = email !== null && (hash !== null || identities.length === 0);
  const providers = [
    ...new Set([
      ...(hasEmailIdentity ? ['email'] : []),
      ...(phone ? ['phone'] : []),
      ...identities.map(({ provider }) => provider),
    ]),
  ];
  const appMetadata = { ...(providers.length > 0 && { provider: providers[0], providers }), ...draft.appMetadata };
  try {
    checkMetadata(draft.userMetadata ?? {}, appMetadata);
  } catch {
    throw new RefusedAccount('the metadata is too large');
  }
  const json = JSON.stringify({
    ...{ id, email, phone, password_hash: hash },
    email_confirmed_at: email && confirmed(draft.emailConfirmed, 'the time of the confirmation'),
    phone_confirmed_at: phone && confirmed(draft.phoneConfirmed, 'the time of the confirmation'),
    created_at: createdAt,
    last_sign_in_at: timeOf(draft.lastSignInAt, 'the time of the last sign-in'),
    banned_until: timeOf(draft.bannedUntil, 'the end of the ban'),
    user_metadata: draft.userMetadata ?? {},
    app_metadata: appMetadata,
    role: named(draft.role, 'role'),
    aud: named(draft.aud, 'audience'),
    is_anonymous: draft.isAnonymous ?? false,
    identities: identities.map(({ provider, providerId, data }) => ({ provider, provider_id: providerId, data })),
  });
  if (UNSTORABLE.test(json)) throw new RefusedAccount('it holds a NUL character or a broken surrogate pair');
  if (json.length > limits.importRecordBytes.default)
    throw new RefusedAccount('it is larger than the limit importRecordBytes');
  return json;
}
