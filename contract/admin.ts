import type { AppRole } from './least-roles.ts';
import type { RightName } from './server-rights.ts';

/**
 * Bodies and responses of the management API, `/admin/v1`: what the console and the CLI send and get.
 * docs/management-api.md lists the calls with their bodies and responses. Errors are `ApiError` with the HTTP status of
 * the entry in `contract/errors`.
 */

/** A token for calls as a member. It works for its builder, within the builder's session, until it expires. */
export interface ActingToken {
  /** Value of `x-ninefold-as`. */
  readonly token: string;
  readonly user_id: string;
  /** Time at which the token expires, in ISO 8601. */
  readonly expires_at: string;
}

export interface ApiError {
  code: string;
  message: string;
  details: unknown;
  hint: string | null;
  request_id: string;
}

export interface SetupState {
  /** True until the first builder exists. */
  needed: boolean;
  /** The key of the app `console`, whose members are the builders. The console signs in with this key. */
  publishable_key: string;
}

/**
 * A header with the value `1` that every call of the console sends. Pages of other origins cannot send it, because a
 * browser asks the node for permission first and the node never grants it. Without this header the cookie of a
 * builder's session is ignored.
 */
export const consoleHeader = 'x-ninefold-console';

export interface SignInRequest {
  email: string;
  password: string;
}

/** The builder who is signed in. */
export interface SignedInBuilder {
  name: string;
  email: string;
  /** True until the session has shown the builder's second factor. All other calls are refused until then. */
  needs_second_factor: boolean;
  /** True for a builder without a second factor on a node that requires one. All other calls are refused. */
  must_add_second_factor: boolean;
  /**
   * ISO 8601: the time from which `must_add_second_factor` is true for a builder without a second factor; null if there
   * is no such time, or if the builder has a second factor.
   */
  second_factor_due: string | null;
  /** True for an owner of the node. */
  owns_node: boolean;
}

/** A builder of the node, as the operator sees it. */
export interface Builder {
  id: string;
  name: string;
  email: string;
  /** True for a builder who owns the node. */
  is_owner: boolean;
  /** True for a builder who may create apps. */
  creates_apps: boolean;
  has_second_factor: boolean;
  /** Time of the last sign-in in ISO 8601; null before the first sign-in. */
  last_sign_in_at: string | null;
  /** Time of the last call in ISO 8601, to a few minutes; null before the first call. */
  last_seen_at: string | null;
  /**
   * The builder's role on each app, by the ref of the app. An owner of the node is also an owner of all apps that are
   * not listed.
   */
  apps: Readonly<Record<string, AppRole>>;
}

export interface BuilderPasswordRequest {
  email: string;
  /** The new password. */
  password: string;
}

export interface SetupRequest {
  /** The token of the one-time link, `/setup#token=…`. */
  token: string;
  name: string;
  email: string;
  password: string;
}

export interface NodeStatus {
  url: string;
  version: string;
  node_version: string;
  postgres: { version: string; embedded: boolean; connections: number; max_connections: number };
  /** The rights of a superuser that the node's login lacks on the server; empty for a superuser. */
  missing_rights: readonly RightName[];
  /** Maintenance URL of the database server; only for the operator token, else null. */
  database_url: string | null;
  workers: number;
  /** Time at which the node started, in ISO 8601. */
  started_at: string;
  /** Lines of the log that could not be written since the node started, for example because the disk was full. */
  lost_log_lines: number;
  apps: AppSummary[];
}

export interface AppSummary {
  ref: string;
  name: string;
  url: string;
  /** Time at which the app was created, in ISO 8601. */
  created_at: string;
  /**
   * Size of the database in bytes. Lists contain it only with `sizes=true`, because PostgreSQL then reads the size of
   * every file of every database.
   */
  size_bytes?: number;
  /**
   * True if the database lacks an update of Ninefold's schema, so that its calls fail with `app_outdated`; absent
   * otherwise.
   */
  outdated?: true;
  /** The PostgreSQL server of the app, if it is not that of the console. */
  server?: string;
}

export interface CreateAppRequest {
  ref: string;
  /** The name of the app, which the console shows; by default the ref. */
  name?: string;
  /** The HS256 secret of an existing project, at least 32 characters; by default a new secret. */
  jwt_secret?: string;
  /** The PostgreSQL server of the app: a ref of `GET /servers`; by default the one with the fewest apps. */
  server?: string;
  /** Only for the operator: the name of an existing database of the server, which becomes the database of the app. */
  database?: string;
  /** Only together with `database`: the role of calls without a token. */
  anon_role?: string;
  /**
   * False if calls reach new tables, sequences and functions of the schema public only after a GRANT; by default true. Cannot be used
   * together with `database`.
   */
  expose_new_tables?: boolean;
  /** The name of a template in templates.ts. By default, the app is empty. Cannot be used together with `database`. */
  template?: string;
}

