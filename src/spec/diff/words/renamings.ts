import { groupBy } from '../../group.ts';
import type { Difference } from '../differences.ts';

/** What went and came again under another name: pairs of a removal and an addition whose items `likeness` makes alike. */
export function renamings(
  differences: readonly Difference[],
  likeness: (item: unknown) => string,
): [gone: Difference, come: Difference][] {
  const come = groupBy(
    differences.filter(({ kind }) => kind === 'added'),
    ({ after }) => likeness(after),
  );
  if (come.size === 0) return [];
  return differences
    .filter(({ kind }) => kind === 'removed')
    .flatMap((gone): [Difference, Difference][] => {
      const found = come.get(likeness(gone.before))?.shift();
      return found ? [[gone, found]] : [];
    });
}
