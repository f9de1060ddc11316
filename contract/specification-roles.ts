/** Chapter 6 of the specification: who may do what. */
import type { FileOperation } from './specification-files.ts';
import type { Source } from './specification-source.ts';

export type Operation = 'select' | 'insert' | 'update' | 'delete' | 'execute';

export type Verdict = 'always' | 'when' | 'never';

export interface RolesChapter {
  roles: RoleEntry[];
  cells: RoleCell[];
  /** The rights of each role on the files of each bucket of chapter 3. Absent if the app has no files. */
  files?: FileCell[];
  /** The rights to receive the changes of each table that realtime reports. Absent if the app does not use realtime. */
  changes?: ChangeCell[];
  /** The rights on the topics of private channels. Absent if the app does not use realtime. */
  topics?: TopicCell[];
  /** The rights to call each edge function. Absent if the app has none. */
  edge_functions?: EdgeFunctionCell[];
  /**
   * Every policy of the app. The policies of the entities in `cells` come first, followed by those of other schemas
   * such as storage.
   */
  policies: PolicyEntry[];
  /** Default privileges of new tables, sequences and functions of the app's owner, by exposed schema. */
  default_privileges: { id: string; words: string }[];
  /** Possible improvements, by severity, then by the object. */
  advice: AdviceEntry[];
  sources: Source[];
}

/** A finding in the catalog that is unsafe, slow or without effect, with the SQL fix. */
export interface AdviceEntry {
  /** Stable id of the finding: its kind and its object, as in `no row-level security: public.tickets`. */
  id: string;
  about: AdviceKind;
  /**
   * The kind of effect. `fault`: calls fail. `security`: access is wider than intended. `performance`: calls take
   * longer. `unused`: an object has no effect.
   */
  severity: 'fault' | 'security' | 'performance' | 'unused';
  /** Id of the entity, function or job that has the finding. */
  on: string;
  /** Names of the policies of `on` that the finding is about. */
  policies: string[];
  /** The finding and its effect. */
  words: string;
  /**
   * SQL that fixes the finding. Run it as the app's owner, or as the role that `words` name. Responses to calls stay
   * the same, unless `words` say otherwise.
   */
  sql: string;
}

export type AdviceKind =
  | 'policies in a circle'
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
  | 'idle grant'
  | 'setting that changes the rights'
  | 'status without machine'
  | 'transition that no member can take'
  | 'update that a SELECT policy refuses'
  | 'job that fails'
  | 'auth hook that fails';

export interface RoleEntry {
  name: string;
  /** A short description, as the page shows it: "anon: no session". */
  meaning: string;
  /** The role of members (ninefold.roles) that the entry describes; null for a role of the database. */
  member_role: string | null;
  bypasses_row_level_security: boolean;
  /** Figures of a role of members at the time when the specification was derived. */
  figures?: RoleFigures;
}

export interface RoleFigures {
  /** Number of members with the role. */
  members: number;
}

export interface RoleCell {
  role: string;
  /** Id of an entity ("public.tickets"), or of a function for execute ("public.close_ticket(uuid)"). */
  entity: string;
  operation: Operation;
  verdict: Verdict;
  /**
   * The condition in words: "own row (by user_id)", "3 of 9 fields", or the policy's expression. Empty for the verdicts
   * `always` and `never`.
   */
  words: string;
  /** The reason for the verdict: "no policy lets it through", … */
  reason: string;
  /**
   * For the verdict `never`: the code of the error that the call returns. Absent if the call succeeds without finding a
   * row.
   */
  code?: string;
  /** Names of the examined policies of the entity, permissive ones first. */
  policies: string[];
  /** The fields to which the privilege is limited; null if it covers all fields. */
  columns: string[] | null;
}

export interface PolicyEntry {
  /** Id of the entity to which the policy belongs. */
  entity: string;
  name: string;
  permissive: boolean;
  command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  /** The roles of the policy; "public" stands for every role. */
  roles: string[];
  using: string | null;
  check: string | null;
  /** The rows that the policy allows, in words. */
  words: string;
  /** The comment on the policy; absent if it has none. */
  comment?: string;
  /** The complete CREATE POLICY statement. */
  sql: string;
  /** The app's functions that the policy calls, with their code. Absent if it calls none. */
  functions?: { id: string; body: string }[];
}

/** The right of a role to one operation on the files of a bucket. */
export interface FileCell {
  role: string;
  /** Id of the bucket. */
  bucket: string;
  operation: FileOperation;
  verdict: Verdict;
  /** The condition in words, without the bucket; empty for the verdicts `always` and `never`. */
  words: string;
  reason: string;
  /** Names of the policies on storage.objects that decide. */
  policies: string[];
}

/**
 * The right of a role to receive the changes of a published table. It receives inserts and updates of rows that it may
 * read afterwards, and updates and deletes of rows that it could read before.
 */
export interface ChangeCell {
  role: string;
  /** Id of the published table. */
  entity: string;
  verdict: Verdict;
  /** The condition in words; empty for the verdicts `always` and `never`. */
  words: string;
  reason: string;
  /** Names of the policies for SELECT that decide. */
  policies: string[];
  /** The fields that the role receives; null for all published fields. */
  columns: string[] | null;
}

/** The right of a role to call an edge function, by any method and path. */
export interface EdgeFunctionCell {
  role: string;
  /** Name of the function. */
  edge_function: string;
  operation: 'execute';
  verdict: Verdict;
  /** The condition in words; empty for the verdicts `always` and `never`. */
  words: string;
  reason: string;
}

/** `receive` and `send`: broadcasts. `watch` and `track`: presence. */
export const topicOperations = ['receive', 'send', 'watch', 'track'] as const;
export type TopicOperation = (typeof topicOperations)[number];

/** The operations on a private channel, in words. */
export const topicWords: Readonly<Record<TopicOperation, string>> = {
  receive: 'receive broadcasts',
  send: 'send broadcasts',
  watch: 'see presence',
  track: 'track presence',
};

/** The right of a role to one operation on private channels whose topics match a pattern. */
export interface TopicCell {
  role: string;
  /**
   * A topic, or a pattern of LIKE that the policies compare with realtime.topic(), such as `room:%`. `*` means
   * all other topics.
   */
  topic: string;
  operation: TopicOperation;
  verdict: Verdict;
  /** The condition in words; empty for the verdicts `always` and `never`. */
  words: string;
  reason: string;
  /** Names of the policies on realtime.messages that decide. */
  policies: string[];
}
