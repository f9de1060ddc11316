import type { Change } from '../../../contract/changes.ts';
import type { ChapterKey } from '../../../contract/chapters.ts';
import { fewWords, isObject, type JsonObject } from '../derive/words/sentence-parts.ts';
import { callsDescriber } from './chapters/calls.ts';
import { entitiesDescriber } from './chapters/entities.ts';
import { errorsDescriber } from './chapters/errors.ts';
import { limitsDescriber } from './chapters/limits.ts';
import { purposeDescriber } from './chapters/purpose.ts';
import { rolesDescriber } from './chapters/roles.ts';
import { rulesDescriber } from './chapters/rules.ts';
import { screensDescriber } from './chapters/screens.ts';
import { statesDescriber } from './chapters/states.ts';
import { type ChangeDescriber, type DescribedChange, matches } from './describer.ts';
import { type Difference, differences } from './differences.ts';
import { followMembers } from './follow-members.ts';
import { genericWords } from './generic.ts';
import { inferRenames } from './infer-renames.ts';
import { notesOf, type RenameSentences } from './rename-sentences.ts';
import { withoutMarks } from './renames.ts';

/** The describers of the chapters. A difference that a describer omits is reported by its path. */
const describers: Readonly<Record<ChapterKey, ChangeDescriber>> = {
  purpose: purposeDescriber,
  screens: screensDescriber,
  states: statesDescriber,
  errors: errorsDescriber,
  limits: limitsDescriber,
  entities: entitiesDescriber,
  rules: rulesDescriber,
  roles: rolesDescriber,
  calls: callsDescriber,
};

const nothing: ChangeDescriber = { whole: [], describeChanges: () => [] };

/**
 * Returns the changes between two specifications without facts, such as two files, in words. Renames are found by the
 * equality of everything but the name. `compareDerivations` compares two versions of one app.
 */
export function diffChapters(before: JsonObject, after: JsonObject): Change[] {
  const notes = notesOf(after);
  return describeDifferences(followMembers(before, after, inferRenames(before, after), notes), after, notes);
}

/**
 * Describes the differences between the chapters of two specifications in words, by chapter and in a stable order. If
 * the chapters differ, there is at least one change; if they are equal, there is none. Pure.
 * @param before The older chapters with the newer names of renamed objects.
 * @param notes The renames that each chapter contains.
 */
export function describeDifferences(
  before: JsonObject,
  after: JsonObject,
  notes: ReadonlyMap<string, RenameSentences>,
): Change[] {
  const others = Object.keys({ ...before, ...after }).filter((key) => !notes.has(key));
  const keys = [...notes.keys(), ...others] as ChapterKey[];
  return keys.flatMap((key) => diffChapter(key, before, after, notes.get(key)?.all() ?? []));
}

/** @param renames Sentences that report renames. `before` already contains the newer names. */
function diffChapter(
  key: ChapterKey,
  before: JsonObject,
  after: JsonObject,
  renames: readonly DescribedChange[],
): Change[] {
  const describer = Object.hasOwn(describers, key) ? describers[key] : nothing;
  const isWhole = (path: readonly string[]) => describer.whole.some((pattern) => matches(path, pattern));
  // A chapter that only one version has is compared with an empty chapter, so that its items are reported individually.
  const [old, fresh] = [before[key], after[key]];
  const found = differences(
    old === undefined ? emptied(fresh) : old,
    fresh === undefined ? emptied(old) : fresh,
    isWhole,
  );
  if (found.length === 0 && (old === undefined) !== (fresh === undefined)) {
    found.push({ path: [], kind: old === undefined ? 'added' : 'removed', before: old, after: fresh });
  }
  const described = describer.describeChanges(found, { before, after });
  const undescribed = new Set(found);
  for (const { of } of described) for (const difference of of) undescribed.delete(difference);
  const order = new Map(found.map((difference, i) => [difference, i]));
  const first = (of: readonly Difference[]) => Math.min(...of.map((difference) => order.get(difference) ?? 0));
  const [asides, rest] = [
    [...undescribed].filter(isMinor),
    [...undescribed].filter((difference) => !isMinor(difference)),
  ];
  const [start, ...others] = [...renames, ...described, ...rest.map(genericWords)];
  // Minor differences get their own sentences only if nothing else in the chapter has changed. Otherwise the first
  // sentence reports them.
  const sentences = start ? [{ ...start, of: [...start.of, ...asides] }, ...others] : asidesWords(asides);
  return sentences
    .sort((a, b) => first(a.of) - first(b.of))
    .map(({ words, of }) => ({
      chapter: key,
      kind: kindOf(of),
      words: withoutMarks(words),
      paths: of.map(({ path }) => withoutMarks(path.map(step).join(' / '))),
    }));
}

/**
 * Returns true for a difference that follows from other reported differences: a difference in the sources of the
 * chapter, or in the order of its items.
 */
const isMinor = ({ path }: Difference): boolean => path[0] === 'sources' || (path.length === 2 && path[1] === 'order');

function asidesWords(of: readonly Difference[]): DescribedChange[] {
  const sources = of.filter(({ path }) => path[0] === 'sources');
  const orders = of.filter((one) => !sources.includes(one));
  const labels = [...new Set(sources.map(({ path }) => step(path[1] ?? 'sources')))];
  return [
    ...orders.map(
      (one): DescribedChange => ({
        words: `The ${step(one.path[0] ?? '').replaceAll('_', ' ')} are in another order.`,
        of: [one],
      }),
    ),
    ...(sources.length === 0
      ? []
      : [{ words: `The sources of this chapter have changed: ${fewWords(labels)}.`, of: sources }]),
  ];
}

/** Returns the chapter with its lists emptied. */
const emptied = (chapter: unknown): unknown =>
  isObject(chapter)
    ? Object.fromEntries(
        Object.entries(chapter)
          .filter(([, value]) => Array.isArray(value))
          .map(([name]) => [name, []]),
      )
    : undefined;

const step = (name: string): string => (name.startsWith('[') ? name.slice(1, -1) : name);

function kindOf(of: readonly Difference[]): Change['kind'] {
  const own = of.filter((difference) => !isMinor(difference));
  const kinds = new Set((own.length > 0 ? own : of).map(({ kind }) => kind));
  return kinds.size === 1 ? ([...kinds][0] ?? 'changed') : 'changed';
}
