import type { FunctionEntry } from '../../contract/specification-calls.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { isTold } from './entities.ts';
import type { Facts } from './facts.ts';
import { groupBy } from './group.ts';
import type { Lookup } from './lookup.ts';
import { entityId, idOf, roleName } from './names.ts';
import { toldRoutines } from './routines.ts';

const kinds = { f: 'function', p: 'procedure', a: 'aggregate', w: 'window function' } as const;
const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

/** Every function of the app: what calls, triggers and policies come to is what these do. */
export function functionEntries({ facts, relations }: Lookup): FunctionEntry[] {
  const elsewhere = groupBy(
    facts.triggers.flatMap(({ relation, name, enabled, sql, function: routine }) => {
      const on = relations.get(relation);
      return on && !isTold(facts, on.schema)
        ? [{ routine, trigger: { on: entityId(on.schema, on.name), name, enabled, sql } }]
        : [];
    }),
    ({ routine }) => routine,
  );
  return toldRoutines(facts).map((routine) => {
    const triggers = elsewhere.get(routine.oid)?.map(({ trigger }) => trigger);
    return { ...entry(facts, routine), ...(triggers && { triggers }) };
  });
}

const entry = (facts: Facts, routine: RoutineFact): FunctionEntry => ({
  id: idOf(routine),
  kind: kinds[routine.kind],
  arguments: routine.arguments,
  returns: routine.result ?? '',
  language: routine.language,
  volatility: volatilities[routine.volatility],
  runs_as: routine.security_definer ? roleName(facts, routine.owner) : null,
  strict: routine.strict,
  settings: routine.settings,
  comment: routine.comment,
  body: routine.body,
});
