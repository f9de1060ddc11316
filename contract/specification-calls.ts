/** Chapter 7 of the specification: every call that the app answers. */
import type { Source } from './specification-source.ts';

export interface CallsChapter {
  calls: CallEntry[];
  /** Parameters and results of calls on rows. They are the same for every entity, so they are listed once. */
  rows: RowCall[];
  /** Functions of extensions in exposed schemas. Calls can run them, but the chapter contains only their number. */
  extension_functions: { extension: string; schema: string; functions: number }[];
  /** Every function of the app, sorted by schema and name, whether or not a call can run it. */
  functions: FunctionEntry[];
  /** Scheduled jobs, sorted by name. They run without a call. */
  jobs: JobEntry[];
  /** Types, operators and other objects that statements use and no other chapter describes; by kind and name. */
  definitions: DefinitionEntry[];
  /** Settings that affect responses. Those that set a number are left out, because they are limits of chapter 9. */
  settings: CallSetting[];
  /** Live figures, not part of the hash. Absent if no process of edge functions started in the last day. */
  figures?: {
    /** Median time that the process of the app's edge functions took to start, in milliseconds. The first call of an idle app waits for it. */
    start_ms: number;
  };
  sources: Source[];
}

/** An object of the app's database that functions, expressions and statements use. */
export interface DefinitionEntry {
  /** The kind and the name of the object: "domain public.email". */
  id: string;
  /** The kind of the object: "domain", "operator", "text search configuration". */
  kind: string;
  /** The definition of the object as PostgreSQL prints it. A value that may be secret is hidden. */
  sql: string;
}

/** A function of the app: its signature, its properties and its code. */
export interface FunctionEntry {
  /** Signature of the function: "public.close_ticket(uuid)". */
  id: string;
  kind: 'function' | 'procedure' | 'aggregate' | 'window function';
  /** The arguments with their defaults: "ticket uuid, by integer DEFAULT 1". */
  arguments: string;
  /** The result type as PostgreSQL prints it; empty for a procedure. */
  returns: string;
  language: string;
  /**
   * The volatility that the function declares. `stable`: it changes nothing. `immutable`: it also returns the same
   * result for the same arguments.
   */
  volatility: 'immutable' | 'stable' | 'volatile';
  /** The role whose privileges apply: the owner, or the role that the function's settings name; null for the caller. */
  runs_as: string | null;
  /** True if PostgreSQL returns null without running the function when an argument is null (STRICT). */
  strict: boolean;
  /** Settings of ALTER FUNCTION … SET, as `name=value`. */
  settings: string[];
  /**
   * The effects of the function's settings on the identity, row-level security or triggers, in words. Absent if there
   * are none.
   */
  effects?: string[];
  /** Whether PostgreSQL may run the function in parallel; absent for `unsafe`, which is the default. */
  parallel?: 'safe' | 'restricted';
  /**
   * True if PostgreSQL may run the function on rows before the condition of a view or a policy hides these rows; absent
   * otherwise.
   */
  leakproof?: true;
  comment: string | null;
  /**
   * Triggers that run the function on tables that chapter 3 does not contain, such as auth.users. Absent if there are
   * none.
   */
  triggers?: { on: string; name: string; enabled: boolean; sql: string }[];
  /**
   * Ids of the functions that the code names and of the entities that it reads, directly or through these functions.
   * SQL that the code builds at run time is not included. Versions of an earlier format lack `reaches`, `writes` and
   * `raises`.
   */
  reaches?: string[];
  /** Ids of the entities whose rows the code changes, directly or through these functions. */
  writes?: string[];
  /** Functions of realtime by which the code itself sends messages: "realtime.send". Absent if it sends none. */
  sends?: string[];
  /** Errors that the code raises, directly or through these functions. */
  raises?: RaisedError[];
  /** The code of the function. For an aggregate its parts; empty if PostgreSQL shows no code. */
  body: string;
}

/** An error of RAISE or ASSERT. A part that the code computes at run time is null. */
export interface RaisedError {
  sqlstate: string | null;
  /** The message, with % for each inserted value. */
  message: string | null;
}

/** A scheduled job of PostgreSQL's table cron.job. */
export interface JobEntry {
  /**
   * The name of the job; `job 3` for a job without a name. If several jobs have the same name, their roles are added.
   */
  id: string;
  /** The schedule as the app defines it: "0 3 * * *". */
  schedule: string;
  /** The schedule in words: "every day at 03:00". */
  when: string;
  command: string;
  /** The role that runs the job; null for the app's owner. */
  role: string | null;
  active: boolean;
  /** Live figures, not part of the hash. */
  figures?: JobFigures;
}

export interface JobFigures {
  /** The time of the next run in ISO 8601; null if the job is not active or has no next run. */
  next_run: string | null;
  /** The last run of the job; null before the first run. */
  last_run: JobRun | null;
  /** Number of failed runs since the last run that succeeded. */
  failed: number;
}

export interface JobRun {
  status: string;
  /** PostgreSQL's message about the run. */
  message: string;
  /** The time at which the run started, in ISO 8601; null before it started. */
  at: string | null;
  /** Duration of the run; null while it runs. */
  milliseconds: number | null;
}

/** A setting of the app or of PostgreSQL that affects responses. */
export interface CallSetting {
  /** The key of the app's setting, or the name of PostgreSQL's setting. */
  key: string;
  /** The value in words; a fingerprint if the value may be secret. */
  value: string;
  default: string;
  meaning: string;
  set_in: 'code' | 'setting' | 'database';
}

export interface CallEntry {
  /**
   * Id of the call, stable within the app: "rest.public.tickets.select", "auth.signup",
   * "rpc.public.close_ticket(uuid)".
   */
  id: string;
  area: 'auth' | 'rest' | 'rpc' | 'storage' | 'realtime' | 'functions';
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path below /apps/<ref>: "/rest/v1/tickets". */
  path: string;
  summary: string;
  /**
   * Id of the entity or function that the call is for. Null for auth calls, and for `rest.describe`, which describes
   * all other calls.
   */
  entity: string | null;
  /** The setting that disables the call; null if there is none. */
  setting: string | null;
  /** Roles that may make the call: their verdict in chapter 6 is not `never`. */
  roles: string[];
  /** Set only for functions: true if the call runs in a read-only transaction; absent otherwise. */
  reads_only?: true;
  /**
   * Set only for functions, according to their code: `always` if each call writes, `may` if a call can write (in a
   * branch, by calling another function, or with SQL that it builds at run time). If `reads_only` is true, PostgreSQL
   * refuses the write: 405 (25006), or 400 (0A000) for a function that is declared STABLE or IMMUTABLE.
   */
  writes?: 'always' | 'may';
  /**
   * The parameters of the call. Null for a call on rows, whose parameters follow from `rows` of the chapter and from
   * the fields of the entity.
   */
  parameters: CallParameter[] | null;
  /** The result, in words and types; null for calls on rows. */
  returns: string | null;
  /** Live figures of the last hour, day and week, not part of the hash. Absent if the call was not made. */
  figures?: { hour: CallFigures; day: CallFigures; week: CallFigures };
}

/** The parts that all calls on rows with the same method have in common. */
export interface RowCall {
  method: CallEntry['method'];
  /** The parameters of the call. A parameter named `<field>` exists once for each field of the entity. */
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

/** Figures of one call within a time window. */
export interface CallFigures {
  calls: number;
  failed: number;
  per_minute: number;
  p50_ms: number | null;
  p99_ms: number | null;
  /** Share of the calls that failed, 0 to 1. */
  failed_share: number;
  /** The time of the last call, ISO 8601. */
  last_at: string | null;
}
