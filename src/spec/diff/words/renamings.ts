import { groupBy } from '../../group.ts';
import type { Difference } from '../differences.ts';

/** What went and came again under another name: pairs of a removal and an addition in one `place` whose items `likeness` makes alike. */
export function renamings(
  differences: readonly Difference[],
  likeness: (item: unknown) => string,
  place: (difference: Difference) => string = () => '',
): [gone: Difference, come: Difference][] {
  const come = groupBy(
    differences.filter(({ kind }) => kind === 'added'),
    (one) => `${place(one)}\0${likeness(one.after)}`,
  );
  if (come.size === 0) return [];
  return differences
    .filter(({ kind }) => kind === 'removed')
    .flatMap((gone): [Difference, Difference][] => {
      const found = come.get(`${place(gone)}\0${likeness(gone.before)}`)?.shift();
      return found ? [[gone, found]] : [];
    });
}
