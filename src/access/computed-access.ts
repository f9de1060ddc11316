import type { RoutineFact } from '../catalog/routines.ts';
import type { Access } from './access.ts';
import type { CallingRole } from './calling-roles.ts';
import type { Computed } from './computed.ts';
import {
  addCondition,
  type Decision,
  denied,
  display,
  type Refusal,
  refusal,
  type UntestableReason,
} from './decision.ts';
import type { ExecutedRoutine } from './exposed.ts';
import { alsoTaken, isReached, waysAround } from './overloads.ts';
import type { Privileges, RefusedCheck } from './privileges.ts';

/**
 * Decides whether the role may call a function, and whether the role may read the function as a computed field.
 * PostgreSQL passes the whole row to a computed field, so all fields of the row must be readable.
 */
export function decideFunction(access: Access, caller: CallingRole, executed: ExecutedRoutine): Decision {
  const { routine, computed, isCallable } = executed;
  const may = access.decideExecute(caller, routine);
  if (may.verdict === 'never') {
    return computed.length === 0 ? may : { ...may, reason: `${may.reason}; it would be read as ${listOf(computed)}` };
  }
  const uses = computed.map((use) => ({ use, why: unreadable(access, caller, use) }));
  const shut = uses.flatMap(({ use, why }) => (why === null ? [] : [{ use, why }]));
  const reasons = shut.map(({ why }) => why.reason).join('; ');
  // A computed field passes only the row. So a refused argument type also makes the computed field unreadable.
  const barred = isCallable ? refusedArgument(access.privileges, caller.oid, routine) : null;
  if (barred !== null) return denied(barred);
  if (shut.length === uses.length && !isCallable) return denied(reasons, shut[0]?.why.code);
  const open = uses.filter(({ why }) => why === null).map(({ use }) => use);
  const uncalled = isCallable ? whyNotCalled(access, caller, executed) : null;
  if (uncalled !== null && open.length === 0) return uncalled.decision;
  const withUses = open.length === 0 ? may : { ...may, reason: `${may.reason}; read as ${listOf(open)}` };
  const given = isCallable ? withArguments(withUses, access.privileges, caller.oid, routine) : withUses;
  const called =
    uncalled !== null
      ? addCondition(given, 'not as a call', uncalled.decision.reason, uncalled.untried)
      : isCallable
        ? apartFromOthers(access, caller, executed, withoutArguments(access, caller, routine, given))
        : given;
  if (shut.length === 0) return called;
  const ways = [...(isCallable ? ['a call'] : []), ...(open.length > 0 ? [listOf(open)] : [])].join(', ');
  return addCondition(called, `as ${ways}, not as ${listOf(shut.map(({ use }) => use))}`, reasons);
}

type Input = RoutineFact['inputs'][number];

/**
 * Returns the reason why PostgreSQL refuses every call because of the type of a required argument. Returns null if some
 * call may run.
 */
function refusedArgument(privileges: Privileges, role: number, routine: RoutineFact): string | null {
  const give = privileges.argumentsToGive(role, routine);
  for (const input of routine.inputs) {
    const check = privileges.refusedChecks(role, input.type_oid).find(({ always }) => always);
    if (!check || (input.has_default && !give.includes(input))) continue;
    return `${checkWords(input, check)}${input.has_default ? `; nor may it compute the default of ${input.name}` : ''}`;
  }
  return null;
}

/**
 * Returns a decision if no call to /rest/v1/rpc can reach the function, with the reason why the probe cannot test this.
 * The probe reads the function as a computed field, which works even if such calls fail. Returns null if a call may
 * reach the function.
 */
function whyNotCalled(
  access: Access,
  caller: CallingRole,
  executed: ExecutedRoutine,
): { decision: Decision; untried: UntestableReason } | null {
  const [required] = shutArguments(access, caller, executed.routine, false);
  if (required !== undefined) return { decision: denied(required.why), untried: 'types' };
  const { overlaps, routine } = executed;
  if (overlaps.length === 0 || isReached(overlaps, settledArguments(access, caller, routine))) return null;
  const every = overlaps.find(({ ways }) => ways.length === 0);
  const why = (every ? [every] : overlaps).map(alsoTaken).join('; ');
  return { decision: { ...denied(`no call of it is answered: ${why}`, 'PGRST203'), untried: 'name' }, untried: 'name' };
}

