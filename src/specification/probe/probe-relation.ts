import { limits } from '../../../contract/limits.ts';
import type { ProbedCell } from '../../../contract/probe.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { type Attempt, type AttemptResult, isError, tryAll } from '../../access/attempts.ts';
import type { UntestableReason } from '../../access/decision.ts';
import type { RowOperation } from '../../access/operations.ts';
import { outcomeOf } from '../../access/refusals.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import type { Transaction } from '../../database/database.ts';
import { claimOfPrivileges, evaluateCell, notProbed, type Tried, untriedWords } from './evaluate-cell.ts';
import { type PreparedRelation, prepareRelation } from './prepare-relation.ts';
import { probeCallers } from './probe-callers.ts';
import type { ProbeContext } from './probe-context.ts';
import { ALL_ROWS, newRows, type PlannedAttempt, type ProbedRelation } from './probe-planner.ts';

/** A cell with the attempts that test it. */
interface PlannedCell {
  cell: RoleCell;
  tries: PlannedAttempt[];
  note: string | null;
}

/**
 * The attempts that test all cells of a relation. For each attempt, the plan also has the place of its result in the
 * list of results.
 */
interface Plan {
  cells: PlannedCell[];
  attempts: Attempt[];
  /** For each attempt, the index of its result. */
  places: Map<PlannedAttempt, number>;
  /**
   * For an attempt on a row, the index of the result that shows whether the conditions of the policies accept the row.
   */
  conditions: Map<PlannedAttempt, number>;
}

/** Tests the cells of one relation in a transaction that the caller rolls back. */
export async function probeRelation(
  context: ProbeContext,
  tx: Transaction,
  relation: RelationFact,
  cells: readonly RoleCell[],
  deadline: number,
): Promise<ProbedCell[]> {
  const claims = cells.map((cell) => {
    const role = context.roles.find((one) => one.name === cell.role);
    const isPossible = role?.barred === null;
    const decision = isPossible ? context.requests.relation(role, relation, cell.operation as RowOperation) : null;
    const why = whyNot(context, relation, cell, decision?.untried ?? null);
    return { cell, claim: claimOfPrivileges(cell, decision), why };
  });
  const prepared = await prepareRelation(context, tx, relation, deadline);
  const testable = claims.filter(({ why }) => why === null).map(({ claim }) => claim);
  const plan = planCells(context, prepared, testable);
  const answers = await tryAll(tx, plan.attempts, deadline);
  const made = plan.cells.flatMap(({ cell, tries }) =>
    tries.map((one) => ({ cell, plan: one, at: plan.places.get(one) ?? -1 })),
  );
  const unreached = await findUnreached(context, tx, relation, made, answers, deadline);
  const reached = made.filter((one) => !unreached.has(one.plan));
  await tryOtherFields(context, tx, prepared.probed, reached, answers, deadline);
  const results = new Map(
    plan.cells.map(({ cell, tries, note }) => {
      const tried = tries.map((one) => triedOf(context, relation, cell, one, plan, answers, unreached));
      return [cell, evaluateCell(cell, tried, note, prepared.trouble)];
    }),
  );
  return claims.map(({ cell, claim, why }) => {
    const result = results.get(claim);
    return result ? { ...result, verdict: cell.verdict } : notProbed(cell, why ?? 'no such role');
  });
}

/** Returns the reason why statements on rows cannot test a cell; null if they can. */
function whyNot(
  { effects }: ProbeContext,
  relation: RelationFact,
  cell: RoleCell,
  untried: UntestableReason | null,
): string | null {
  if (untried === 'request') return untriedWords(untried, cell);
  const why = effects.of(relation, cell.operation as RowOperation);
  if (why !== null) return `not tried: ${why}`;
  return untried === null ? null : untriedWords(untried, cell);
}

function planCells(
  { planner, roles, accounts, sampleSize }: ProbeContext,
  { probed, concerned, seeded, trouble }: PreparedRelation,
  cells: readonly RoleCell[],
): Plan {
  const plan: Plan = { cells: [], attempts: [], places: new Map(), conditions: new Map() };
  const push = (attempt: Attempt): number => plan.attempts.push(attempt) - 1;
  // Equal attempts have equal results, so the probe runs each of them only once.
  const questions = new Map<string, number>();
  const ask = (attempt: Attempt): number => {
    const question = JSON.stringify(attempt);
    const at = questions.get(question) ?? push(attempt);
    questions.set(question, at);
    return at;
  };
  for (const cell of cells) {
    const role = roles.find((one) => one.name === cell.role);
    if (!role) continue;
    const entry: PlannedCell = { cell, tries: [], note: null };
    plan.cells.push(entry);
    for (const caller of probeCallers(role, accounts, concerned, seeded, sampleSize.members)) {
      const plans = planner.plan(cell, role, caller, probed);
      if (typeof plans === 'string') {
        entry.note = probed.rows.length === 0 && trouble !== null ? `${plans}: ${trouble}` : plans;
        continue;
      }
      const rows = cell.operation === 'insert' ? newRows(probed, caller).map(({ row }) => row) : probed.rows;
      const ofRows = plans.some((one) => one.place !== null || one.row === ALL_ROWS);
      const reads = !plans.some((one) => one.row === ALL_ROWS);
      const asking = cell.verdict === 'when' && ofRows ? planner.condition(cell, role, probed, rows, reads) : null;
      const [first] = plans;
      const condition = asking && first ? ask({ ...first.attempt, ...asking, kind: 'value' }) : null;
      for (const one of plans) {
        entry.tries.push(one);
        plan.places.set(one, push(one.attempt));
        if (condition !== null) plan.conditions.set(one, condition);
      }
    }
  }
  return plan;
}

