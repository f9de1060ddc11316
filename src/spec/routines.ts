import type { RoutineFact } from '../catalog/routines.ts';
import { isTold } from './entities.ts';
import type { Facts } from './facts.ts';
import { byName, compareText, routineId } from './names.ts';

/** The id of a function: `public.close(uuid)`. */
export const idOf = (routine: RoutineFact): string =>
  routineId(
    routine.schema,
    routine.name,
    routine.inputs.map((input) => input.type),
  );

/** The functions of the app, by schema, name and what they take. */
export const toldRoutines = (facts: Facts): RoutineFact[] =>
  facts.routines.filter((routine) => isTold(facts, routine.schema)).sort(byRoutine);

/**
 * The functions that /rest/v1/rpc can call: no procedures, aggregates or triggers, and at most one unnamed argument,
 * which then takes the whole body (PostgREST, "Functions as RPC"). In the same order.
 */
export const callableRoutines = (facts: Facts): RoutineFact[] =>
  facts.routines
    .filter((routine) => facts.exposedSchemas.includes(routine.schema) && routine.kind === 'f')
    .filter((routine) => !/^(event_)?trigger$/.test(routine.result))
    .filter(({ inputs }) => {
      const unnamed = inputs.filter((input) => input.name === '');
      return (
        unnamed.length === 0 || (inputs.length === 1 && /^(json|jsonb|text|bytea|xml)$/.test(unnamed[0]?.type ?? ''))
      );
    })
    .sort(byRoutine);

const byRoutine = (a: RoutineFact, b: RoutineFact): number => byName(a, b) || compareText(idOf(a), idOf(b));
