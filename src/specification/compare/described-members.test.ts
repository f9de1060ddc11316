import { describe, expect, it } from 'vitest';
import { emptyMembers, fullChapters } from '../../../test/support/full-chapters.ts';
import type { JsonObject } from '../derive/words/sentence-parts.ts';
import { diffChapters } from './diff.ts';
import { UNKNOWN } from './generic.ts';

type Path = readonly (string | number)[];

/** Returns one chapter, without the others, so that a comparison takes little time. */
const copyOf = (key: string | number): JsonObject =>
  JSON.parse(JSON.stringify({ [key]: fullChapters[key as keyof typeof fullChapters] }));

/** Returns the values that a value can change to. Undefined means that the member becomes absent. */
function othersOf(value: unknown, path: Path): unknown[] {
  const list = path.slice(0, -1).filter((step) => typeof step === 'string');
  const empty = emptyMembers[list.join('/')] ?? {};
  const name = String(path.at(-1));
  const none = Object.hasOwn(empty, name) ? [empty[name]] : [];
  return [...none, ...valuesBeside(value)].filter((other) => JSON.stringify(other) !== JSON.stringify(value));
}

function valuesBeside(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value} too`, 'other'];
  if (typeof value === 'number') return [value + 1];
  if (typeof value === 'boolean') return [!value];
  if (value === null) return ['other'];
  if (!Array.isArray(value)) return [];
  if (value.every((item) => typeof item === 'string')) return [[...value, 'more'], value.slice(1), ['other']];
  return [value.slice(1)];
}

interface Mutation {
  path: Path;
  other: unknown;
}

/** Returns every change of one value of the specification. */
function mutationsOf(value: unknown, path: Path = []): Mutation[] {
  const own = path.length < 2 ? [] : othersOf(value, path).map((other): Mutation => ({ path, other }));
  const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = children.flatMap(([key, child]) =>
    mutationsOf(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [...own, ...below];
}

function changed({ path, other }: Mutation): JsonObject {
  const copy = copyOf(path[0] ?? '');
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], copy);
  (parent as Record<string | number, unknown>)[path.at(-1) as string] = other;
  return copy;
}

/** Matches words that only the JSON has: members with an underscore, objects, and the phrases for unknown members. */
const raw = new RegExp(
  [
    UNKNOWN,
    String.raw`\b(?:${[...new Set(mutationsOf(fullChapters).flatMap(({ path }) => path.filter((step) => /_/.test(String(step)))))].join('|')})\b(?!_)`,
    String.raw`\{"|\[object|undefined`,
    String.raw`is new: |is gone; it was|: \.$|: ;|\(before: \)|  | \.`,
  ].join('|'),
);

describe('diffChapters', () => {
  const mutations = mutationsOf(fullChapters).filter(({ path }) => !path.includes('sources'));

  it('walks every member of the specification', () => {
    expect(mutations.length).toBeGreaterThan(500);
  });

  it('describes each change of each member of the specification in words, and never by its path', () => {
    const faults = mutations.flatMap((mutation) => {
      const [before, after] = [copyOf(mutation.path[0] ?? ''), changed(mutation)];
      const told = [...diffChapters(before, after), ...diffChapters(after, before)];
      const words = told.map((change) => change.words);
      const isDescribed = words.length > 0 && words.every((one) => !raw.test(one) && /[.!?…”]$/.test(one));
      return isDescribed
        ? []
        : [`${mutation.path.join(' / ')} = ${JSON.stringify(mutation.other)}: ${words.join(' | ')}`];
    });
    expect(faults).toEqual([]);
  });
});