export interface CloneAppRequest {
  /** The ref of the new app. */
  ref: string;
  name?: string;
}

export interface RenameAppRequest {
  name: string;
}

export interface DeleteAppRequest {
  /** The ref of the app, as a confirmation. */
  confirm: string;
}

/**
 * The addresses and keys of an app. Secrets are only in responses to the operator and in the response that creates the
 * app, and otherwise empty. `database_url` is only for the operator, and otherwise null.
 */
export interface AppConnection {
  ref: string;
  name: string;
  /** URL of the app's API, for every kind of client. */
  url: string;
  /** The app's own origin, for browsers; null if no host name leads to the app. */
  origin: string | null;
  publishable_key: string;
  /**
   * The secret key; empty unless the caller is the operator or the response creates the app. The same is true for
   * `service_role_key` and `jwt_secret`.
   */
  secret_key: string;
  anon_key: string;
  service_role_key: string;
  jwt_secret: string;
  database_url: string | null;
  /** The secrets that the caller may reveal, by their ids for `/api-keys/:id/reveal`. */
  reveals: ('secret' | 'service_role' | 'jwt-secret')[];
}

/** An API key of an app, without the key. */
export interface ApiKeyEntry {
  /** A UUID; `publishable`, `secret`, `anon` or `service_role` for a key that was created together with the app. */
  id: string;
  name: string;
  kind: 'publishable' | 'secret';
  /** The first characters of the key. */
  hint: string;
  /** Time of creation in ISO 8601; null for a key that was created together with the app. */
  created_at: string | null;
  /** Time of revocation in ISO 8601; null while the key is valid. */
  revoked_at: string | null;
  /**
   * The day of the last use: YYYY-MM-DD, in UTC; null if no use is stored. A use is stored some seconds after it
   * happened.
   */
  last_used_on: string | null;
  /** Number of uses in the last 30 days. */
  uses: number;
}

export interface CreateApiKeyRequest {
  name: string;
}

export interface CreatedApiKey extends ApiKeyEntry {
  key: string;
}

export interface RevealedApiKey {
  key: string;
}

export interface Activity {
  /** The last 24 hours, oldest first, one element per hour. Hours without requests are included with zeros. */
  hours: { at: string; calls: number; failed: number }[];
  today: { calls: number; failed: number; p50_ms: number | null; p99_ms: number | null; per_minute: number };
  members: number;
  sessions: number;
  health: { name: string; ok: boolean; text: string }[];
}

/** The number of an app's sign-ins in the last days, including the current day in UTC. */
export interface SignInCounts {
  days: number;
  /**
   * Number of sign-ins by method: password, mail, phone, passkey, anonymous, application, or the name of a provider.
   * Methods without a sign-in are absent.
   */
  ways: Readonly<Record<string, number>>;
}

/** The statements run in one transaction, unless they control transactions themselves. */
export interface SqlRequest {
  sql: string;
}

/** A part of a script that was not executed as written. */
export interface ScriptWarning {
  /** Number of the line, counted from 1. */
  line: number;
  column: number;
  message: string;
}

export interface SqlResponse {
  /** One element per executed statement. */
  results: SqlResult[];
  warnings: ScriptWarning[];
  /** The duration of all statements together: PostgreSQL sends the results of a script after it has run completely. */
  duration_ms: number;
}

export interface SqlResult {
  /** PostgreSQL's command tag for the statement: SELECT 12, CREATE TABLE. */
  command: string;
  columns: { name: string; type: string }[];
  /** Values as PostgreSQL prints them; null for SQL NULL. */
  rows: (string | null)[][];
  row_count: number;
  /** True if the result has more rows than the limit sqlRows allows. */
  truncated: boolean;
}

