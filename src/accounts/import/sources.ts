import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { limits } from '../../../contract/limits.ts';
import type { ImportSource } from '../../../contract/member-imports.ts';
import { parseBoundedJson } from '../../limits/bounded-json.ts';
import {
  type AccountDraft,
  type ImportedIdentity,
  RefusedAccount,
  requireIdentifier,
  uuidOf,
} from './imported-account.ts';
import { readCopy } from './read-copy.ts';
import { readLines } from './read-lines.ts';
import { readObjects } from './read-objects.ts';

/**
 * A record of a file: a draft of an account, identities of an earlier account, or the reason why the record is refused.
 */
export type ImportRecord = { readonly line: number } & (
  | { readonly draft: AccountDraft }
  | { readonly identity: ImportedIdentity & { readonly userId: string } }
  | { readonly refused: string }
);

/** Parameters of the hashes of a Firebase project. */
export interface FirebaseHashes {
  readonly signerKey: string;
  readonly saltSeparator: string;
  readonly rounds: number;
  readonly memoryCost: number;
}

type Fields = Readonly<Record<string, string | null | undefined>>;

const TOO_LONG = 'it is longer than the limit importRecordBytes';
const jsonBounds = { depth: limits.authBodyDepth.default, values: limits.bodyValues.default };

/**
 * Parses a JSON object.
 * @throws RefusedAccount for anything else
 */
