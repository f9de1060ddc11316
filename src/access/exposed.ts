import type { RelationFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';
import { byName, compareText, idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import type { Computed } from './computed.ts';
import type { Lookup } from './lookup.ts';
import { type Overlap, overlapsOf } from './overloads.ts';

/**
 * Returns the relations that /rest/v1 serves as tables. Leaves out partitions: calls reach their rows through the
 * partitioned table.
 */
export const exposedRelations = (facts: DecisionFacts): RelationFact[] =>
  facts.relations
    .filter((relation) => facts.exposedSchemas.includes(relation.schema) && !relation.is_partition)
    .sort(byName);

/**
 * Returns true for a pseudo-type such as anyelement. A call casts each argument to its type, and PostgreSQL refuses a
 * cast to a pseudo-type (42P16).
 */
const isAnyType = (type: string): boolean => /^any[a-z]+$|^"any"$/.test(type);

/**
 * Returns the functions that /rest/v1/rpc can select by name, without procedures, aggregates and triggers. A function
 * may have at most one unnamed argument, which then receives the whole body (PostgREST, "Functions as RPC").
 */
const foundRoutines = (facts: DecisionFacts): RoutineFact[] =>
  facts.routines
    .filter(({ schema, kind, result }) => facts.exposedSchemas.includes(schema) && kind === 'f' && result !== 'trigger')
    .filter(({ inputs }) => {
      const unnamed = inputs.filter((input) => input.name === '');
      return (
        unnamed.length === 0 || (inputs.length === 1 && /^(json|jsonb|text|bytea|xml)$/.test(unnamed[0]?.type ?? ''))
      );
    });

/** Returns the functions that calls can run, ordered by schema, name and argument types. */
export const callableRoutines = (facts: DecisionFacts): RoutineFact[] =>
  foundRoutines(facts)
    .filter(({ result }) => result !== 'event_trigger')
    .filter(({ inputs }) => !inputs.some(({ type, has_default }) => isAnyType(type) && !has_default))
    .sort(byRoutine);

/** A function that calls run, directly or as a computed field. */
export interface ExecutedRoutine {
  routine: RoutineFact;
  /** True if /rest/v1/rpc calls the function. */
  isCallable: boolean;
  /** The functions of the same name that accept some calls of this function too. */
  overlaps: Overlap[];
  /** The relations that the function is a computed field of. */
  computed: Computed[];
}

/**
 * Returns the functions that calls run: those of /rest/v1/rpc and computed fields. Ordered by schema, name and argument
 * types.
 */
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

/** Returns true if every call of the function runs in a read-only transaction. */
export const onlyReads = ({ routine, isCallable }: ExecutedRoutine): boolean =>
  !isCallable || routine.volatility !== 'v';

/** Compares functions by schema, name and argument types. */
export const byRoutine = (a: RoutineFact, b: RoutineFact): number => byName(a, b) || compareText(idOf(a), idOf(b));
