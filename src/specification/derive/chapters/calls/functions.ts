import type { FunctionEntry } from '../../../../../contract/specification-calls.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { runsAs, settingEffects } from '../../../../access/setting-effects.ts';
import type { DecisionFacts } from '../../../../catalog/facts.ts';
import { groupBy } from '../../../../catalog/group.ts';
import { compareText, entityId, idOf } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';
import { NamedFunctions } from '../../../../sql-reader/body/named-functions.ts';
import { documentedRoutines, isDocumented } from '../documented.ts';

const kinds = { f: 'function', p: 'procedure', a: 'aggregate', w: 'window function' } as const;
const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

/** Returns every function of the app with its code, because calls, triggers and policies run these functions. */
export function functionEntries(look: Lookup): FunctionEntry[] {
  const { facts, relations } = look;
  const elsewhere = groupBy(
    facts.triggers.flatMap(({ relation, name, enabled, sql, function: routine }) => {
      const on = relations.get(relation);
      return on && !isDocumented(facts, on.schema)
        ? [{ routine, trigger: { on: entityId(on.schema, on.name), name, enabled, sql } }]
        : [];
    }),
    ({ routine }) => routine,
  );
  const documented = documentedRoutines(facts);
  const ids = new Map(documented.map((routine) => [routine, idOf(routine)]));
  const senders = findSenders();
  return documented.map((routine) => {
    const triggers = elsewhere.get(routine.oid)?.map(({ trigger }) => trigger);
    return { ...entry(look, routine), ...(triggers && { triggers }), ...codeOf(look, routine, ids, senders) };
  });
}

/** Finds the functions of schema realtime that send messages. */
const findSenders = (): NamedFunctions =>
  new NamedFunctions(
    ['realtime.send()', 'realtime.send_binary()', 'realtime.broadcast_changes()'].map((id) => ({ id, body: '' })),
  );

/**
 * Returns what the code of a function reaches, writes, sends and raises.
 * @param ids The ids of the functions that the specification describes.
 */
function codeOf(
  look: Lookup,
  routine: RoutineFact,
  ids: ReadonlyMap<RoutineFact, string>,
  senders: NamedFunctions,
): Pick<FunctionEntry, 'reaches' | 'writes' | 'sends' | 'raises'> {
  const { code } = look.shared;
  const sends = [...new Set(senders.in(routine.body))].map((id) => id.replace('()', ''));
  const { read, written } = code.entities(look, routine);
  const called = code.reached(routine).flatMap((one) => (one === routine ? [] : (ids.get(one) ?? [])));
  const errors = code.raises(routine).map(({ sqlstate, message }) => ({ sqlstate, message }));
  const raises = [...new Map(errors.map((error) => [`${error.sqlstate} ${error.message}`, error])).values()];
  return {
    reaches: [...called, ...read].sort(compareText),
    writes: [...written].sort(compareText),
    ...(sends.length > 0 && { sends: sends.sort(compareText) }),
    raises,
  };
}

const entry = ({ facts, privileges }: Lookup, routine: RoutineFact): FunctionEntry => ({
  id: idOf(routine),
  kind: kinds[routine.kind],
  arguments: routine.arguments,
  returns: routine.result ?? '',
  language: routine.language,
  volatility: volatilities[routine.volatility],
  runs_as: runsAs(facts, routine),
  strict: routine.strict,
  settings: routine.settings,
  ...effects(facts, privileges, routine),
  ...(routine.parallel !== 'u' && { parallel: routine.parallel === 's' ? ('safe' as const) : ('restricted' as const) }),
  ...(routine.leakproof && { leakproof: true as const }),
  comment: routine.comment,
  body: routine.body,
});

function effects(
  facts: DecisionFacts,
  privileges: Lookup['privileges'],
  routine: RoutineFact,
): Pick<FunctionEntry, 'effects'> {
  const found = settingEffects(facts, privileges.membership, routine);
  return found.length === 0 ? {} : { effects: found.map(({ words }) => words) };
}
