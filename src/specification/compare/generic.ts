import { cut, fromTo, isObject, type JsonObject, oneLine, thing, valueWords } from '../derive/words/sentence-parts.ts';
import type { DescribedChange } from './describer.ts';
import { canonical, type Difference, differences } from './differences.ts';

/**
 * The start of the sentence about a difference that no describer knows, such as a member that a newer Ninefold has added.
 * No member of the types in `contract` is described in this way; a test checks this.
 */
export const UNKNOWN = 'Other data of this chapter';

/** Describes a difference that no describer has a sentence for, by its path and its two values. */
export function genericWords(difference: Difference): DescribedChange {
  const { path, kind, before, after } = difference;
  return { words: `${UNKNOWN}${placeOf(path)} ${ending(kind, before, after)}.`, of: [difference] };
}

const placeOf = (path: readonly string[]): string => (path.length === 0 ? '' : ` (${path.map(stepWords).join(', ')})`);

function ending(kind: Difference['kind'], before: unknown, after: unknown): string {
  if (kind === 'added') return `is new: ${valueWords(after)}`;
  if (kind === 'removed') return `is gone; it was ${valueWords(before)}`;
  return fromTo(before, after);
}

/** Returns the name of a member as words, and the key of an item unchanged. */
const stepWords = (step: string): string =>
  step.startsWith('[') && step.endsWith(']') ? cut(oneLine(thing(step.slice(1, -1)))) : step.replaceAll('_', ' ');

/** Describes the change of a member: its name in words, or a function that returns the words of the change. */
type MemberWords = string | ((before: unknown, after: unknown) => string);

/**
 * Words for every member of a type, so that a new member without words is a compile error. A member whose change the
 * describer always describes with another member has the value null.
 */
export type Members<Item> = { readonly [Name in keyof Item]-?: MemberWords | null };

/** Returns words for a member that is true or absent, or true or false. */
export const either =
  (yes: string, no: string): MemberWords =>
  (_, after) =>
    after === true ? yes : no;

/**
 * Describes the differences between two items, except those in the members of `described`, which another sentence describes:
 * "the hint is now “Log in” (before: “Sign in”)".
 */
export function restWords(
  before: JsonObject,
  after: JsonObject,
  described: readonly string[],
  members: Readonly<Record<string, MemberWords | null>>,
): string[] {
  const changed = new Set(differences(before, after).map(({ path }) => path[0] ?? ''));
  return [...changed].flatMap((name): string[] => {
    if (described.includes(name)) return [];
    const words = Object.hasOwn(members, name) ? members[name] : undefined;
    const [was, is] = [before[name], after[name]];
    if (words === null) return [];
    if (words === undefined) return [`${UNKNOWN} (${stepWords(name)}) ${fromTo(was, is)}`];
    return [typeof words === 'string' ? nowWords(words, was, is) : words(was, is)];
  });
}

/** Returns a changed value in words: "the unit is now bytes (before: seconds)". */
function nowWords(name: string, before: unknown, after: unknown): string {
  if (isNothing(after)) return `${name} is no longer set (before: ${valueWords(before)})`;
  if (isNothing(before)) return `${name} is now ${valueWords(after)}`;
  const [was, is] = [valueWords(before), valueWords(after)];
  if (was !== is) return `${name} is now ${is} (before: ${was})`;
  return `${name} ${isObject(before) || canonical(before) !== canonical(after) ? fromTo(before, after) : 'has changed'}`;
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';