/** Adds the conditions under which a call selects this function among the functions of the same name. */
function apartFromOthers(
  access: Access,
  caller: CallingRole,
  { routine, overlaps }: ExecutedRoutine,
  decision: Decision,
): Decision {
  if (overlaps.length === 0) return decision;
  const settled = settledArguments(access, caller, routine);
  return overlaps
    .filter(({ ways }) => !ways.some(({ name, isGiven }) => settled.get(name) === isGiven))
    .map((overlap) => ({ ...overlap, ways: overlap.ways.filter(({ name }) => !settled.has(name)) }))
    .reduce((one, overlap) => addCondition(one, waysAround(overlap), alsoTaken(overlap), 'name'), decision);
}

/** Returns the optional arguments that the role must set (true) or must omit (false), by name. */
function settledArguments(access: Access, caller: CallingRole, routine: RoutineFact): ReadonlyMap<string, boolean> {
  const { privileges } = access;
  const shut = shutArguments(access, caller, routine, true).map(({ name }) => name);
  const barred = routine.inputs.filter(
    ({ has_default, type_oid }) =>
      has_default && privileges.refusedChecks(caller.oid, type_oid).some(({ always }) => always),
  );
  return new Map([
    ...privileges.argumentsToGive(caller.oid, routine).map(({ name }) => [name, true] as const),
    ...[...shut, ...barred.map(({ name }) => name)].map((name) => [name, false] as const),
  ]);
}

/**
 * Returns the arguments whose types are in a schema that the role may not use, with the reason. Calls name these types.
 * @param optional True for the arguments that a call may omit, false for those that every call sets.
 */
function shutArguments(access: Access, caller: CallingRole, { inputs }: RoutineFact, optional: boolean) {
  return inputs.flatMap(({ name, type, mode, has_default }) => {
    const schema = (has_default && mode !== 'v') === optional ? access.privileges.schemaShut(caller.oid, type) : null;
    const what = name === '' ? 'its argument' : name;
    return schema === null
      ? []
      : [{ name, why: refusal(`no USAGE on schema ${schema}, in which the type of ${what} is`).reason }];
  });
}

function withoutArguments(access: Access, caller: CallingRole, routine: RoutineFact, decision: Decision): Decision {
  const shut = shutArguments(access, caller, routine, true);
  const [first] = shut;
  return first
    ? addCondition(decision, `without ${shut.map(({ name }) => name).join(', ')}`, first.why, 'types')
    : decision;
}

/**
 * Adds the optional arguments that a call must set, those that it must omit, and the values that it must not contain.
 */
function withArguments(decision: Decision, privileges: Privileges, role: number, routine: RoutineFact): Decision {
  // Omits the unnamed and the variadic argument, because every call sets them.
  const give = privileges.argumentsToGive(role, routine).filter(({ name, mode }) => name !== '' && mode !== 'v');
  const named = give.map(({ name }) => name).join(', ');
  const given = give.length === 0 ? decision : addCondition(decision, `with ${named} given`, noDefault(named).reason);
  return routine.inputs.reduce((limited, input) => {
    const checks = privileges.refusedChecks(role, input.type_oid);
    const check = checks.find(({ always }) => always) ?? checks[0];
    if (!check) return limited;
    const domains = [...new Set(checks.map(({ domain }) => domain))].join(' or ');
    const words = check.always ? `without ${input.name}` : `with no ${domains} in ${input.name}`;
    return addCondition(limited, words, checkWords(input, check));
  }, given);
}

const checkWords = ({ name, type }: Input, { domain, routine }: RefusedCheck): string =>
  refusal(
    `the type of ${name}${type === domain ? '' : ` is made of ${domain}, which`} calls ${routine}(), which the role may not execute`,
  ).reason;

const noDefault = (named: string): Refusal => refusal(`the role may not compute the default of ${named}`);

/**
 * Returns the reason why the role cannot read the function as a computed field; null if it can. PostgreSQL passes the
 * whole row and nothing else to a computed field.
 */
export function unreadable(access: Access, caller: CallingRole, { relation, routine }: Computed): Refusal | null {
  const reading = access.decide(caller, relation, 'select');
  const { code } = reading;
  if (code !== null) return { reason: `the role may not read ${display(relation)}: ${reading.reason}`, code };
  if (reading.columns !== null) {
    return refusal(
      `it takes whole rows of ${display(relation)}, of which the role may read ${reading.columns.join(', ')} only`,
    );
  }
  const [row] = routine.inputs;
  const left = access.privileges.argumentsToGive(caller.oid, routine).filter((input) => input !== row);
  if (left.length === 0) return null;
  return noDefault(left.map(({ name, type }) => (name === '' ? type : name)).join(', '));
}

const listOf = (uses: readonly Computed[]): string =>
  uses.map(({ routine, relation, as }) => `${as} ${routine.name} of ${display(relation)}`).join(', ');
