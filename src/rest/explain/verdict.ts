import type {
  AccessCause,
  AccessOutcome,
  ActualResponse,
  ExplainedCheck,
  ExplainedGrant,
  ExplainedRelation,
  ExplainedRow,
} from '../../../contract/access.ts';
import { INSUFFICIENT_PRIVILEGE } from '../../access/refusals.ts';
import type { InspectedRows } from './inspect-rows.ts';

/** The outcome of an explanation with its reason, as one sentence. Pure. */
export interface Verdict {
  readonly outcome: AccessOutcome;
  readonly cause: AccessCause | null;
  readonly reason: string;
}

/** The facts from which a verdict is derived. */
export interface Evidence {
  readonly role: string;
  /** Name of the relation or function in SQL. */
  readonly target: string;
  readonly isView: boolean;
  /** True for an insert: the rows then come from the body. */
  readonly inserts: boolean;
  readonly grants: readonly ExplainedGrant[];
  readonly beneath: readonly ExplainedRelation[];
  readonly embedded: readonly ExplainedRelation[];
  readonly inspected: InspectedRows;
  readonly actual: ActualResponse;
}

/** Returns the verdict for a role that does not exist. */
export const noSuchRole = (role: string): Verdict => ({
  outcome: 'refused',
  cause: 'role',
  reason: `The database has no role ${role}.`,
});

/** Derives the verdict. Missing privileges come before problems with rows and policies. */
export function verdictOf(evidence: Evidence): Verdict {
  const { role, grants, beneath: underlying, embedded, inspected, isView } = evidence;
  const missing = [...grants, ...embedded.map(({ grant }) => grant)].find((grant) => !grant.held);
  if (missing) {
    const cause = missing.on.startsWith('schema ') ? 'schema_usage' : 'grant';
    return { outcome: 'refused', cause, reason: `The role ${role} has ${lacking(missing)}.` };
  }
  const closed = underlying.find(({ grant }) => !grant.held);
  if (closed) {
    const reason = `The view reads ${closed.grant.on}, and the role ${closed.as_role}, whose rights count there, has ${lacking(closed.grant)}.`;
    return { outcome: 'refused', cause: 'beneath_view', reason };
  }
  if (inspected.problem) {
    const cause = inspected.problem.code === INSUFFICIENT_PRIVILEGE ? 'unreadable' : null;
    return {
      outcome: 'undecided',
      cause,
      reason: `The rows could not be looked at: ${inspected.problem.message} (${inspected.problem.code}).`,
    };
  }
  if (isView) return verdictOfView(evidence);
  const failed = policyErrorOf(inspected);
  if (failed) {
    // PostgreSQL may not evaluate a failing expression if another expression decides first. So the verdict depends on
    // the error that the request actually had.
    const outcome = evidence.actual.code === failed.code ? 'refused' : 'undecided';
    const reason = `An expression of the policies fails: ${failed.message} (${failed.code}).`;
    return { outcome, cause: 'policy_error', reason };
  }
  return verdictOfRows(evidence);
}

function lacking({ privilege, on, missing_columns: columns, needed }: ExplainedGrant): string {
  if (columns.length === 0) return `no ${privilege} on ${on}, needed ${needed}`;
  const named = columns.length === 1 ? 'the column' : 'the columns';
  return `no ${privilege} on ${named} ${columns.join(', ')} of ${on}, needed ${needed}`;
}

/**
 * Returns the error of the expression that decides the verdict: one that fails even when there are no rows, or one that
 * fails for the first row with a failure.
 */
function policyErrorOf({ policyError, rows }: InspectedRows): InspectedRows['policyError'] {
  if (policyError) return policyError;
  const undecided = rows.find(({ result }) => result === 'undecided');
  const check = undecided?.checks.find(({ passes }) => passes === null);
  return check?.policies.find(({ error }) => error !== null)?.error ?? null;
}

function verdictOfRows({ role, target, inserts, inspected }: Evidence): Verdict {
  const { rows } = inspected;
  const refused = rows.find(({ result }) => result === 'refused');
  if (refused) return refusal(failingCheck(refused), role, target);
  if (rows.length === 0 && !inserts) return absent;
  const hidden = rows.filter(({ result }) => result === 'hidden');
  const first = hidden[0];
  if (!first) return { outcome: 'allowed', cause: null, reason: allowed(inspected, inserts) };
  const check = failingCheck(first);
  const cause = hasPermissive(check) ? 'policy_using' : 'no_policy';
  const why = hasPermissive(check)
    ? `by the policies for ${check.policies_for}${reasonFor(check)} ${failingNames(check)}`
    : `as row-level security is on for ${target} and no permissive policy for ${check.policies_for} applies to the role ${role}`;
  return {
    outcome: hidden.length === rows.length ? 'hidden' : 'partly',
    cause,
    reason: `${hiddenRows(hidden.length, rows.length, inspected.more)} hidden ${why}.`,
  };
}

function hiddenRows(hidden: number, all: number, more: boolean): string {
  const some = more ? `the first ${all} rows that match` : `${all} rows that match`;
  if (hidden < all) return `${hidden} of ${some} ${hidden === 1 ? 'is' : 'are'}`;
  return all === 1 ? 'The row that matches is' : `All of ${some} are`;
}