const noAnswer: AttemptResult = { sqlstate: '', message: 'there was no answer', within: true };

/** Returns an attempt with its result and with the result of the conditions of the policies. */
function triedOf(
  context: ProbeContext,
  relation: RelationFact,
  cell: RoleCell,
  planned: PlannedAttempt,
  { places, conditions }: Plan,
  answers: readonly AttemptResult[],
  unreached: ReadonlySet<PlannedAttempt>,
): Tried {
  const { effects, facts } = context;
  const isBound = tableBinds(context, relation, cell);
  const condition = conditions.get(planned);
  const isOfRows = planned.place !== null || planned.row === ALL_ROWS;
  const unasked = isBound ? null : unbound(relation, cell);
  const passes = condition === undefined ? unasked : passesAt(answers[condition], planned.place);
  return {
    planned,
    answer: answers[places.get(planned) ?? -1] ?? noAnswer,
    passes: isOfRows ? passes : null,
    isSettled: !isBound && relation.kind !== 'v',
    differsByCaller: context.differsByCaller(relation),
    beforeRow: !unreached.has(planned) && effects.changesRows(relation, cell.operation as RowOperation, planned.field),
    callsLate: facts.write_functions.some((call) => call.relation === relation.oid && call.by === 'index'),
  };
}

interface Made {
  cell: RoleCell;
  plan: PlannedAttempt;
  /** The index of the attempt's result. */
  at: number;
}

/**
 * Returns the attempts that changed nothing although no trigger skipped the row, because the caller cannot reach the
 * row.
 */
async function findUnreached(
  { effects }: ProbeContext,
  tx: Transaction,
  relation: RelationFact,
  made: readonly Made[],
  answers: readonly AttemptResult[],
  deadline: number,
): Promise<ReadonlySet<PlannedAttempt>> {
  const looks = made.flatMap(({ cell, plan, at }) => {
    const answer = answers[at];
    if (!answer || isError(answer) || answer.rows > 0 || plan.reach === null) return [];
    if (!effects.changesRows(relation, cell.operation as RowOperation, plan.field)) return [];
    return [{ plan, attempt: { ...plan.attempt, sql: plan.reach } }];
  });
  const found = await tryAll(
    tx,
    looks.map(({ attempt }) => attempt),
    deadline,
  );
  const isNone = (answer: AttemptResult | undefined) => answer && !isError(answer) && answer.rows === 0;
  return new Set(looks.flatMap(({ plan }, i) => (isNone(found[i]) ? [plan] : [])));
}

/**
 * Repeats stopped updates with other fields, because a trigger that refuses a change of one field may accept another.
 * The first attempt that is not stopped replaces the attempt and its result in `answers`.
 */
async function tryOtherFields(
  { roles, planner, effects }: ProbeContext,
  tx: Transaction,
  probed: ProbedRelation,
  made: readonly Made[],
  answers: AttemptResult[],
  deadline: number,
): Promise<void> {
  const isStopped = ({ field }: PlannedAttempt, answer: AttemptResult): boolean =>
    outcomeOf(answer, 'update', effects.changesRows(probed.relation, 'update', field)) === 'stopped';
  const others = made.flatMap(({ cell, plan, at }) => {
    const role = roles.find((one) => one.name === cell.role);
    const answer = answers[at];
    const isOfOne = cell.operation === 'update' && (plan.place !== null || plan.row === ALL_ROWS);
    if (!role || !answer || !isOfOne || !isStopped(plan, answer)) return [];
    return Array.from({ length: limits.probeOtherFields.default }, (_, i) => {
      const plans = planner.plan(cell, role, plan.caller, probed, i + 1);
      const same =
        typeof plans === 'string' ? undefined : plans.find((one) => one.place === plan.place && one.row === plan.row);
      return same ? [{ plan, at, other: same }] : [];
    }).flat();
  });
  const found = await tryAll(
    tx,
    others.map(({ other }) => other.attempt),
    deadline,
  );
  const settled = new Set<number>();
  for (const [i, { plan, at, other }] of others.entries()) {
    const answer = found[i];
    if (!answer || settled.has(at) || isStopped(other, answer)) continue;
    settled.add(at);
    plan.attempt = other.attempt;
    plan.field = other.field;
    answers[at] = answer;
  }
}

/** Returns true if row-level security limits the rows of the cell. */
function tableBinds({ access, roles }: ProbeContext, relation: RelationFact, cell: RoleCell): boolean {
  const role = roles.find((one) => one.name === cell.role);
  return role !== undefined && access.policies.rows(role.caller.oid, relation, cell.operation as RowOperation).bound;
}

/**
 * Returns true if every row passes because row-level security does not apply to the table. Returns null for views and
 * for operations with rewrite rules, where the probe does not know the conditions.
 */
const unbound = (relation: RelationFact, { operation }: RoleCell): true | null =>
  relation.kind === 'v' || relation.replaced.some((replaced) => replaced === operation) ? null : true;

/**
 * Returns whether the conditions accept the row at `place`. Without a place, returns the result that is the same for
 * all rows; null if the rows have different results.
 */
function passesAt(answer: AttemptResult | undefined, place: number | null): boolean | null {
  if (!answer) return null;
  // If PostgreSQL refuses the query of the condition, it also refuses the statement, so the row does not pass.
  if (isError(answer)) return answer.within ? null : false;
  const list = answer.value === null ? [] : (JSON.parse(answer.value) as boolean[]);
  if (place !== null) return list[place] ?? null;
  return list.every((passes) => passes === list[0]) ? (list[0] ?? null) : null;
}
