import type { Difference, JsonObject } from './differences.ts';

/** A sentence, and the differences that it tells. */
export interface DescribedChange {
  words: string;
  of: readonly Difference[];
}

/** The chapters on both sides, for what a difference alone does not say. */
export interface ChapterPair {
  before: JsonObject;
  after: JsonObject;
}

/**
 * Puts the differences of one chapter into words. What it leaves out is told by its path, so that nothing is ever silent; a
 * describer that knows only half of a chapter is fine.
 */
export interface ChangeDescriber {
  /** Where items are told as one thing: paths below the chapter, `*` for any name or key. */
  whole: readonly string[];
  describeChanges(differences: readonly Difference[], sides: ChapterPair): DescribedChange[];
}

/** True where a path is one of the patterns: `cells/*`. That a list has another order is none of its items. */
export function matches(path: readonly string[], pattern: string): boolean {
  const parts = pattern.split('/');
  return (
    parts.length === path.length && parts.every((part, i) => (part === '*' ? path[i] !== 'order' : part === path[i]))
  );
}

/** The key of a list's item in a path, without its brackets. */
export const keyAt = (difference: Difference, index: number): string => (difference.path[index] ?? '').slice(1, -1);
