import type { Difference } from '../differences.ts';

/** What went and came again under another name: pairs of a removal and an addition whose items `likeness` makes alike. */
export function renamings(
  differences: readonly Difference[],
  likeness: (item: unknown) => string,
): [gone: Difference, come: Difference][] {
  const come = differences.filter(({ kind }) => kind === 'added');
  return differences
    .filter(({ kind }) => kind === 'removed')
    .flatMap((gone): [Difference, Difference][] => {
      const place = come.findIndex(({ after }) => likeness(after) === likeness(gone.before));
      const [found] = place < 0 ? [] : come.splice(place, 1);
      return found ? [[gone, found]] : [];
    });
}
