import { groupBy } from '../../catalog/group.ts';
import type { JsonObject } from '../derive/words/sentence-parts.ts';
import type { Difference } from './differences.ts';

/** A sentence about a change, with the differences that the sentence reports. */
export interface DescribedChange {
  words: string;
  of: readonly Difference[];
}

/** The chapters of both versions, for facts that a difference alone does not contain. */
export interface ChapterPair {
  before: JsonObject;
  after: JsonObject;
}

/**
 * Describes the differences of one chapter in words. `diffChapters` reports the remaining differences by their path, so
 * a describer may be incomplete.
 */
export interface ChangeDescriber {
  /**
   * Patterns of the paths whose values are compared as a whole. Paths start below the chapter; `*` stands for any name
   * or key.
   */
  whole: readonly string[];
  describeChanges(differences: readonly Difference[], sides: ChapterPair): DescribedChange[];
}

/**
 * Returns true if a path matches the pattern, such as `cells/*`. The path of a changed order (`cells/order`) does not
 * match, because it names no item of the list.
 */
export function matches(path: readonly string[], pattern: string): boolean {
  const parts = pattern.split('/');
  return (
    parts.length === path.length && parts.every((part, i) => (part === '*' ? path[i] !== 'order' : part === path[i]))
  );
}

/** Returns the key of a list item in a path, without its brackets. */
export const keyAt = (difference: Difference, index: number): string => (difference.path[index] ?? '').slice(1, -1);

/**
 * Pairs each removed item with an added item that is the same object under another name. The items of a pair have the
 * same `place` and the same `likeness`.
 */
export function pairRenamed(
  differences: readonly Difference[],
  likeness: (item: unknown) => string,
  place: (difference: Difference) => string = () => '',
): [removed: Difference, added: Difference][] {
  const added = groupBy(
    differences.filter(({ kind }) => kind === 'added'),
    (one) => `${place(one)}\0${likeness(one.after)}`,
  );
  if (added.size === 0) return [];
  return differences
    .filter(({ kind }) => kind === 'removed')
    .flatMap((removed): [Difference, Difference][] => {
      const found = added.get(`${place(removed)}\0${likeness(removed.before)}`)?.shift();
      return found ? [[removed, found]] : [];
    });
}
