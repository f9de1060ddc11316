import type { PurposeChapter, ScreensChapter } from './description.ts';
import type { CallFigures } from './observed.ts';
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

export interface Source {
  /** "catalogue", "setting", "code". */
  kind: 'catalogue' | 'setting' | 'code';
  /** What it is, in words. */
  label: string;
  /** The SQL that shows it or sets it. */
  sql?: string;
}

export interface EntitiesChapter {
  entities: Entity[];
  relations: Relation[];
  /** By the entities that they join. */
  junctions: Junction[];
  /** Foreign keys that exposed views show, by view, then by the key. */
  shown_keys: ShownKey[];
  sources: Source[];
}

export interface Entity {
  /** The qualified name as SQL takes it, quoted where it must be: `public.tickets`, `public."Order lines"`. */
  id: string;
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table';
  /** Reachable over /rest/v1. */
  exposed: boolean;
  comment: string | null;
  owner: string;
  row_level_security: boolean;
  /** Row-level security binds the owner too. */
  forced_row_level_security: boolean;
  /** Views: whose rights decide about the tables beneath; null for all others. */
  security: 'owner' | 'invoker' | null;
  /** Views that keep what is written through them within what they show; absent where none does. */
  check_option?: 'local' | 'cascaded';
  /** Views that ask their own condition before any of the caller's; absent for all others. */
  security_barrier?: true;
  /** Tables whose rows are gone after the server failed (UNLOGGED); absent for all others. */
  unlogged?: true;
  /** Which writes PostgreSQL takes at all, by its structure: a view may take none. */
  writable: { insert: boolean; update: boolean; delete: boolean };
  primary_key: string[];
  unique_keys: string[][];
  /** Keys WITHOUT OVERLAPS: of rows that are alike in `fields`, no two overlap in `period`. Absent where there is none. */
  period_keys?: { fields: string[]; period: string }[];
  fields: Field[];
  /** What calls may read with its rows beside its fields: functions of a row, by name; absent where there is none. */
  computed?: ComputedField[];
  /** Triggers of the app's own, by name. */
  triggers: EntityTrigger[];
  /** Rewrite rules, by name, but a view's own query; absent where there is none. */
  rewrite_rules?: { name: string; enabled: boolean; sql: string }[];
  /** Ids of the tables it inherits from. */
  inherits: string[];
  /** How many partitions hold its rows; 0 for all but partitioned tables. */
  partitions: number;
  /** Views: their query. */
  definition: string | null;
  /** The extension that made it. */
  extension: string | null;
  /** Live figures, not part of the hash. */
  figures?: { rows_estimate: number; size_bytes: number };
}

export interface ComputedField {
  name: string;
  /** Read like a field, `select=full_title`, or embedded as related rows, `select=others(*)`. */
  as: 'field' | 'relationship';
  /** What it answers. */
  type: string;
  /** Id of the function: chapter 6 says who may read it, chapter 7 what it does. */
  function: string;
}

export interface EntityTrigger {
  name: string;
  enabled: boolean;
  sql: string;
  /** It fires where rows arrive by replication, too; absent where it does not. */
  in_replicas?: true;
  /** Absent where there is none. */
  comment?: string;
}

export interface Field {
  name: string;
  /** As PostgreSQL prints it: text, numeric(10,2), uuid[]. */
  type: string;
  /** Domains: the type beneath; null for all others. */
  base_type: string | null;
  nullable: boolean;
  /** The expression; of a generated field, what it is generated from. */
  default: string | null;
  generated: 'stored' | 'virtual' | null;
  /** Of a view that takes writes: it shows an expression, and no call may give it; absent for all others. */
  computed?: true;
  identity: 'always' | 'by default' | null;
  enum_values: string[] | null;
  /** Of a composite type, also beneath a domain or in an array: what a value consists of; absent for all others. */
  attributes?: Attribute[];
  /**
   * What its texts are sorted and compared by, where that is not the database's own; absent otherwise. `equal`: which texts are equal
   * although they are spelled otherwise, "that differ in upper and lower case alone"; absent where only the same are.
   */
  collation?: { name: string; equal?: string };
  /** How its numbers are counted, "from 1 to 100, then none (2200H)"; absent where from 1 upwards, or not at all. */
  numbering?: string;
  /** The field's own, else that of its type or of one beneath it. */
  comment: string | null;
  /** Further comments, of its type and of those beneath it; absent where there is none. */
  type_comments?: string[];
  /** The field that it points to, by the first foreign key that has it. */
  references: { schema: string; entity: string; field: string } | null;
}

