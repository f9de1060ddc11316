import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import { groupBy } from '../../../catalog/group.ts';
import { flag, items, text, thing } from '../../derive/words/sentence-parts.ts';
import { type ChapterPair, type DescribedChange, keyAt, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';

/**
 * Describes in one sentence all triggers of a state machine that are added or removed with it, or enabled or disabled
 * together, because chapter 4 describes their effects. If only one of these triggers changes, it is described like any
 * other trigger.
 */
export function describeMachineTriggers(differences: readonly Difference[], sides: ChapterPair): DescribedChange[] {
  const own = differences.filter(
    (one) => matches(one.path, 'entities/*/triggers/*') && fieldOf(triggerOf(one)) !== null,
  );
  const groups = groupBy(
    own.filter(({ kind }) => kind !== 'changed'),
    (one) => JSON.stringify([one.kind, keyAt(one, 1), fieldOf(triggerOf(one))]),
  );
  return [
    ...describeSwitched(own, sides),
    ...[...groups.values()].flatMap((of): DescribedChange[] => {
      const [first] = of;
      if (!first) return [];
      const [id, field] = [keyAt(first, 1), fieldOf(triggerOf(first))];
      const elsewhere = first.kind === 'added' ? sides.before : sides.after;
      const others = items(elsewhere.entities, 'entities').find((entity) => text(entity, 'id') === id);
      if (items(others, 'triggers').some((trigger) => fieldOf(trigger) === field)) return [];
      const states = `the states of ${thing(id)}.${field}`;
      const words =
        first.kind === 'added' ? `Triggers now keep ${states} on every write.` : `No triggers keep ${states} any more.`;
      return [{ words, of }];
    }),
  ];
}

/** Describes all triggers of a state machine that are enabled or disabled together, as `disable trigger user` does. */
function describeSwitched(own: readonly Difference[], { after }: ChapterPair): DescribedChange[] {
  const switched = own.filter(
    ({ before, after: now }) =>
      flag(before, 'enabled') !== flag(now, 'enabled') && text(before, 'sql') === text(now, 'sql'),
  );
  const groups = groupBy(switched, (one) =>
    JSON.stringify([flag(one.after, 'enabled'), keyAt(one, 1), fieldOf(one.after)]),
  );
  return [...groups.values()].flatMap((of): DescribedChange[] => {
    const [first] = of;
    if (!first) return [];
    const [id, field] = [keyAt(first, 1), fieldOf(first.after)];
    const entity = items(after.entities, 'entities').find((one) => text(one, 'id') === id);
    const all = items(entity, 'triggers').filter((trigger) => fieldOf(trigger) === field);
    if (all.length !== of.length) return [];
    const is = flag(first.after, 'enabled') ? 'on' : 'off';
    return [{ words: `All triggers that keep the states of ${thing(id)}.${field} are now switched ${is}.`, of }];
  });
}

const triggerOf = ({ before, after }: Difference): unknown => after ?? before;

/** Returns the field whose state machine a trigger belongs to; null for other triggers. */
function fieldOf(trigger: unknown): string | null {
  const [name, sql] = [text(trigger, 'name'), text(trigger, 'sql')];
  if (!isMachineTrigger({ name, sql })) return null;
  return /EXECUTE FUNCTION ninefold\.\w+\('((?:[^']|'')*)'/.exec(sql)?.[1]?.replaceAll("''", "'") ?? null;
}
