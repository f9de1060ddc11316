/** The systems from which accounts can be imported. Each has its own format of export. */
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
  /** Required to import passwords from Firebase. */
  readonly firebase?: FirebaseHashParameters;
}

export interface MemberImport {
  readonly id: string;
  readonly source: ImportSource;
  readonly file_name: string;
  /** Number of bytes of the file that have arrived. */
  readonly bytes: number;
  readonly state: 'receiving' | 'running' | 'done' | 'failed';
  /** Number of records that the import has read from the file. */
  readonly read: number;
  /** Number of accounts that the import has made members. */
  readonly imported: number;
  /** Number of accounts in the file that were members before the import. */
  readonly present: number;
  readonly refused: number;
  /**
   * The kinds of password hashes in the file, the costliest of all accounts first; at most as many as the limit
   * importHashKinds.
   */
  readonly hashes: readonly ImportedHashes[];
  /** Why nothing was imported; null if the import did not fail. */
  readonly failure: string | null;
  readonly created_by: string;
  /** Time at which the import began, in ISO 8601. */
  readonly created_at: string;
}

/** The password hashes of one algorithm and one cost. */
export interface ImportedHashes {
  readonly algorithm: string;
  /** Expected processor time of one sign-in in milliseconds. */
  readonly milliseconds: number;
  /** Number of accounts in the file with such a hash. */
  readonly accounts: number;
  /** True if a sign-in with such a hash counts towards the limit costlyHashSeconds. */
  readonly is_costly: boolean;
}

/** Returns a sentence about the hashes, such as “bcrypt: 12 accounts, 1,920 ms each, costly”. */
export const hashesInWords = ({ algorithm, milliseconds, accounts, is_costly }: ImportedHashes): string =>
  `${algorithm}: ${accounts.toLocaleString('en')} ${accounts === 1 ? 'account' : 'accounts'}, ${milliseconds.toLocaleString('en')} ms for the first sign-in${is_costly ? ' (costly)' : ''}`;

/** A record of the file, such as one account, that did not become a member. */
export interface RefusedRecord {
  /** Line of the file on which the record begins; in a CSV file, the line on which it ends. */
  readonly line: number;
  /** The address or id of the account; null if the record has neither. */
  readonly subject: string | null;
  readonly reason: string;
}

/** The first records of a file, in the form in which the import would read them. */
export interface ImportPreview {
  readonly records: readonly {
    readonly line: number;
    readonly email: string | null;
    readonly phone: string | null;
    /** The algorithm that hashed the password; null if the account has no password. */
    readonly password: string | null;
    /** Expected processor time of a sign-in with this hash in milliseconds; null if the account has no password. */
    readonly password_milliseconds: number | null;
    readonly confirmed: boolean;
    readonly providers: readonly string[];
    /** Why the import would refuse the record; null if it would accept it. */
    readonly refused: string | null;
  }[];
  /** Why the file cannot be read; null if it can. */
  readonly failure: string | null;
}

/** Maximum number of bytes of the file in one request. */
export const partBytes = 4 * 1024 * 1024;

/** Matches strings that a spreadsheet would run as a formula. They get an apostrophe in front. */
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

/**
 * Reads hash parameters as JSON, or in the form in which the Firebase console shows them: `hash_config { algorithm:
 * SCRYPT, … }`. Returns null if a parameter is missing.
 */
export function readHashParameters(text: string): FirebaseHashParameters | null {
  const value = (name: string) => new RegExp(`"?${name}"?\\s*:\\s*"?([A-Za-z0-9+/=]*)`).exec(text)?.[1];
  const [base64_signer_key, base64_salt_separator] = [value('base64_signer_key'), value('base64_salt_separator')];
  const [rounds, mem_cost] = [Number(value('rounds')), Number(value('mem_cost'))];
  if (!base64_signer_key || base64_salt_separator === undefined || !rounds || !mem_cost) return null;
  return { base64_signer_key, base64_salt_separator, rounds, mem_cost };
}