export interface SqlFailure {
  sqlstate: string;
  message: string;
  detail: string | null;
  hint: string | null;
  /**
   * 1-based offset of the error in the SQL that was sent, in characters. This is the place that PostgreSQL reports. If
   * it reports none, it is the line of the DO block, or else the beginning of the statement. `position`, `line`,
   * `column` and `excerpt` are null if the statement is unknown.
   */
  position: number | null;
  line: number | null;
  column: number | null;
  /** The line of the SQL with the error, and below it a caret at the place of the error. */
  excerpt: string | null;
  /** The functions in which the error occurred, the innermost first, as PostgreSQL prints its context. */
  where: string | null;
  /** Index of the failed statement, counted from 0. */
  statement: number;
}

export interface MigrateRequest {
  /** The migration files in the order of application. `name` is the file's name without its folder. */
  files: { name: string; sql: string }[];
  /**
   * The seed: the text of seed.sql, or several seed files in their order, each with its path in the project. Each file
   * runs once, after the migrations.
   */
  seed?: string | { name: string; sql: string }[];
}

export interface MigrateResponse {
  applied: string[];
  skipped: string[];
  /** The seed files that ran. */
  seeded: string[];
  warnings: MigrationWarning[];
}

export interface MigrationWarning extends ScriptWarning {
  file: string;
}

/** The details of `migration_failed`. */
export interface MigrationFailure extends SqlFailure {
  file: string;
  /** The files that were applied before the failure. */
  applied: readonly string[];
  /**
   * Warnings about the applied files. Also contains those warnings about the failed file that do not depend on whether
   * the file ran.
   */
  warnings: MigrationWarning[];
}

/** A setting of an app, by the names of PostgREST's and GoTrue's configuration. */
export interface SettingEntry {
  key: string;
  /** The current value; null for a secret. */
  value: unknown;
  /** True if a value is set; false if the default applies. */
  is_set: boolean;
  /** True for a secret such as a password. It is stored encrypted and never shown. */
  is_secret: boolean;
  default: unknown;
  /** The allowed values, in words. */
  type: string;
  /** The only allowed values; null if every value of the type is allowed. */
  values: readonly unknown[] | null;
  meaning: string;
}

/** Whether a sign-in of an app may redirect to an address, and why. */
export interface RedirectDecision {
  /** The address as browsers parse it; null if it is refused. */
  address: string | null;
  /**
   * Why the address is allowed: it is on the site (`site_url`), on the app's own origin, on the member's own machine,
   * or an entry of `uri_allow_list` matches it. Null for a refused address.
   */
  by: 'site' | 'origin' | 'loopback' | 'entry' | null;
  /** The first entry of `uri_allow_list` that matches; null if the address is refused, or allowed without an entry. */
  entry: string | null;
  /**
   * Why the address is refused; null for an allowed one. `node`: an address of the node, below which other apps are
   * served. `network address`: an IP address, which no entry can allow.
   */
  refusal: 'too long' | 'malformed' | 'scheme' | 'user name' | 'node' | 'network address' | 'not listed' | null;
}

/** A key for access tokens, without its private half. */
export interface SigningKeyEntry {
  kid: string;
  alg: 'ES256' | 'RS256' | 'EdDSA' | 'HS256';
  /**
   * The `current` key signs new tokens. Tokens of `standby` and `previous` keys are accepted, tokens of `revoked` keys
   * are not.
   */
  state: 'standby' | 'current' | 'previous' | 'revoked';
  /** Time of creation in ISO 8601; null for a key that was created together with the app. */
  created_at: string | null;
  /** Time at which the state of the key last changed. */
  changed_at: string | null;
}

/** Adds keys. Set at most one of the fields; without a field, Ninefold creates an ES256 key. */
export interface AddSigningKeysRequest {
  /** A private JWK, or a JWKS of private keys: HS256 (oct), ES256, RS256, EdDSA (Ed25519). */
  jwk?: Readonly<Record<string, unknown>>;
  /** Creates a key for this algorithm instead of importing one. */
  alg?: 'ES256' | 'RS256' | 'EdDSA';
}

export interface RotateKeysRequest {
  /**
   * Id of the key that becomes the current one. By default the newest standby key, or a new ES256 key if there is none.
   */
  kid?: string;
}

export interface SessionRow {
  id: string;
  user_id: string;
  email: string | null;
  created_at: string;
  refreshed_at: string | null;
  /** The time at which the session ends if it is not used before then; null if it does not end. */
  ends_at: string | null;
  ip: string | null;
  user_agent: string | null;
  /** `user_agent` in words: the device of the session. */
  device: string;
  aal: string;
  /** How the member proved who they are, most recent first; `timestamp` in seconds since 1970. */
  amr: readonly { readonly method: string; readonly timestamp: number }[];
}