/** A part of a value of a composite type. */
export interface Attribute {
  name: string;
  type: string;
  comment?: string;
  /** What it consists of itself; absent where it does not, and of types that hold one another so many times that it is not told. */
  attributes?: Attribute[];
}

export interface Relation {
  name: string;
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
  kind: 'many-to-one' | 'one-to-one';
  /** The last of the fields is a range, all of which the rows that it points to cover together; absent for all others. */
  period?: true;
  /** `nothing` where the key is not enforced there: NOT ENFORCED, or its triggers on that table are switched off. */
  on_delete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default' | 'nothing';
  /** The fields that are emptied, or set to their default; absent where it is all of them, or none. */
  on_delete_fields?: string[];
  /** What happens when the key that is pointed to changes; absent where such a change is refused. */
  on_update?: 'cascade' | 'set null' | 'set default' | 'nothing';
}

/**
 * A table, or a view of one, whose rows each join a row of one entity to a row of another: calls embed each of the two in the other, and views
 * that show what is pointed to in their place.
 */
export interface Junction {
  /** The names of its two foreign keys. */
  name: string;
  /** Ids of the entities that it joins, which may be the same. */
  from: string;
  to: string;
  /** Id of the table or the view. */
  through: string;
}

/**
 * One end of a foreign key as a view shows it. Calls embed through the view as through the table beneath: whatever has the other end, the
 * table there or a view of it, and the view embed each other.
 */
