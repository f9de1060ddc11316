/**
 * The answer to `Prefer: explain=access` on a call of `/rest/v1`: what the database would do with the call of one member,
 * and why. Everything in it was looked up or tried in a transaction that was taken back.
 */
export interface AccessExplanation {
  /** As whom the call was looked at: the database role, and the id of the member where it is one. */
  as: { role: string; user_id: string | null };
  operation: AccessOperation;
  target: { schema: string; name: string; kind: AccessTargetKind };
  outcome: AccessOutcome;
  /** What decided; null for `allowed` and where nothing that is looked at here did. */
  cause: AccessCause | null;
  /** The same in one sentence, with the names of the grants or policies. */
  reason: string;
  /** The privileges that the call needs, each with the grants by which it is held. */
  grants: ExplainedGrant[];
  /** Null for functions, and for relations that know no row-level security. */
  row_security: ExplainedRowSecurity | null;
  /** The rows that were looked at: those that match the filters, or those of the body; at most `limits.explainedRows`. */
  rows: ExplainedRow[];
  /** There are more rows than those that were looked at. */
  more_rows: boolean;
  /** What a view reads, each relation with the role whose rights count there; empty for anything else. */
  beneath: ExplainedRelation[];
  /** Relations that `select` embeds, and junctions on the way to them. Rows of theirs that policies hide are left out there. */
  embedded: ExplainedRelation[];
  /** What the member's own call met when it was tried, and taken back. */
  actual: ActualResponse;
  /** False where what was met is not what the explanation says: then do not rely on the explanation. */
  agrees: boolean;
}

/** `upsert` is an INSERT with ON CONFLICT, `execute` the call of a function. */
export type AccessOperation = 'select' | 'insert' | 'update' | 'delete' | 'upsert' | 'execute';

export type AccessTargetKind =
  | 'table'
  | 'partitioned table'
  | 'view'
  | 'materialized view'
  | 'foreign table'
  | 'function';

/**
 * - `allowed`: access stands in the way of no row that was looked at.
 * - `partly`: policies hide some of the rows.
 * - `hidden`: there are rows, and policies hide all of them: the call succeeds with nothing.
 * - `absent`: no row matches the filters, whoever asks.
 * - `refused`: the call fails for lack of rights.
 * - `undecided`: it could not be told; `reason` says why.
 */
export type AccessOutcome = 'allowed' | 'partly' | 'hidden' | 'absent' | 'refused' | 'undecided';

export type AccessCause =
  /** The role does not exist. */
  | 'role'
  /** No USAGE on the schema. */
  | 'schema_usage'
  /** No privilege on the table, on a column, no EXECUTE on the function, or none on what the call uses for its arguments. */
  | 'grant'
  /** Row-level security is on, and no permissive policy for the operation applies to the role. */
  | 'no_policy'
  /** A policy hides rows that are there. */
  | 'policy_using'
  /** A policy refuses a row as it would be written. */
  | 'policy_check'
  /** The policies for SELECT refuse a row as it would be written, because the call reads rows: `return=representation`, a filter. */
  | 'select_policy_on_write'
  /** An expression of a policy fails with an error. */
  | 'policy_error'
  /** A relation that the view reads. */
  | 'beneath_view'
  /** service_role cannot read the rows, so that nothing can be said of them. */
  | 'unreadable';

export interface ExplainedGrant {
  privilege: 'USAGE' | 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'EXECUTE';
  /** `schema public`, `table public.notes`, `function public.add(integer, integer)`, `sequence public.numbers`. */
  on: string;
  /** Why the call needs it: `to name what is in the schema`, `for the default of rate`, … */
  needed: string;
  held: boolean;
  /** Columns that the call names and the role has no right to; empty where the privilege is held, or is not by column. */
  missing_columns: string[];
  /** The grantees by whose grants it is held: the role itself, roles that it inherits from, PUBLIC. */
  through: string[];
}

export interface ExplainedRowSecurity {
  enabled: boolean;
  /** It binds the owner, too. */
  forced: boolean;
  /** It applies to this role. */
  binds: boolean;
  /** Why it does not bind; null where it does. */
  reason: string | null;
  /** Every policy of the relation, permissive ones first. */
  policies: ExplainedPolicy[];
}

export interface ExplainedPolicy {
  name: string;
  /** One permissive policy must hold; every restrictive one must. */
  permissive: boolean;
  command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  roles: string[];
  /** It is made for this role. */
  applies: boolean;
  using: string | null;
  check: string | null;
}

export interface ExplainedRow {
  /** Its primary key and the columns that the policies name, as PostgreSQL prints them. */
  row: Record<string, string | null>;
  result: 'passes' | 'hidden' | 'refused' | 'undecided';
  checks: ExplainedCheck[];
}

/** The policies of one command, asked of the row as it is or as it would be written. */
export interface ExplainedCheck {
  policies_for: 'select' | 'insert' | 'update' | 'delete';
  /** A row that is there and fails is hidden; a new one is refused. */
  of: 'existing' | 'new';
  /** Why they are asked, where it is not plain: `because the call gives rows back`. */
  because: string | null;
  /** Null where an expression failed with an error. */
  passes: boolean | null;
  policies: CheckedPolicy[];
}

export interface CheckedPolicy {
  name: string;
  permissive: boolean;
  /** The expression that was asked, as PostgreSQL prints it. */
  expression: string;
  /** The same with the values of the row and of the caller in it. */
  filled: string;
  /** NULL counts as not true. */
  result: boolean | null;
  /** PostgreSQL's own, where the expression failed. */
  error: { code: string; message: string } | null;
  /** How its parts are joined; null where it has one part alone. */
  joined_by: 'and' | 'or' | null;
  /** The outermost parts, each by itself. */
  conditions: CheckedCondition[];
}

export interface CheckedCondition {
  expression: string;
  filled: string;
  /** What was filled in, by how it stands in the expression, as PostgreSQL prints it. */
  values: Record<string, string | null>;
  result: boolean | null;
  error: { code: string; message: string } | null;
}

export interface ExplainedRelation {
  schema: string;
  name: string;
  kind: AccessTargetKind;
  /** Whose rights count: the view's owner, or the caller where the view has security_invoker. */
  as_role: string;
  grant: ExplainedGrant;
  row_security: ExplainedRowSecurity | null;
}

export interface ActualResponse {
  /** HTTP status. */
  status: number;
  /** PostgREST's code or the SQLSTATE; null for success. */
  code: string | null;
  message: string | null;
  /** Rows answered, or written; null for an error. */
  rows: number | null;
}
