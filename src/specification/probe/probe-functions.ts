import type { ProbedCell } from '../../../contract/probe.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { tryAll } from '../../access/attempts.ts';
import type { Computed } from '../../access/computed.ts';
import { unreadable } from '../../access/computed-access.ts';
import type { ExecutedRoutine } from '../../access/exposed.ts';
import { entityId } from '../../catalog/names.ts';
import type { RoutineFact } from '../../catalog/routines.ts';
import type { Transaction } from '../../database/database.ts';
import { claimOfPrivileges, evaluateCell, notProbed, untriedWords } from './evaluate-cell.ts';
import { probeCallers } from './probe-callers.ts';
import type { ProbeContext } from './probe-context.ts';
import type { PlannedAttempt } from './probe-planner.ts';

const NOT_RUN =
  'PostgreSQL was asked whether the role may call it; its body did not run, since what it does need not end with a rollback';

/** The attempts on the cell of a function. */
interface PlannedCall {
  shown: RoleCell;
  /** The claim of the cell about privileges. */
  cell: RoleCell;
  plans: PlannedAttempt[];
  why: string | null;
}

/**
 * Tests the cells of functions, as calls and as computed fields, with statements that return no row. PostgreSQL checks
 * EXECUTE when it prepares to run the statement. It does not run the body of the function, because there is no row.
 * Only an IMMUTABLE function may run, when PostgreSQL plans the statement. So IMMUTABLE functions with effects that a
 * rollback cannot undo are not tested.
 */
export async function probeFunctions(
  context: ProbeContext,
  tx: Transaction,
  cells: readonly { cell: RoleCell; executed: ExecutedRoutine }[],
  deadline: number,
): Promise<ProbedCell[]> {
  const planned: PlannedCall[] = cells.map(({ cell: shown, executed }) => {
    const role = context.roles.find((one) => one.name === shown.role);
    const { routine, computed, isCallable } = executed;
    const decision = role?.barred === null ? context.requests.routine(role, executed) : null;
    const untried = decision?.untried ?? null;
    const cell = claimOfPrivileges(shown, decision);
    const why = untried ? untriedWords(untried, cell) : whyNot(context, executed);
    // Member roles do not matter here, because EXECUTE depends on the database role.
    const asMember = role && { ...role, caller: { ...role.caller, memberRole: null } };
    const [caller] = asMember ? probeCallers(asMember, context.accounts, [], false, context.sampleSize.members) : [];
    if (why !== null || !asMember || !caller) return { shown, cell, plans: [], why: why ?? 'there is no such role' };
    const plan = (sql: string, row: string, beyond: boolean): PlannedAttempt => ({
      reach: null,
      attempt: { role: caller.role, claims: caller.claims, sql, kind: 'rows' },
      ...{ caller, row, place: null, field: null, beyond, asks: true },
    });
    const calls = isCallable ? [plan(`${call(routine)} where false`, 'a call', false)] : [];
    const reads = computed.map((use) => {
      const beyond = cell.verdict === 'when' && unreadable(context.access, asMember.caller, use) !== null;
      return plan(read(use), `a ${use.as}`, beyond);
    });
    return { shown, cell, plans: [...calls, ...reads], why };
  });
  const answers = await tryAll(
    tx,
    planned.flatMap(({ plans }) => plans.map((plan) => plan.attempt)),
    deadline,
  );
  let at = 0;
  return planned.map(({ shown, cell, plans, why }) => {
    const tried = plans.map((plan) => ({
      planned: plan,
      answer: answers[at++] ?? { rows: 0, value: null },
      passes: null,
      isSettled: true,
      beforeRow: false,
      callsLate: false,
      differsByCaller: false,
    }));
    if (why !== null) return notProbed(shown, why);
    const judged = { ...evaluateCell(cell, tried, null, null), verdict: shown.verdict };
    return judged.outcome === 'not probed' ? judged : { ...judged, note: judged.note ?? NOT_RUN };
  });
}

function whyNot({ effects }: ProbeContext, { routine, computed }: ExecutedRoutine): string | null {
  if (routine.volatility === 'i') {
    const lasting = effects.ofFunction(routine.oid);
    if (lasting !== null) return `not tried: PostgreSQL may run an IMMUTABLE function while it plans, and ${lasting}`;
  }
  const reading = computed.map(({ relation }) => effects.of(relation, 'select')).find((why) => why !== null);
  if (reading) return `not tried: ${reading}`;
  const odd = routine.inputs.find(({ type }) => pseudo.test(type));
  return odd ? `not tried: nothing can be given for an argument of type ${odd.type}` : null;
}

const pseudo = /^(any|anycompatible\w*|internal|cstring|record|trigger|event_trigger|"any")$/;

/** Returns SQL that reads the function as a computed field, in a query that returns no row. */
const read = ({ routine, relation }: Computed): string =>
  `select ${entityId(routine.schema, routine.name)}(rows_) from ${entityId(relation.schema, relation.name)} as rows_ limit 0`;

function call(routine: RoutineFact): string {
  const values = routine.inputs.map(({ type, mode }) => {
    const given = type === 'anyarray' ? 'text[]' : /^any/.test(type) ? 'text' : type;
    // The argument is a subquery, because with a plain NULL, the planner would remove the call of a strict function
    // before PostgreSQL checks EXECUTE.
    return `${mode === 'v' ? 'variadic ' : ''}(select null::${given})`;
  });
  return `select ${entityId(routine.schema, routine.name)}(${values.join(', ')})`;
}