export interface ShownKey {
  /** Id of the view. */
  view: string;
  /** The end that it shows: the fields that point, or those that they point to. */
  shows: 'from' | 'to';
  /** The foreign key. */
  name: string;
  /** What the view calls its fields, in the order of the key; one that it shows several times under each name. */
  fields: string[][];
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
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

export type Operation = 'select' | 'insert' | 'update' | 'delete' | 'execute';
export type Verdict = 'always' | 'when' | 'never';

export interface RolesChapter {
  roles: RoleEntry[];
  cells: RoleCell[];
  /** Every policy of the entities in `cells`, by entity and name. */
  policies: PolicyEntry[];
  /** What is granted on what the app's owner makes from now on, by exposed schema: tables, then functions. */
  from_now_on: { id: string; words: string }[];
  /** What could be better, by weight, then by what it is on. */
  advice: AdviceEntry[];
  sources: Source[];
}

/** Something that the catalogue shows to be unsafe, slow or without effect, with the SQL that mends it. */
export interface AdviceEntry {
  /** Stable: what it is about, and on what: `no row-level security: public.tickets`. */
  id: string;
  about: AdviceKind;
  /** What comes of it: more is let through than is meant, calls take longer, or something is there without effect. */
  weight: 'risk' | 'slow' | 'idle';
  /** Id of the entity or the function. */
  on: string;
  /** Names of the policies of `on` that it is about. */
  policies: string[];
  /** What is so, and what comes of it. */
  words: string;
  /** Run as the app's owner, or as whom `words` name, it takes the advice away; what calls are answered stays, unless `words` say otherwise. */
  sql: string;
}

export type AdviceKind =
  | 'no row-level security'
  | 'view as its owner'
  | 'function as a superuser'
  | 'function without search_path'
  | 'call for each row'
  | 'no index'
  | 'foreign key without index'
  | 'overlapping policies'
  | 'no policy'
  | 'unreachable policy'
  | 'idle grant';

export interface RoleEntry {
  name: string;
  /** What the page says: "anon: no session". */
  meaning: string;
  /** The role of members (ninefold.roles) that it stands for; null for a role of the database. */
  member_role: string | null;
  bypasses_row_level_security: boolean;
  /** Of a role of members; when the specification was made. */
  figures?: RoleFigures;
}

export interface RoleFigures {
  /** How many members have the role. */
  members: number;
}

export interface RoleCell {
  role: string;
  /** Id of an entity ("public.tickets"), or of a function for execute ("public.close_ticket(uuid)"). */
  entity: string;
  operation: Operation;
  verdict: Verdict;
  /** "own row (user_id is the member)", "3 of 9 fields", or the policy's expression; empty for always and never. */
  words: string;
  /** Why: "no policy lets it through", … */
  reason: string;
  /** Names of the entity's policies that were looked at, permissive first. */
  policies: string[];
  /** Fields the grant is limited to; null where it covers all. */
  columns: string[] | null;
}

export interface PolicyEntry {
  /** Id of the entity it is on. */
  entity: string;
  name: string;
  permissive: boolean;
  command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  /** "public" stands for every role. */
  roles: string[];
  using: string | null;
  check: string | null;
  /** What it lets through, in words: its comment where it has one. */
  words: string;
  /** The whole CREATE POLICY statement. */
  sql: string;
  /** The app's functions that it calls, with what they do; absent where it calls none. */
  functions?: { id: string; body: string }[];
}

export interface CallsChapter {
  calls: CallEntry[];
  /** What calls on rows take and answer: the same for every entity, so it is said once. */
  rows: RowCall[];
  /** Functions of extensions in exposed schemas: callable, and counted here instead of listed. */
  extension_functions: { extension: string; schema: string; functions: number }[];
  /** Every function of the app, whether calls reach it or triggers, policies and other functions do; by schema and name. */
  functions: FunctionEntry[];
  /** How calls are answered: settings but those that bound a number, which are limits of chapter 9. */
  settings: CallSetting[];
  sources: Source[];
}

/** What a function is and does. */
export interface FunctionEntry {
  /** "public.close_ticket(uuid)". */
  id: string;
  kind: 'function' | 'procedure' | 'aggregate' | 'window function';
  /** With their defaults: "ticket uuid, by integer DEFAULT 1". */
  arguments: string;
  /** What it answers, as PostgreSQL prints it; empty for a procedure. */
  returns: string;
  language: string;
  /** What PostgreSQL takes for granted: that it changes nothing (stable), or always answers alike (immutable). */
  volatility: 'immutable' | 'stable' | 'volatile';
  /** The role with whose rights it runs; null for those of whoever calls. */
  runs_as: string | null;
  /** It answers null at once where an argument is null. */
  strict: boolean;
  /** ALTER FUNCTION … SET, `name=value`. */
  settings: string[];
  comment: string | null;
  /** Triggers by which it runs on tables that chapter 3 leaves out, such as auth.users; absent where there is none. */
  triggers?: { on: string; name: string; enabled: boolean; sql: string }[];
  /** The code; empty where PostgreSQL shows none. */
  body: string;
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
  /** Id of the entity or function it reaches; null for auth calls, and the one that describes the others (`rest.describe`). */
  entity: string | null;
  /** The setting that switches it off; null where none does. */
  setting: string | null;
  /** Roles for which it is not "never". */
  roles: string[];
  /** Of functions: it runs in a transaction in which nothing may be written; where it writes, 405 (25006). Absent where it may write. */
  reads_only?: true;
  /** Null for calls on rows: `rows` of the chapter and the fields of the entity tell (`takenBy` of call-detail.ts). */
  parameters: CallParameter[] | null;
  /** What comes back, in words and types; null for calls on rows. */
  returns: string | null;
  /** Live figures of the last hour, day and week, not part of the hash; absent where the call was not made. */
  figures?: { hour: CallFigures; day: CallFigures; week: CallFigures };
}

/** What all calls on rows with one method have in common. */
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
