import type { DescribedChange } from '../describer.ts';
import { type Difference, differences, type JsonObject } from '../differences.ts';
import { cut, fromTo, oneLine, sentence, thing, valueWords } from './values.ts';

/** A difference that nobody has words of its own for: its path, and what stood and stands there. */
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

/** A member's name as words, the key of an item as it is. */
const stepWords = (step: string): string =>
  step.startsWith('[') && step.endsWith(']') ? cut(oneLine(thing(step.slice(1, -1)))) : step.replaceAll('_', ' ');

/** What else differs between two items, beside members that are told already: "applies to was …, is now …". */
export function restWords(before: JsonObject, after: JsonObject, told: readonly string[]): string[] {
  return differences(before, after)
    .filter(({ path }) => !told.includes(path[0] ?? ''))
    .map(
      ({ path, kind, before: old, after: fresh }) => `${path.map(stepWords).join(', ')} ${ending(kind, old, fresh)}`,
    );
}
