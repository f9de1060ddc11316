/**
 * The response to `Prefer: explain=access` on a call of `/rest/v1`: what the database would do with one member's call,
 * and why. All facts come from the catalog or from a transaction that was rolled back.
 */
export interface AccessExplanation {
  /** The caller of the explained call: the database role, and the id of the member if the caller is one. */
  as: { role: string; user_id: string | null };
  operation: AccessOperation;
  target: { schema: string; name: string; kind: AccessTargetKind };
  outcome: AccessOutcome;
  /** The cause that decided the outcome; null for `allowed`, and if none of the causes listed here decided it. */
  cause: AccessCause | null;
  /** The cause in one sentence, with the names of the grants or policies. */
  reason: string;
  /** The privileges that the call needs, each with the roles through which the caller has it. */
  grants: ExplainedGrant[];
  /** The row-level security of the relation. Null for functions, and for relations without row-level security. */
  row_security: ExplainedRowSecurity | null;
  /** The examined rows: those that match the filters, or those of the body; at most `limits.explainedRows`. */
  rows: ExplainedRow[];
  /** True if there are more rows than the examined ones. */
  more_rows: boolean;
  /** The relations that a view reads, each with the role whose privileges apply; empty for other relations. */
  beneath: ExplainedRelation[];
  /**
   * The relations that `select` embeds, and the junctions between them. If policies hide a row of such a relation, the
   * row is missing in the response.
   */
  embedded: ExplainedRelation[];
  /** The result of the member's own call, which was executed and rolled back. */
  actual: ActualResponse;
  /** False if the actual result differs from the explanation. Do not rely on the explanation then. */
  agrees: boolean;
}

/** The operation of the call. `upsert` is an INSERT with ON CONFLICT, `execute` the call of a function. */
export type AccessOperation = 'select' | 'insert' | 'update' | 'delete' | 'upsert' | 'execute';

export type AccessTargetKind =
  | 'table'
  | 'partitioned table'
  | 'view'
  | 'materialized view'
  | 'foreign table'
  | 'function';

/**
 * - `allowed`: access control refuses none of the examined rows.
 * - `partly`: policies hide some of the rows.
 * - `hidden`: policies, or the query of a view, hide all rows from this caller, so the call succeeds without rows.
 * - `absent`: no row matches the filters for any caller.
 * - `refused`: the call fails, because the role or a privilege is missing, or because a policy, a state machine
 *   or the relation itself refuses the write.
 * - `undecided`: the result could not be determined; `reason` says why.
 */
export type AccessOutcome = 'allowed' | 'partly' | 'hidden' | 'absent' | 'refused' | 'undecided';

export type AccessCause =
  /** The role does not exist. */
  | 'role'
  /** No USAGE on the schema. */
  | 'schema_usage'
  /**
   * A privilege is missing: on the table, on a column, EXECUTE on the function, or on an object that the call uses for
   * its arguments.
   */
  | 'grant'
  /** Row-level security is enabled, and no permissive policy for the operation applies to the role. */
  | 'no_policy'
  /** A policy hides existing rows. */
  | 'policy_using'
  /** A policy refuses the new version of a row. */
  | 'policy_check'
  /**
   * The policies for SELECT refuse the new version of a row, because the call also reads rows: it has a filter, or it
   * requests `return=representation`.
   */
  | 'select_policy_on_write'
  /** The expression of a policy fails with an error. */
  | 'policy_error'
  /** A relation that the view reads or writes is the reason, or the view's own query: `beneath` shows which relation. */
  | 'beneath_view'
  /** PostgreSQL can write no row of the relation, or not a column that the call sets, whoever makes the call. */
  | 'not_writable'
  /** The view's WITH CHECK OPTION refuses the new version of a row. */
  | 'view_check'
  /** The state machine of the table refuses the change of the state. */
  | 'state_machine'
  /** service_role cannot read the rows, so nothing is known about them. */
  | 'unreadable';

