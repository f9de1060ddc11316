/**
 * The specification of an app: one value, derived from the live system. Chapters that are not derived yet
 * are absent. Order is stable: entities, fields, roles and calls sort by schema and name, fields by position.
 */
export interface Specification {
  app: { ref: string; name: string };
  /** SHA-256 over the chapters, hex; figures that change with the data are not part of it. */
  hash: string;
  chapters: {
    entities?: EntitiesChapter;
    roles?: RolesChapter;
    calls?: CallsChapter;
  };
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
  sources: Source[];
}

export interface Entity {
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table';
  /** Reachable over /rest/v1. */
  exposed: boolean;
  comment: string | null;
  row_level_security: boolean;
  primary_key: string[];
  fields: Field[];
  /** Live figures, not part of the hash. */
  figures?: { rows_estimate: number; size_bytes: number };
}

export interface Field {
  name: string;
  /** As PostgreSQL prints it: text, numeric(10,2), uuid[]. */
  type: string;
  nullable: boolean;
  default: string | null;
  generated: 'stored' | 'virtual' | null;
  identity: 'always' | 'by default' | null;
  enum_values: string[] | null;
  comment: string | null;
  /** The field that it points to. */
  references: { schema: string; entity: string; field: string } | null;
}

export interface Relation {
  name: string;
  from: { schema: string; entity: string; fields: string[] };
  to: { schema: string; entity: string; fields: string[] };
  kind: 'many-to-one' | 'one-to-one';
  on_delete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';
}

export type Operation = 'select' | 'insert' | 'update' | 'delete' | 'execute';
export type Verdict = 'always' | 'when' | 'never';

export interface RolesChapter {
  roles: RoleEntry[];
  cells: RoleCell[];
  sources: Source[];
}

export interface RoleEntry {
  name: string;
  /** What the page says: "anon: no session". */
  meaning: string;
  bypasses_row_level_security: boolean;
}

export interface RoleCell {
  role: string;
  /** "public.tickets", or "public.close_ticket(uuid)" for execute. */
  entity: string;
  operation: Operation;
  verdict: Verdict;
  /** "own row", "3 of 9 fields", or the policy's expression; empty for always and never. */
  words: string;
  /** Why: "no grant", "row-level security is on and no policy lets it through", … */
  reason: string;
  policies: PolicyEntry[];
  /** Columns the grant is limited to; null where it covers all. */
  columns: string[] | null;
}

export interface PolicyEntry {
  name: string;
  permissive: boolean;
  command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  roles: string[];
  using: string | null;
  check: string | null;
  /** The whole CREATE POLICY statement. */
  sql: string;
}

export interface CallsChapter {
  calls: CallEntry[];
  sources: Source[];
}

export interface CallEntry {
  /** Stable within the app: "rest.public.tickets.select", "auth.signup", "rpc.public.close_ticket(uuid)". */
  id: string;
  area: 'auth' | 'rest' | 'rpc';
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /apps/<ref>: "/rest/v1/tickets". */
  path: string;
  summary: string;
  /** Roles for which it is not "never". */
  roles: string[];
  parameters: { name: string; type: string; required: boolean; meaning: string }[];
  /** What comes back, in words and types. */
  returns: string;
  snippets: { supabase_js: string; curl: string; fetch: string };
}
