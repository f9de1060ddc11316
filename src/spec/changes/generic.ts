import type { DescribedChange } from './describer.ts';
import { type Difference, differences, type JsonObject } from './differences.ts';
import { cut, fromTo, oneLine, sentence, thing, valueWords } from './values.ts';

/** Describes a difference that no describer has a sentence for, by its path and its two values. */
export function genericWords(difference: Difference): DescribedChange {
  const { path, kind, before, after } = difference;
  const where = path.map(stepWords).join(', ');
  return {
    words: `${sentence(where === '' ? 'the chapter' : where)} ${ending(kind, before, after)}.`,
    of: [difference],
  };
}

function ending(kind: Difference['kind'], before: unknown, after: unknown): string {
  if (kind === 'added') return `is new: ${valueWords(after)}`;
  if (kind === 'removed') return `is gone; it was ${valueWords(before)}`;
  return fromTo(before, after);
}

/** Returns the name of a member as words, and the key of an item unchanged. */
const stepWords = (step: string): string =>
  step.startsWith('[') && step.endsWith(']') ? cut(oneLine(thing(step.slice(1, -1)))) : step.replaceAll('_', ' ');

/**
 * Describes the differences between two items, except those in the members of `told`, which another sentence describes:
 * “applies to was …, is now …”.
 */
export function restWords(before: JsonObject, after: JsonObject, told: readonly string[]): string[] {
  return differences(before, after)
    .filter(({ path }) => !told.includes(path[0] ?? ''))
    .map(
      ({ path, kind, before: old, after: fresh }) => `${path.map(stepWords).join(', ')} ${ending(kind, old, fresh)}`,
    );
}
