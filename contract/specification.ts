import type { PurposeChapter, ScreensChapter } from './description.ts';
import type { CallsChapter } from './specification-calls.ts';
import type { EntitiesChapter } from './specification-entities.ts';
import type { RolesChapter } from './specification-roles.ts';
import type { Source } from './specification-source.ts';
import type { StatesChapter } from './states.ts';

/**
 * The specification of an app: one value, derived from the live system. Chapters that are not derived yet
 * are absent. Order is stable: entities, functions and calls sort by schema and name, fields by position, roles
 * with anon, authenticated, the roles of members and service_role first.
 */
export interface Specification {
  app: { ref: string; name: string };
  /**
   * SHA-256 over the chapters, hex. Figures that change with the data are not part of it.
   */
  hash: string;
  /** When its live figures were read, ISO 8601; absent of a version and of an export, which have none. */
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
  /** By entity, in the order of its fields, then by name. */
  rules: Rule[];
  sources: Source[];
}

/** What a row must be like. A rule about a field is kept where the field has no value, unless it says otherwise. */
export interface Rule {
  /** Stable within the app: entity, field where it is one field's alone, name. */
  id: string;
  /** Id of the entity whose rows it binds. */
  entity: string;
  /** Of the constraint, index, domain or type; "required" where it has no name of its own. */
  name: string;
  kind: 'required' | 'type' | 'check' | 'primary key' | 'unique' | 'reference' | 'exclusion';
  fields: string[];
  /** "title is 3 to 120 characters"; the comment of the constraint where it has one. */
  words: string;
  /** The words are those of a comment. */
  commented: boolean;
  /** As PostgreSQL writes it. */
  sql: string;
  applies_to: 'all rows' | 'new and changed rows' | 'no row';
  /** What PostgreSQL answers when it is broken. */
  sqlstate: string;
}

export interface ErrorsChapter {
  /** By group, in the order of `errorGroups`; within one by entity or function, then code. */
  errors: ErrorLine[];
  sources: Source[];
}

/** What an error comes from: a rule of the app, a passage of a state machine, a RAISE, or the protocols and Ninefold itself. */
export type ErrorGroup = 'rule' | 'transition' | 'function' | 'rest' | 'auth' | 'postgres' | 'ninefold';

/** One error that a client of the app can get. */
export interface ErrorLine {
  /** Stable within the app: "code.PGRST116", "rule.public.tickets.title_length", "function.public.close(uuid).PT410". */
  id: string;
  group: ErrorGroup;
  /** What the body carries; null where the function computes it while it runs. */
  code: string | null;
  /** Null where it cannot be told. */
  status: number | null;
  /** The message that is sent; % stands for a value that is put into it; null where it is PostgreSQL's own or is computed. */
  message: string | null;
  hint: string | null;
  meaning: string;
  /** What the client should do. */
  action: string;
  /** What the app should say to its member. */
  member: string;
  /** Whose it is: the id of a rule of chapter 5, of an entity with a state machine, or of a function; null for the protocols. */
  origin: string | null;
  /** Chapter 9's name of the limit that was hit, where the code says so. */
  limit: string | null;
  /** The SQL behind it: the rule, or the RAISE. */
  sql: string | null;
  /** What cannot be told of it: "may be caught within the function". */
  caveat: string | null;
  /** The path of its page on this node. */
  page: string;
  /** Live, not part of the hash; absent where it was not met within the last week. */
  figures?: ErrorFigures;
}

/** How often something was met. The counts are of the last hour, to ten minutes, of the last day and of the last week. */
export interface ErrorFigures {
  hour: number;
  day: number;
  week: number;
  /** The last 24 hours, oldest first. */
  hours: number[];
  /** ISO 8601. */
  last_at: string;
  /** Request ids, the newest first: GET /admin/v1/apps/:ref/calls/:id tells their stories. */
  last_requests: string[];
}

export interface LimitsChapter {
  /** By group, in the order of `limitGroups` of limits.ts; what the database itself sets comes last. */
  limits: LimitLine[];
  sources: Source[];
}

/** One number that bounds the app. */
export interface LimitLine {
  /** The name in limits.ts, or for a number of the database's own: "database.max_connections". */
  id: string;
  group: string;
  unit: 'bytes' | 'seconds' | 'milliseconds' | 'hours' | 'days' | 'count' | 'characters';
  meaning: string;
  default: number | null;
  /** What is in force; null for no limit. */
  value: number | null;
  /** The least and the most that it may be set to; null where it may not be changed or any number goes. */
  range: [number, number] | null;
  /** Where the value in force comes from. */
  set_in: 'setting' | 'environment' | 'database' | 'code';
  /** Who may change it and by what: the key of an app setting, an environment variable, or SQL; null where nobody may. */
  change: { by: 'setting' | 'environment' | 'sql'; key: string } | null;
  /** Whether the setting that changes it may be null: no limit. */
  may_be_unlimited: boolean;
  /** The code that whoever hits it is answered with. */
  code: string | null;
  /** Live, not part of the hash; absent where nobody hit it within the last week. */
  figures?: ErrorFigures & {
    /** A member's id, or a client's address. */
    last_who: string | null;
  };
}
