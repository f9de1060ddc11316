/** Chapter 7 of the specification: every call that the app answers. */
import type { Source } from './specification-source.ts';

export interface CallsChapter {
  calls: CallEntry[];
  /** Parameters and results of calls on rows. They are the same for every entity, so they are listed once. */
  rows: RowCall[];
  /** Functions of extensions in exposed schemas: callable, and counted here instead of listed. */
  extension_functions: { extension: string; schema: string; functions: number }[];
  /** Every function of the app, by schema and name, whether calls, triggers, policies or other functions run it. */
  functions: FunctionEntry[];
  /** Jobs that run without a call, by name. */
  jobs: JobEntry[];
  /** Types, operators and other objects that statements use and no other chapter describes; by kind and name. */
  definitions: DefinitionEntry[];
  /** Settings that affect responses, without those that set a number, which are limits of chapter 9. */
  settings: CallSetting[];
  sources: Source[];
}

/** An object of the app's database that functions, expressions and statements use. */
export interface DefinitionEntry {
  /** "domain public.email". */
  id: string;
  /** "domain", "operator", "text search configuration". */
  kind: string;
  /** Its parts as PostgreSQL prints them. A value that may be secret is hidden. */
  sql: string;
}

/** What a function is and does. */
export interface FunctionEntry {
  /** "public.close_ticket(uuid)". */
  id: string;
  kind: 'function' | 'procedure' | 'aggregate' | 'window function';
  /** With their defaults: "ticket uuid, by integer DEFAULT 1". */
  arguments: string;
  /** The result type as PostgreSQL prints it; empty for a procedure. */
  returns: string;
  language: string;
  /** The declared volatility: no changes (stable), or the same result for the same arguments (immutable). */
  volatility: 'immutable' | 'stable' | 'volatile';
  /** The role whose privileges apply: the owner, or the role that the function's settings name; null for the caller. */
  runs_as: string | null;
  /** True if it returns null at once for a null argument. */
  strict: boolean;
  /** ALTER FUNCTION … SET, `name=value`. */
  settings: string[];
  /** Effects of settings on the identity, row-level security or triggers; absent if there are none. */
  effects?: string[];
  /** Absent where it is PostgreSQL's default, unsafe. */
  parallel?: 'safe' | 'restricted';
  /** PostgreSQL may run it on rows before the condition of a view or a policy hides them. */
  leakproof?: true;
  comment: string | null;
  /** Triggers by which it runs on tables that chapter 3 leaves out, such as auth.users; absent where there is none. */
  triggers?: { on: string; name: string; enabled: boolean; sql: string }[];
  /** The code; the parts of an aggregate; empty if PostgreSQL shows none. */
  body: string;
}

/** A scheduled job: cron.job. */
export interface JobEntry {
  /** Its name; `job 3` if it has none. Of several with one name, with their role. */
  id: string;
  /** As it was given: "0 3 * * *". */
  schedule: string;
  /** The schedule in words: "every day at 03:00". */
  when: string;
  command: string;
  /** The role as which it runs; null for the app's owner. */
  role: string | null;
  active: boolean;
  /** Not part of the hash. */
  figures?: JobFigures;
}

export interface JobFigures {
  /** ISO 8601; null if it is not active or never runs. */
  next_run: string | null;
  /** null before the first run. */
  last_run: JobRun | null;
  /** Runs that failed since the last one that succeeded. */
  failed: number;
}

export interface JobRun {
  status: string;
  /** PostgreSQL's message. */
  message: string;
  /** ISO 8601; null before it began. */
  at: string | null;
  /** null while it runs. */
  milliseconds: number | null;
}

/** A setting by which calls are answered. */
export interface CallSetting {
  /** The key of the app's setting, or of PostgreSQL's. */
  key: string;
  /** In words; of values that may be secret a fingerprint. */
  value: string;
  default: string;
  meaning: string;
  set_in: 'code' | 'setting' | 'database';
}

export interface CallEntry {
  /** Stable within the app: "rest.public.tickets.select", "auth.signup", "rpc.public.close_ticket(uuid)". */
  id: string;
  area: 'auth' | 'rest' | 'rpc';
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /apps/<ref>: "/rest/v1/tickets". */
  path: string;
  summary: string;
  /**
   * Id of the target entity or function; null for auth calls and for the call that describes the others
   * (`rest.describe`).
   */
  entity: string | null;
  /** The setting that disables the call; null if there is none. */
  setting: string | null;
  /** Roles for which it is not "never". */
  roles: string[];
  /** For functions: true if the call runs in a read-only transaction; absent otherwise. */
  reads_only?: true;
  /**
   * Of functions, as their code tells: each call writes, or may write (in a branch, by a function that it calls, or by SQL that it puts
   * together). With `reads_only` it is then refused: 405 (25006), or 400 (0A000) of a function that is declared STABLE or IMMUTABLE.
   */
  writes?: 'always' | 'may';
  /** Null for calls on rows: `rows` of the chapter and the fields of the entity tell (`takenBy` of call-detail.ts). */
  parameters: CallParameter[] | null;
  /** The result, in words and types; null for calls on rows. */
  returns: string | null;
  /** Live figures of the last hour, day and week, not part of the hash; absent where the call was not made. */
  figures?: { hour: CallFigures; day: CallFigures; week: CallFigures };
}

/** The common parts of all calls on rows with one method. */
export interface RowCall {
  method: CallEntry['method'];
  /** `<field>` stands for the fields of the entity. */
  parameters: CallParameter[];
  returns: string;
}

export interface CallParameter {
  name: string;
  in: 'query' | 'header' | 'body';
  type: string;
  required: boolean;
  meaning: string;
}

/** Of one call within a window. */
export interface CallFigures {
  calls: number;
  failed: number;
  per_minute: number;
  p50_ms: number | null;
  p99_ms: number | null;
  /** Share of the calls that failed, 0 to 1. */
  failed_share: number;
  /** ISO 8601. */
  last_at: string | null;
}
