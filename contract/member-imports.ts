/** The systems whose exports of accounts can be imported. */
export const importSources = ['supabase', 'firebase', 'auth0', 'csv'] as const;

export type ImportSource = (typeof importSources)[number];

/** The hash parameters of a Firebase project (Authentication, Users, Password hash parameters). */
export interface FirebaseHashParameters {
  readonly base64_signer_key: string;
  readonly base64_salt_separator: string;
  readonly rounds: number;
  readonly mem_cost: number;
}

export interface BeginImportRequest {
  readonly source: ImportSource;
  readonly file_name: string;
  /** Needed for passwords of Firebase. */
  readonly firebase?: FirebaseHashParameters;
}

export interface MemberImport {
  readonly id: string;
  readonly source: ImportSource;
  readonly file_name: string;
  /** Bytes of the file that have arrived. */
  readonly bytes: number;
  readonly state: 'receiving' | 'running' | 'done' | 'failed';
  /** Records that were read. */
  readonly read: number;
  /** Accounts that became members. */
  readonly imported: number;
  /** Accounts that were members already. */
  readonly present: number;
  readonly refused: number;
  /** Why nothing was imported. */
  readonly failure: string | null;
  readonly created_by: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A record of a file that did not become a member. */
export interface RefusedRecord {
  /** On which line of the file it begins, or ends in CSV. */
  readonly line: number;
  /** Its address or id. */
  readonly subject: string | null;
  readonly reason: string;
}

/** The first records of a file, as they would be imported. */
export interface ImportPreview {
  readonly records: readonly {
    readonly line: number;
    readonly email: string | null;
    readonly phone: string | null;
    /** How the password is hashed; null without a password. */
    readonly password: string | null;
    readonly confirmed: boolean;
    readonly providers: readonly string[];
    /** Why it would be refused. */
    readonly refused: string | null;
  }[];
  /** Why the file cannot be read. */
  readonly failure: string | null;
}

/** Bytes of a file that a client sends at once. */
export const partBytes = 4 * 1024 * 1024;

/** A text that a spreadsheet takes for a formula begins with one of these. */
const FORMULA = /^[=+\-@\t\r]/;

const csvField = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** Returns the report of an import as CSV. */
export const refusalsAsCsv = (refusals: readonly RefusedRecord[]): string =>
  [
    'line,account,reason',
    ...refusals.map(({ line, subject, reason }) => [line, csvField(subject ?? ''), csvField(reason)].join(',')),
  ]
    .map((row) => `${row}\r\n`)
    .join('');

/** Reads hash parameters as JSON, or as the console of Firebase shows them: `hash_config { algorithm: SCRYPT, … }`. Returns null if one is missing. */
export function readHashParameters(text: string): FirebaseHashParameters | null {
  const value = (name: string) => new RegExp(`"?${name}"?\\s*:\\s*"?([A-Za-z0-9+/=]*)`).exec(text)?.[1];
  const [base64_signer_key, base64_salt_separator] = [value('base64_signer_key'), value('base64_salt_separator')];
  const [rounds, mem_cost] = [Number(value('rounds')), Number(value('mem_cost'))];
  if (!base64_signer_key || base64_salt_separator === undefined || !rounds || !mem_cost) return null;
  return { base64_signer_key, base64_salt_separator, rounds, mem_cost };
}