export interface ExplainedGrant {
  privilege: 'USAGE' | 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'EXECUTE';
  /**
   * The object of the privilege: `schema public`, `table public.notes`, `function public.add(integer, integer)`,
   * `sequence public.numbers`.
   */
  on: string;
  /** The purpose of the privilege in the call: `to name what is in the schema`, `for the default of rate`, … */
  needed: string;
  held: boolean;
  /**
   * Columns that the call names and on which the role has no privilege; empty if the privilege is granted, or does not
   * depend on columns.
   */
  missing_columns: string[];
  /** The grantees whose grants give the privilege: the role itself, roles that it inherits from, PUBLIC. */
  through: string[];
}

export interface ExplainedRowSecurity {
  enabled: boolean;
  /** True if row-level security applies to the owner of the relation too. */
  forced: boolean;
  /** True if row-level security applies to the role of the caller. */
  binds: boolean;
  /** Why row-level security does not apply; null if it applies. */
  reason: string | null;
  /** The policies of the relation, the permissive policies first. */
  policies: ExplainedPolicy[];
}

export interface ExplainedPolicy {
  name: string;
  /**
   * True for a permissive policy. For a row to pass, at least one permissive policy and every restrictive policy must
   * be true.
   */
  permissive: boolean;
  command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  roles: string[];
  /** True if the policy applies to the role of the caller. */
  applies: boolean;
  using: string | null;
  check: string | null;
}

export interface ExplainedRow {
  /** The primary key of the row, and the values of the columns that the policies name, as PostgreSQL prints them. */
  row: Record<string, string | null>;
  result: 'passes' | 'hidden' | 'refused' | 'undecided';
  checks: ExplainedCheck[];
}

/** The policies of one command, evaluated on the existing or on the new version of a row. */
export interface ExplainedCheck {
  policies_for: 'select' | 'insert' | 'update' | 'delete';
  /**
   * The version of the row. If an existing version fails, the row is hidden. If a new version fails, the write is
   * refused.
   */
  of: 'existing' | 'new';
  /** Why PostgreSQL evaluates these policies, if this is not obvious: `because the call gives rows back`. */
  because: string | null;
  /** True if the policies let the row pass; null if an expression failed with an error. */
  passes: boolean | null;
  policies: CheckedPolicy[];
}

export interface CheckedPolicy {
  name: string;
  permissive: boolean;
  /** The evaluated expression, as PostgreSQL prints it. */
  expression: string;
  /** The expression in words; SQL where it has none. */
  words: string;
  /** The expression with the values of the row and of the caller. */
  filled: string;
  /** Result of the expression; null for NULL, which counts as false. */
  result: boolean | null;
  /** PostgreSQL's error, if the expression failed. */
  error: { code: string; message: string } | null;
  /** How the conditions are joined; null for a single condition. */
  joined_by: 'and' | 'or' | null;
  /** The outermost conditions of the expression. */
  conditions: CheckedCondition[];
}

export interface CheckedCondition {
  expression: string;
  /** The condition in words, as chapter 6 has it; SQL where it has none. */
  words: string;
  filled: string;
  /**
   * The values of the row and of the caller in the condition, by the expressions that they replace, as PostgreSQL
   * prints them.
   */
  values: Record<string, string | null>;
  result: boolean | null;
  error: { code: string; message: string } | null;
}

export interface ExplainedRelation {
  schema: string;
  name: string;
  kind: AccessTargetKind;
  /** The role whose privileges apply: the view's owner, or the caller if the view has security_invoker. */
  as_role: string;
  grant: ExplainedGrant;
  row_security: ExplainedRowSecurity | null;
}

export interface ActualResponse {
  /** HTTP status of the call. */
  status: number;
  /** PostgREST's code or the SQLSTATE; null for success. */
  code: string | null;
  message: string | null;
  /** Number of returned or written rows; null for an error. */
  rows: number | null;
}
