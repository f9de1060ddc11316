import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ImportedHashes, ImportPreview, ImportSource, RefusedRecord } from '../../../contract/member-imports.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { hashMilliseconds, passwordScheme } from '../passwords/passwords.ts';
import { failImport, hasWholeFile, type PreparedRecord, readParts, storeHashes, storeRecords } from './import-store.ts';
import { type AccountForms, importedAccount, RefusedAccount } from './imported-account.ts';
import { makeMembers } from './make-members.ts';
import { type FirebaseHashes, type ImportRecord, readRecords } from './sources.ts';

/** Maximum number of kinds that are counted, because a hostile file may have a kind for each account. */
const MAX_KINDS = 1000;

/** A file that is imported. */
export interface ImportedFile {
  readonly id: string;
  readonly source: ImportSource;
  readonly fileName: string;
  readonly hashes: FirebaseHashes | null;
}

/** The maximum number of records and of bytes that are sent to the database at once. */
const BATCH_RECORDS = 500;
const BATCH_BYTES = 1024 * 1024;

const recordsOf = (database: Database, { id, source, fileName, hashes }: ImportedFile): AsyncGenerator<ImportRecord> =>
  readRecords(source, readParts(database, id), { isSql: !/\.csv$/i.test(fileName), hashes });

/** Converts a record into the form in which the import stores it: a prepared record or a refusal. */
function prepare(record: ImportRecord, forms: AccountForms): PreparedRecord | RefusedRecord {
  const { line } = record;
  if ('refused' in record) return { line, subject: null, reason: record.refused };
  if ('identity' in record) {
    const { userId, provider, providerId, data } = record.identity;
    return { line, userId, json: JSON.stringify({ provider, provider_id: providerId, data }) };
  }
  try {
    return { line, json: importedAccount(record.draft, forms, randomUUID) };
  } catch (error) {
    if (!(error instanceof RefusedAccount)) throw error;
    const subject = (record.draft.email || record.draft.phone || record.draft.id || '').slice(
      0,
      limits.emailCharacters.default,
    );
    return { line, subject: subject.replace(/[\p{Cc}\p{Cs}]/gu, '') || null, reason: error.message };
  }
}

/**
 * Imports a file that has been uploaded completely: prepares every record, then creates all members at once. If
 * something fails, the reason is stored in the import and no member is created.
 * @param openLong Returns connections for the transaction that creates the members, which may take minutes.
 * @param assertHeld Rejects if the lock of the app's imports is lost. Another worker may then run the import again.
 */
export async function runImport(
  database: Database,
  openLong: () => Database,
  file: ImportedFile,
  forms: AccountForms,
  assertHeld: () => Promise<void>,
): Promise<void> {
  try {
    await prepareAll(database, file, forms, assertHeld);
    await assertHeld();
    const long = openLong();
    await makeMembers(long, file.id).finally(() => long.close());
  } catch (error) {
    await assertHeld();
    await failImport(database, file.id, failureOf(error));
    if (!(error instanceof SyntaxError || error instanceof DatabaseError)) throw error;
  }
}

async function prepareAll(
  database: Database,
  file: ImportedFile,
  forms: AccountForms,
  assertHeld: () => Promise<void>,
): Promise<void> {
  if (!(await hasWholeFile(database, file.id))) {
    throw new SyntaxError('PostgreSQL crashed and lost the uploaded file. Nothing was imported: begin a new import.');
  }
  let records: PreparedRecord[] = [];
  let refusals: RefusedRecord[] = [];
  let bytes = 0;
  const kinds = new HashKinds();
  const store = async () => {
    await assertHeld();
    await storeRecords(database, file.id, records, refusals);
    [records, refusals, bytes] = [[], [], 0];
  };
  for await (const record of recordsOf(database, file)) {
    const prepared = prepare(record, forms);
    if ('json' in prepared) {
      records.push(prepared);
      bytes += prepared.json.length;
      if ('draft' in record && record.draft.passwordHash) kinds.add(record.draft.passwordHash);
    } else refusals.push(prepared);
    if (records.length + refusals.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) await store();
  }
  await store();
  await storeHashes(database, file.id, kinds.list());
}

function failureOf(error: unknown): string {
  if (error instanceof SyntaxError) return error.message;
  if (!(error instanceof DatabaseError))
    return 'The import failed for a reason of the node. Nothing was imported: run it again.';
  const rule = error.fields.constraint ? ` (${error.fields.constraint})` : '';
  return `A rule or a trigger of the app refused an account, so nothing was imported: ${error.message}${rule}`;
}

/**
 * Returns the first records of a file as they would be imported. Reads only the part of the file that has been
 * uploaded.
 */
export async function previewImport(
  database: Database,
  file: ImportedFile,
  forms: AccountForms,
): Promise<ImportPreview> {
  const records: ImportPreview['records'][number][] = [];
  try {
    for await (const record of recordsOf(database, file)) {
      if ('identity' in record) continue;
      records.push(shown(record, forms));
      if (records.length === limits.importPreviewRecords.default) break;
    }
    return { records, failure: null };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { records, failure: error.message };
  }
}

function shown(
  record: Exclude<ImportRecord, { identity: unknown }>,
  forms: AccountForms,
): ImportPreview['records'][number] {
  const prepared = prepare(record, forms);
  const nothing = {
    email: null,
    phone: null,
    password: null,
    password_milliseconds: null,
    confirmed: false,
    providers: [],
  };
  if (!('json' in prepared)) {
    return { ...nothing, line: prepared.line, email: prepared.subject, refused: prepared.reason };
  }
  const account = JSON.parse(prepared.json) as {
    email: string | null;
    phone: string | null;
    password_hash: string | null;
    email_confirmed_at: string | null;
    phone_confirmed_at: string | null;
    app_metadata: { providers?: unknown };
  };
  const { email, phone, password_hash: hash, app_metadata: app } = account;
  return {
    line: prepared.line,
    email,
    phone,
    password: hash && passwordScheme(hash),
    password_milliseconds: hash ? roundedMilliseconds(hash) : null,
    confirmed: (account.email_confirmed_at ?? account.phone_confirmed_at) !== null,
    providers: Array.isArray(app.providers) ? app.providers.map(String) : [],
    refused: null,
  };
}

/** Counts the password hashes of an import by algorithm and cost. */
class HashKinds {
  readonly #accounts = new Map<string, ImportedHashes>();

  /** Counts a hash. Ignores a hash that cannot be verified. */
  add(hash: string): void {
    const algorithm = passwordScheme(hash);
    if (algorithm === null) return;
    const milliseconds = roundedMilliseconds(hash);
    const key = `${algorithm} ${milliseconds}`;
    const known = this.#accounts.get(key);
    if (known === undefined && this.#accounts.size >= MAX_KINDS) return;
    const is_costly = milliseconds >= limits.costlyHashMilliseconds.default;
    this.#accounts.set(key, { algorithm, milliseconds, accounts: (known?.accounts ?? 0) + 1, is_costly });
  }

  /** Returns the kinds whose accounts together cost most. */
  list(): ImportedHashes[] {
    const total = ({ accounts, milliseconds }: ImportedHashes) => accounts * milliseconds;
    return [...this.#accounts.values()].sort((a, b) => total(b) - total(a)).slice(0, limits.importHashKinds.default);
  }
}

/** Returns the expected processor time of verifying a hash in whole milliseconds, at least 1. */
const roundedMilliseconds = (hash: string): number => Math.max(1, Math.round(hashMilliseconds(hash) ?? 0));
