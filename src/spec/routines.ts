import type { RoutineFact } from '../catalog/routines.ts';
import type { Computed } from './computed.ts';
import { isDocumented } from './entities.ts';
import type { Facts } from './facts.ts';
import { groupBy } from './group.ts';
import type { Lookup } from './lookup.ts';
import { byName, compareText, idOf } from './names.ts';
import { type Overlap, overlapsOf } from './overloads.ts';

/** The functions of the app, by schema, name and what they take. */
export const documentedRoutines = (facts: Facts): RoutineFact[] =>
  facts.routines.filter((routine) => isDocumented(facts, routine.schema)).sort(byRoutine);

/** Types that stand for any: a call reads an argument as a value of its type, and PostgreSQL refuses to read one of these (42P16). */
const isAnyType = (type: string): boolean => /^any[a-z]+$|^"any"$/.test(type);

/**
 * The functions that /rest/v1/rpc finds by a name: no procedures, aggregates or triggers, and at most one unnamed argument, which then
 * takes the whole body (PostgREST, "Functions as RPC").
 */
const foundRoutines = (facts: Facts): RoutineFact[] =>
  facts.routines
    .filter(({ schema, kind, result }) => facts.exposedSchemas.includes(schema) && kind === 'f' && result !== 'trigger')
    .filter(({ inputs }) => {
      const unnamed = inputs.filter((input) => input.name === '');
      return (
        unnamed.length === 0 || (inputs.length === 1 && /^(json|jsonb|text|bytea|xml)$/.test(unnamed[0]?.type ?? ''))
      );
    });

/** Those of them that can be called. In the same order. */
export const callableRoutines = (facts: Facts): RoutineFact[] =>
  foundRoutines(facts)
    .filter(({ result }) => result !== 'event_trigger')
    .filter(({ inputs }) => !inputs.some(({ type, has_default }) => isAnyType(type) && !has_default))
    .sort(byRoutine);

/** A function that calls run by its name. */
export interface ExecutedRoutine {
  routine: RoutineFact;
  /** /rest/v1/rpc calls it. */
  isCallable: boolean;
  /** Others of its name that take some of its calls, too. */
  overlaps: Overlap[];
  /** What it is read with, where it is computed of rows. */
  computed: Computed[];
}

/** The functions that calls run: those of /rest/v1/rpc, and those that are computed of rows that are read. In the same order. */
export function executedRoutines({ facts, computed }: Lookup): ExecutedRoutine[] {
  const callable = new Set(callableRoutines(facts));
  const overloads = groupBy(foundRoutines(facts), ({ schema, name }) => `${schema}\0${name}`);
  const rows = groupBy(computed, ({ routine }) => routine);
  return [...new Set([...callable, ...rows.keys()])]
    .map((routine) => ({
      routine,
      isCallable: callable.has(routine),
      overlaps: overlapsOf(routine, overloads.get(`${routine.schema}\0${routine.name}`) ?? []),
      computed: rows.get(routine) ?? [],
    }))
    .sort((a, b) => byRoutine(a.routine, b.routine));
}

/** True where whatever calls it runs in a transaction in which nothing may be written. */
export const onlyReads = ({ routine, isCallable }: ExecutedRoutine): boolean =>
  !isCallable || routine.volatility !== 'v';

const byRoutine = (a: RoutineFact, b: RoutineFact): number => byName(a, b) || compareText(idOf(a), idOf(b));