function object(text: string | null | undefined, name: string): Record<string, unknown> {
  if (!text) return {};
  try {
    const value = parseBoundedJson(text, jsonBounds);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The text is not valid JSON, so the end of this function refuses it.
  }
  throw new RefusedAccount(`${name} is no JSON object`);
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const isTrue = (value: string | null | undefined): boolean => /^(?:t|true|1|yes)$/i.test(value ?? '');

/** Returns the record that `make` makes, or the reason why it is refused. */
function recorded(line: number, make: () => AccountDraft): ImportRecord {
  try {
    return { line, draft: make() };
  } catch (error) {
    if (error instanceof RefusedAccount) return { line, refused: error.message };
    throw error;
  }
}

function supabaseUser(row: Fields): AccountDraft {
  if (row.deleted_at) throw new RefusedAccount('it is deleted');
  return {
    id: row.id,
    email: row.email,
    phone: row.phone,
    passwordHash: row.encrypted_password,
    emailConfirmed: row.email_confirmed_at,
    phoneConfirmed: row.phone_confirmed_at,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
    bannedUntil: row.banned_until,
    userMetadata: object(row.raw_user_meta_data, 'raw_user_meta_data'),
    appMetadata: object(row.raw_app_meta_data, 'raw_app_meta_data'),
    role: row.role,
    aud: row.aud,
    isAnonymous: isTrue(row.is_anonymous),
  };
}

function supabaseIdentity(line: number, row: Fields): ImportRecord {
  try {
    const data = object(row.identity_data, 'identity_data');
    const { user_id: userId, provider, provider_id: providerId = text(data.sub) } = row;
    if (!userId || !provider || !providerId)
      throw new RefusedAccount('the identity has no user_id, provider or provider_id');
    requireIdentifier(provider, 'the name of a provider');
    requireIdentifier(providerId, 'the id at a provider');
    return { line, identity: { userId: userId.toLowerCase(), provider, providerId, data } };
  } catch (error) {
    if (error instanceof RefusedAccount) return { line, refused: error.message };
    throw error;
  }
}

/** Returns the name that GoTrue uses for a provider of Firebase. */
const firebaseProvider = (id: string): string => id.replace(/\.com$/, '');

function firebaseUser(user: Record<string, unknown>, hashes: FirebaseHashes | null): AccountDraft {
  const localId = text(user.localId);
  if (localId === null) throw new RefusedAccount('it has no localId');
  requireIdentifier(localId, 'the localId');
  const hash = text(user.passwordHash);
  if (hash !== null && hashes === null)
    throw new RefusedAccount('its password needs the hash parameters of the project');
  const standard = (value: string) => value.replaceAll('-', '+').replaceAll('_', '/');
  const listed = Array.isArray(user.providerUserInfo) ? (user.providerUserInfo as Record<string, unknown>[]) : [];
  return {
    id: uuidOf('firebase', localId),
    email: text(user.email),
    phone: text(user.phoneNumber),
    passwordHash:
      hash &&
      hashes &&
      `$fbscrypt$v=1,n=${hashes.memoryCost},r=${hashes.rounds},p=1,ss=${hashes.saltSeparator},sk=${hashes.signerKey}$${standard(text(user.salt) ?? '')}$${standard(hash)}`,
    emailConfirmed: user.emailVerified === true,
    phoneConfirmed: text(user.phoneNumber) !== null,
    createdAt: text(user.createdAt),
    lastSignInAt: text(user.lastSignedInAt),
    bannedUntil: user.disabled === true ? '9999-01-01' : null,
    userMetadata: {
      ...(text(user.displayName) !== null && { full_name: user.displayName }),
      ...(text(user.photoUrl) !== null && { avatar_url: user.photoUrl }),
    },
    appMetadata: {
      firebase_uid: localId,
      ...(text(user.customAttributes) !== null && {
        firebase_claims: object(text(user.customAttributes), 'customAttributes'),
      }),
    },
    identities: listed.flatMap((info) => {
      const [provider, providerId] = [text(info.providerId), text(info.rawId)];
      if (provider === null || providerId === null || provider === 'password' || provider === 'phone') return [];
      const data = {
        sub: providerId,
        ...(text(info.email) !== null && { email: info.email }),
        ...(text(info.displayName) !== null && { full_name: info.displayName }),
      };
      return [{ provider: firebaseProvider(provider), providerId, data }];
    }),
  };
}

function auth0User(user: Record<string, unknown>): AccountDraft {
  const userId = text(user.user_id) ?? text((user._id as Record<string, unknown> | undefined)?.$oid);
  const email = text(user.email);
  if (userId === null && email === null) throw new RefusedAccount('it has no user_id and no email');
  requireIdentifier(userId ?? email ?? '', userId === null ? 'the address' : 'the user_id');
  const [provider, providerId] = /^([^|]+)\|(.+)$/s.exec(userId ?? '')?.slice(1) ?? [];
  const custom = user.custom_password_hash as { algorithm?: unknown; hash?: { value?: unknown } } | undefined;
  const isSocial = provider !== undefined && providerId !== undefined && !/^(?:auth0|sms|email)$/.test(provider);
  return {
    id: uuidOf('auth0', userId ?? `email:${email}`),
    email,
    phone: text(user.phone_number),
    passwordHash: text(user.passwordHash) ?? text(user.password_hash) ?? text(custom?.hash?.value),
    emailConfirmed: user.email_verified === true,
    phoneConfirmed: user.phone_verified === true,
    createdAt: text(user.created_at) ?? text((user.created_at as Record<string, unknown> | undefined)?.$date),
    lastSignInAt: text(user.last_login),
    bannedUntil: user.blocked === true ? '9999-01-01' : null,
    userMetadata: {
      ...(text(user.name) !== null && { full_name: user.name }),
      ...(user.user_metadata as Record<string, unknown> | undefined),
    },
    appMetadata: {
      ...(user.app_metadata as Record<string, unknown> | undefined),
      ...(userId !== null && { auth0_user_id: userId }),
    },
    identities: isSocial
      ? [{ provider: auth0Provider(provider), providerId, data: { sub: providerId, ...(email !== null && { email }) } }]
      : [],
  };
}

const auth0Provider = (name: string): string =>
  name === 'google-oauth2' ? 'google' : name === 'windowslive' ? 'azure' : name;

/** Returns the account of a row of a CSV file. The first row of the file contains the names of the columns. */
const csvUser = (row: Fields): AccountDraft => ({
  id: row.id,
  email: row.email,
  phone: row.phone,
  passwordHash: row.password_hash,
  emailConfirmed: row.email_confirmed_at || isTrue(row.email_confirmed),
  phoneConfirmed: row.phone_confirmed_at || isTrue(row.phone_confirmed),
  createdAt: row.created_at,
  lastSignInAt: row.last_sign_in_at,
  bannedUntil: row.banned_until,
  userMetadata: { ...(row.name && { full_name: row.name }), ...object(row.user_metadata, 'user_metadata') },
  appMetadata: object(row.app_metadata, 'app_metadata'),
});

/**
 * Returns the rows of a CSV file.
 * @throws SyntaxError for a file that is not CSV or that contains no address
 */
async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  draft: (row: Fields) => AccountDraft,
): AsyncGenerator<ImportRecord> {
  const parser = parse({
    bom: true,
    columns: (names: string[]) => {
      if (!names.some((name) => /^(?:email|phone)$/i.test(name.trim()))) {
        throw new SyntaxError('The first row must name the columns, one of which is email or phone.');
      }
      return names.map((name) => name.trim().toLowerCase());
    },
    info: true,
    max_record_size: limits.importRecordBytes.default,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  pipeline(Readable.from(chunks, { objectMode: false }), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: Fields;
      info: { lines: number; error?: { code: string } };
    }>) {
      const line = info.lines;
      yield info.error
        ? { line, refused: 'it has another number of fields than the first row' }
        : recorded(line, () => draft(record));
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')
      ? new SyntaxError(error.message)
      : error;
  }
}

async function* readJson(
  lines: AsyncIterable<{ number: number; bytes: Buffer | null }>,
  draft: (user: Record<string, unknown>) => AccountDraft,
): AsyncGenerator<ImportRecord> {
  for await (const { number, bytes } of lines) {
    if (bytes === null) yield { line: number, refused: TOO_LONG };
    else if (bytes.toString('utf8').trim() !== '') {
      yield recorded(number, () => draft(object(bytes.toString('utf8').trim(), 'the line')));
    }
  }
}

async function* readSupabaseDump(chunks: AsyncIterable<Buffer>): AsyncGenerator<ImportRecord> {
  for await (const { line, table, values } of readCopy(chunks, limits.importRecordBytes.default)) {
    if (values === null) yield { line, refused: 'it is too long, or has another number of values than columns' };
    else if (table === 'users') yield recorded(line, () => supabaseUser(values));
    else yield supabaseIdentity(line, values);
  }
}

/**
 * Returns the records of a file.
 * @param isSql For a file of Supabase: true for an SQL dump, false for CSV.
 * @throws SyntaxError for a file that cannot be read at all
 */
export function readRecords(
  source: ImportSource,
  chunks: AsyncIterable<Buffer>,
  options: { readonly isSql: boolean; readonly hashes: FirebaseHashes | null },
): AsyncGenerator<ImportRecord> {
  const max = limits.importRecordBytes.default;
  switch (source) {
    case 'supabase':
      return options.isSql ? readSupabaseDump(chunks) : readCsv(chunks, supabaseUser);
    case 'firebase':
      return readJson(readObjects(chunks, max), (user) => firebaseUser(user, options.hashes));
    case 'auth0':
      return readJson(readLines(chunks, max), auth0User);
    case 'csv':
      return readCsv(chunks, csvUser);
  }
}