const absent: Verdict = {
  outcome: 'absent',
  cause: null,
  reason: 'There is no row that the call could reach, whoever makes it.',
};

function allowed({ rows }: InspectedRows, inserts: boolean): string {
  const what = inserts ? 'The rows may be written' : 'All rows that were looked at may be reached';
  const checked = rows.some(({ checks }) => checks.length > 0);
  return `${what}: the privileges are held, and ${checked ? 'the policies let them through' : 'no policy binds the role'}.`;
}

/** Returns the check because of which a row did not pass. */
function failingCheck(row: ExplainedRow): ExplainedCheck {
  const check = row.checks.find(({ passes }) => passes !== true);
  if (!check) throw new Error('a row without a failing check was not let through');
  return check;
}

const hasPermissive = (check: ExplainedCheck): boolean => check.policies.some(({ permissive }) => permissive);

const reasonFor = ({ because }: ExplainedCheck): string => (because === null ? '' : `, asked ${because},`);

/**
 * Returns the names of the policies that decided the result: the permissive policies if none of them is true, and each
 * restrictive policy that is not true.
 */
function failingNames({ policies }: ExplainedCheck): string {
  const permissive = policies.filter((policy) => policy.permissive);
  const none = permissive.every(({ result }) => result !== true);
  const restrictive = policies.filter((policy) => !policy.permissive && policy.result !== true);
  const failing = [...(none ? permissive : []), ...restrictive];
  return failing.map(({ name }) => `"${name}"`).join(', ');
}

function refusal(check: ExplainedCheck, role: string, target: string): Verdict {
  if (check.policies_for === 'select' && check.of === 'new') {
    const why = hasPermissive(check) ? failingNames(check) : `none applies to the role ${role}`;
    const reason =
      `The row may be written as far as the policies for that go, but ${check.because ?? 'as the call reads rows'} ` +
      `it must pass the policies for SELECT too, and does not: ${why}.`;
    return { outcome: 'refused', cause: 'select_policy_on_write', reason };
  }
  if (!hasPermissive(check)) {
    const reason = `Row-level security is on for ${target}, and no permissive policy for ${check.policies_for} applies to the role ${role}.`;
    return { outcome: 'refused', cause: 'no_policy', reason };
  }
  const row = check.of === 'new' ? 'the row as it would be written' : 'the row that is there already';
  const reason = `The policies for ${check.policies_for}${reasonFor(check)} refuse ${row}: ${failingNames(check)}.`;
  return { outcome: 'refused', cause: 'policy_check', reason };
}

/**
 * Returns the verdict for a view. The rows of a view are not rows of one table, so its policies cannot be evaluated.
 * The result of the request is compared with the rows that the service role sees instead.
 */
function verdictOfView({ inserts, inspected, actual, beneath: underlying }: Evidence): Verdict {
  const bound = underlying.filter(({ row_security: security }) => security?.binds);
  const tables = bound.map(({ schema, name, as_role: role }) => `${schema}.${name} (as ${role})`).join(', ');
  const beneathIt =
    bound.length > 0 ? `row-level security of ${tables}` : 'the conditions of the view, which depend on the caller';
  if (actual.code === INSUFFICIENT_PRIVILEGE) {
    return { outcome: 'refused', cause: 'beneath_view', reason: `Refused beneath the view by ${beneathIt}.` };
  }
  if (inspected.matches === 0 && !inserts) return absent;
  const count = actual.code === 'PGRST116' && inspected.matches === 1 ? 0 : actual.rows;
  if (inserts || count === null || count >= inspected.matches || (inspected.more && count > 0)) {
    return { outcome: 'allowed', cause: null, reason: 'The privileges are held, on the view and beneath it.' };
  }
  return {
    outcome: count === 0 ? 'hidden' : 'partly',
    cause: 'beneath_view',
    reason: `Beneath the view, rows are hidden by ${beneathIt}.`,
  };
}

/** A verdict and the actual result of the request. */
export interface Agreement {
  readonly verdict: Verdict;
  readonly inspected: InspectedRows;
  readonly actual: ActualResponse;
  /** True if the response has one row for each row that passes. */
  readonly countable: boolean;
}

/** Returns true if the actual result of the request matches the verdict. */
export function agrees({ verdict, inspected, actual, countable }: Agreement): boolean {
  const { outcome, cause } = verdict;
  const none = actual.rows === 0 || actual.code === 'PGRST116';
  switch (outcome) {
    case 'refused':
      if (cause === 'role') return actual.code !== null;
      return actual.code === (cause === 'policy_error' ? policyErrorOf(inspected)?.code : INSUFFICIENT_PRIVILEGE);
    case 'undecided':
      return inspected.problem !== null && actual.code === inspected.problem.code;
    case 'hidden':
    case 'absent':
      return none || (inspected.more && actual.code === null);
    case 'partly':
    case 'allowed': {
      // Any other error, such as a violated constraint, agrees with the verdict, because it has no relation to
      // permissions.
      if (actual.code !== null) return actual.code !== INSUFFICIENT_PRIVILEGE;
      const passing = inspected.rows.filter(({ result }) => result === 'passes').length;
      return !countable || inspected.more || actual.rows === passing;
    }
  }
}
