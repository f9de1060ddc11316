import type { PurposeChapter, ScreensChapter } from './description.ts';
import type { CallsChapter } from './specification-calls.ts';
import type { EntitiesChapter } from './specification-entities.ts';
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
  /** Sorted by entity, then by the order of its fields, then by name. */
  rules: Rule[];
  sources: Source[];
}

/** A condition on rows. Unless stated otherwise, a rule on a field is satisfied by null. */
export interface Rule {
  /** Stable within the app: entity, the field if the rule is about only one, name. */
  id: string;
  /** Id of the entity whose rows must satisfy the rule. */
  entity: string;
  /** The name of the constraint, index, domain or type; "required" if there is none. */
  name: string;
  kind: 'required' | 'type' | 'check' | 'primary key' | 'unique' | 'reference' | 'exclusion';
  fields: string[];
  /** "title is 3 to 120 characters"; the comment of the constraint if it has one. */
  words: string;
  /** True if the words are a comment. */
  commented: boolean;
  /** The rule as PostgreSQL prints it. */
  sql: string;
  applies_to: 'all rows' | 'new and changed rows' | 'no row';
  /** The SQLSTATE of PostgreSQL's error for a violation. */
  sqlstate: string;
}

export interface ErrorsChapter {
  /** Sorted by group in the order of `errorGroups`; within a group by entity or function, then by code. */
  errors: ErrorLine[];
  sources: Source[];
}

/**
 * The origin of an error: a rule of the app, a transition of a state machine, a RAISE, or the protocols and Ninefold
 * itself.
 */
export type ErrorGroup = 'rule' | 'transition' | 'function' | 'rest' | 'auth' | 'postgres' | 'ninefold';

/** One error that a client of the app can get. */
export interface ErrorLine {
  /** Stable within the app: "code.PGRST116", "rule.public.tickets.title_length", "function.public.close(uuid).PT410". */
  id: string;
  group: ErrorGroup;
  /** The code in the body; null if the function computes it at run time. */
  code: string | null;
  /** The HTTP status; null if it is unknown. */
  status: number | null;
  /** The message; % stands for an inserted value; null if PostgreSQL composes it or the function computes it. */
  message: string | null;
  hint: string | null;
  meaning: string;
  /** What the client should do. */
  action: string;
  /** What the app should say to its member. */
  member: string;
  /** The id of a rule of chapter 5, of an entity with a state machine, or of a function; null for the protocols. */
  origin: string | null;
  /** The name in chapter 9 of the exceeded limit, if the code has only one. */
  limit: string | null;
  /** The SQL of the rule, or the RAISE. */
  sql: string | null;
  /** Why the error may not reach the caller, such as "may be caught within the function"; null if there is no such reason. */
  caveat: string | null;
  /** The path of its page on this node. */
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
  /** ISO 8601. */
  last_at: string;
  /** Request ids, newest first. GET /admin/v1/apps/:ref/traces/:id returns their traces. */
  last_requests: string[];
}

export interface LimitsChapter {
  /** Sorted by group in the order of `limitGroups` of limits.ts; limits of the database come last. */
  limits: LimitLine[];
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
  /** Live figures, not part of the hash. Absent if no request exceeded the limit in the last week. */
  figures?: ErrorFigures & {
    /** A member's id, or a client's address. */
    last_caller: string | null;
  };
}
