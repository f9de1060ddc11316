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
  /** The reason why PostgreSQL can write no row of the relation, or not a column of it; null if it can. */
  readonly unwritable: string | null;
  /** True if the view may show other rows to other callers. */
  readonly dependsOnCaller: boolean;
  /** True for an insert: the rows then come from the body. */
  readonly inserts: boolean;
  /** True for an update that sets no field. */
  readonly isIdle: boolean;
  readonly grants: readonly ExplainedGrant[];
  readonly beneath: readonly ExplainedRelation[];
  readonly embedded: readonly ExplainedRelation[];
  readonly inspected: InspectedRows;
  readonly actual: ActualResponse;
}

/** The codes with which state machines refuse a write. */
const ofMachines: ReadonlySet<string> = new Set(['NF001', 'NF002', 'NF003']);

/** The codes with which PostgreSQL refuses to write a relation, or a column of it. */
const notWritable: ReadonlySet<string> = new Set(['55000', '0A000', '42809']);

/** Returns the verdict for a role that does not exist. */
export const noSuchRole = (role: string): Verdict => ({
  outcome: 'refused',
  cause: 'role',
  reason: `The database has no role ${role}.`,
});

/** Derives the verdict. Missing privileges come before problems with rows and policies. */
export function verdictOf(evidence: Evidence): Verdict {
  const { role, grants, beneath: underlying, embedded, inspected, isView, actual, unwritable } = evidence;
  const missing = [...grants, ...embedded.map(({ grant }) => grant)].find((grant) => !grant.held);
  // PostgreSQL finds out whether it can write a relation before it checks the privileges on the relation.
  if (unwritable !== null && missing?.privilege !== 'USAGE')
    return { outcome: 'refused', cause: 'not_writable', reason: unwritable };
  if (missing) {
    const cause = missing.on.startsWith('schema ') ? 'schema_usage' : 'grant';
    return { outcome: 'refused', cause, reason: `The role ${role} has ${lacking(missing)}.` };
  }
  const closed = underlying.find(({ grant }) => !grant.held);
  if (closed) {
    const does = closed.grant.privilege === 'SELECT' ? 'reads' : 'writes to';
    const reason = `The view ${does} ${closed.grant.on}, and the role ${closed.as_role}, whose rights count there, has ${lacking(closed.grant)}.`;
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
  const refusedByMachine = actual.code !== null && ofMachines.has(actual.code);
  if (refusedByMachine) {
    const reason = `The state machine of ${evidence.target} refuses it: ${actual.message}`;
    return { outcome: 'refused', cause: 'state_machine', reason };
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

function verdictOfRows({ role, target, inserts, isIdle, inspected }: Evidence): Verdict {
  const { rows } = inspected;
  const refused = rows.find(({ result }) => result === 'refused');
  if (refused) return refusal(failingCheck(refused), role, target);
  if (rows.length === 0 && !inserts) return isIdle ? noChange : absent;
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

const noChange: Verdict = { ...absent, reason: 'The call sets no field, so it changes no row, whoever makes it.' };

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
function verdictOfView(evidence: Evidence): Verdict {
  const { inserts, isIdle, inspected, actual, beneath: underlying, dependsOnCaller } = evidence;
  const bound = underlying.filter(({ row_security: security }) => security?.binds);
  const tables = bound.map(({ schema, name, as_role: role }) => `${schema}.${name} (as ${role})`).join(', ');
  const conditions = 'the conditions of the view, which depend on the caller';
  const beneathIt = [
    ...(bound.length > 0 ? [`row-level security of ${tables}`] : []),
    ...(dependsOnCaller ? [conditions] : []),
  ].join(' or ');
  if (actual.code === INSUFFICIENT_PRIVILEGE) {
    const by =
      bound.length > 0 && /row-level security/.test(actual.message ?? '')
        ? `by row-level security of ${tables}`
        : `: ${actual.message}`;
    return { outcome: 'refused', cause: 'beneath_view', reason: `Refused beneath the view ${by}.`.replace(' :', ':') };
  }
  if (actual.code === '44000') {
    const reason = `The view refuses the row as it would be written, because its own condition (WITH CHECK OPTION) does not hold: ${actual.message}.`;
    return { outcome: 'refused', cause: 'view_check', reason };
  }
  if (inspected.matches === 0 && !inserts) {
    if (isIdle) return noChange;
    if (inspected.isEmpty || !dependsOnCaller) return absent;
    const reason =
      'The view shows this caller no row that matches. What it shows depends on the caller, so other callers may reach rows.';
    return { outcome: 'hidden', cause: 'beneath_view', reason };
  }
  const count = actual.code === 'PGRST116' && inspected.matches === 1 ? 0 : actual.rows;
  if (inserts || count === null || count >= inspected.matches || (inspected.more && count > 0)) {
    return { outcome: 'allowed', cause: null, reason: 'The privileges are held, on the view and beneath it.' };
  }
  return {
    outcome: count === 0 ? 'hidden' : 'partly',
    cause: 'beneath_view',
    reason: `Beneath the view, rows are hidden by ${beneathIt || 'a trigger or a rule'}.`,
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
      if (cause === 'not_writable') return actual.code !== null && notWritable.has(actual.code);
      if (cause === 'state_machine') return actual.code !== null && ofMachines.has(actual.code);
      if (cause === 'view_check') return actual.code === '44000';
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
