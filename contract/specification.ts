import type { BackupFigures } from './backup.ts';
import type { PurposeChapter, ScreensChapter } from './description.ts';
import type { RightName } from './server-rights.ts';
import type { CallsChapter } from './specification-calls.ts';
import type { EntitiesChapter } from './specification-entities.ts';
import type { FileRule } from './specification-files.ts';
import type { RolesChapter } from './specification-roles.ts';
import type { Source } from './specification-source.ts';
import type { StatesChapter } from './states.ts';

/**
 * The specification of an app as one value, derived from the live system. Chapters that are not derived yet are absent.
 * The order is stable: entities, functions and calls are sorted by schema and name, and fields by position. Roles begin
 * with anon, authenticated, the roles of members and service_role.
 */
export interface Specification {
  app: { ref: string; name: string };
  /** SHA-256 of the chapters in hexadecimal digits. It does not include figures that change with the data. */
  hash: string;
  /**
   * When the live figures were read, ISO 8601. Absent for a stored version and an export, which contain no live
   * figures.
   */
  figures_at?: string;
  chapters: Chapters;
}

/** The chapters that are derived, by their key in `chapters.ts`. */
export interface Chapters {
  purpose?: PurposeChapter;
  screens?: ScreensChapter;
  entities?: EntitiesChapter;
  states?: StatesChapter;
  rules?: RulesChapter;
  roles?: RolesChapter;
  calls?: CallsChapter;
  errors?: ErrorsChapter;
  limits?: LimitsChapter;
}

export interface RulesChapter {
  /** Rules, sorted by entity, then by the order of its fields, then by name. */
  rules: Rule[];
  /** The rules of the buckets of chapter 3, sorted by bucket. Absent if the app has no files. */
  files?: FileRule[];
  sources: Source[];
}

/** A condition on rows. Unless stated otherwise, a rule on a field is satisfied by null. */
export interface Rule {
  /**
   * Id of the rule, stable within the app: the entity, then the field if the rule is about a single field, then the
   * name.
   */
  id: string;
  /** Id of the entity whose rows must satisfy the rule. */
  entity: string;
  /** The name of the constraint, index, domain or type; "required" for a NOT NULL constraint without a name. */
  name: string;
  kind: 'required' | 'type' | 'check' | 'primary key' | 'unique' | 'reference' | 'exclusion' | 'files';
  fields: string[];
  /** The rule in words, derived from its SQL: "title is 3 to 120 characters". */
  words: string;
  /** The comment on the constraint, which the response to a violation contains as the hint; null if it has none. */
  comment: string | null;
  /** The rule as PostgreSQL prints it. */
  sql: string;
  /** `no row`: PostgreSQL does not check the rule. `uploads`: forms check it, and the limits of the bucket. */
  applies_to: 'all rows' | 'new and changed rows' | 'no row' | 'uploads';
  /** The SQLSTATE of PostgreSQL's error for a violation. */
  sqlstate: string;
}

export interface ErrorsChapter {
  /** Errors, sorted by group in the order of `errorGroups`; within a group by entity or function, then by code. */
  errors: ErrorLine[];
  sources: Source[];
}

/**
 * The origin of an error: a rule of the app, a transition of a state machine, a RAISE, or the protocols and Ninefold
 * itself.
 */
export type ErrorGroup =
  | 'rule'
  | 'transition'
  | 'function'
  | 'rest'
  | 'auth'
  | 'storage'
  | 'realtime'
  | 'functions'
  | 'postgres'
  | 'ninefold';

/** One error that a client of the app can get. */
export interface ErrorLine {
  /**
   * Id of the error, stable within the app: "code.PGRST116", "rule.public.tickets.title_length",
   * "function.public.close(uuid).PT410".
   */
  id: string;
  group: ErrorGroup;
  /** The code in the body of the response; null if the function computes it at run time. */
  code: string | null;
  /** The usual HTTP status of the response; null if it is not known. */
  status: number | null;
  /** All HTTP statuses that responses with this error can have, the usual one first. `caveat` says when. */
  statuses: number[];
  /** The message; % stands for an inserted value; null if PostgreSQL composes it or the function computes it. */
  message: string | null;
  hint: string | null;
  meaning: string;
  /** What the client should do. */
  action: string;
  /** The sentence that the app should show to its member. */
  member: string;
  /**
   * Where the error comes from: the id of a rule of chapter 5, of an entity with a state machine, or of a function;
   * null for the protocols.
   */
  origin: string | null;
  /** The name of the exceeded limit in chapter 9; null if the code belongs to no limit, or to several. */
  limit: string | null;
  /** The SQL of the rule, or the RAISE statement. */
  sql: string | null;
  /** Why the error may not reach the caller, such as "not while no trigger that is switched on runs it"; null if there is no such reason. */
  caveat: string | null;
  /** The path of the page about the error on this node. */
  page: string;
  /** Live figures, not part of the hash. Absent if the error did not occur in the last week. */
  figures?: ErrorFigures;
}

/** How often an error occurred, in the last hour (rounded to ten minutes), the last day and the last week. */
export interface ErrorFigures {
  hour: number;
  day: number;
  week: number;
  /** Number of errors in each of the last 24 hours, oldest first. */
  hours: number[];
  /** Time of the last occurrence in ISO 8601. */
  last_at: string;
  /** Request ids, newest first. GET /admin/v1/apps/:ref/traces/:id returns their traces. */
  last_requests: string[];
}

export interface LimitsChapter {
  /** Limits, sorted by group in the order of `limitGroups` of limits.ts. Limits of the database come last. */
  limits: LimitLine[];
  /** The rights of a superuser that the node's login lacks on its server; absent for a superuser. */
  missing_rights?: readonly RightName[];
  /** The backups of the node; absent if it takes none. */
  figures?: BackupFigures;
  sources: Source[];
}

/** One number that limits the app. */
export interface LimitLine {
  /** The name in limits.ts, or for a limit of the database: "database.max_connections". */
  id: string;
  group: string;
  unit: 'bytes' | 'seconds' | 'milliseconds' | 'hours' | 'days' | 'count' | 'characters';
  meaning: string;
  default: number | null;
  /** The current value; null for no limit. */
  value: number | null;
  /** The minimum and the maximum; null if the limit cannot be changed or every number is allowed. */
  range: [number, number] | null;
  /** The source of the current value. */
  set_in: 'setting' | 'environment' | 'database' | 'code';
  /** How the limit can be changed: by the key of an app setting, an environment variable, or SQL; null if it cannot. */
  change: { by: 'setting' | 'environment' | 'sql'; key: string } | null;
  /** True if the setting may be null, which means no limit. */
  may_be_unlimited: boolean;
  /** The error code for a request that exceeds the limit. */
  code: string | null;
  /**
   * Live figures, not part of the hash. Absent if no request exceeded the limit in the last week, and the use is not
   * known. Without such a request, the counts are 0.
   */
  figures?: Omit<ErrorFigures, 'last_at'> & {
    /** Time of the last occurrence in ISO 8601; null if there was none in the last week. */
    last_at: string | null;
    /** How much of the limit the app uses at the moment, in its unit; null if it is not known. */
    used: number | null;
    /** The last caller who exceeded the limit: the id of a member, or the address of a client. */
    last_caller: string | null;
  };
}
