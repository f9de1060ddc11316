import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffedApp } from '../../../test/support/diffed-app.ts';
import type { JsonObject } from '../derive/words/sentence-parts.ts';
import { diffChapters } from './diff.ts';
import { canonical, differences } from './differences.ts';

const { derive } = diffedApp('complete');

const words = (before: JsonObject, after: JsonObject): string[] =>
  diffChapters(before, after).map((change) => change.words);

describe('completeness of diffChapters and differences', () => {
  it('reports each changed leaf of a specification, and returns [] for equal specifications', async () => {
    const chapters = await derive();
    const [text, original] = [JSON.stringify(chapters), canonical(chapters)];
    expect(diffChapters(chapters, JSON.parse(text))).toEqual([]);
    const leaves = leavesOf(chapters);
    expect(leaves.length).toBeGreaterThan(500);
    fc.assert(
      fc.property(fc.constantFrom(...leaves), fc.jsonValue(), (path, value) => {
        const changed = JSON.parse(text);
        setAt(changed, path, value);
        fc.pre(canonical(changed) !== original);
        const told = diffChapters(chapters, changed);
        expect(told.length, path.join(' / ')).toBeGreaterThan(0);
        expect(told.every((change) => change.words.length > 3)).toBe(true);
        expect(told.some((change) => change.chapter === path[0])).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('reports added, removed and reordered items in every list', async () => {
    const chapters = await derive();
    const [text, original] = [JSON.stringify(chapters), canonical(chapters)];
    const lists = listsOf(chapters);
    fc.assert(
      fc.property(
        fc.constantFrom(...lists),
        fc.nat(),
        fc.nat(),
        fc.constantFrom('drop', 'swap', 'repeat'),
        (path, a, b, how) => {
          const changed = JSON.parse(text);
          const list = getAt(changed, path) as unknown[];
          const [i, j] = [a % list.length, b % list.length];
          if (how === 'drop') list.splice(i, 1);
          else if (how === 'repeat') list.push(list[i]);
          else [list[i], list[j]] = [list[j], list[i]];
          fc.pre(canonical(changed) !== original);
          expect(diffChapters(chapters, changed).length, path.join(' / ')).toBeGreaterThan(0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reports a change that no describer has a sentence for by its path, such as a new member or an unknown chapter', () => {
    const before = { roles: { weather: [{ name: 'sky', value: 'blue' }] }, climate: { sea: 'low' } };
    const after = { roles: { weather: [{ name: 'sky', value: 'grey' }] }, climate: { sea: 'high' } };
    expect(words(before, after)).toEqual([
      'Other data of this chapter (weather, sky, value) was blue, is now grey.',
      'Other data of this chapter (sea) was low, is now high.',
    ]);
  });

  it('finds a difference for any two unequal values and none for equal ones, and reports every difference', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(differences(a, b).length > 0).toBe(canonical(a) !== canonical(b));
        const told = diffChapters({ entities: a, roles: a, rules: b }, {
          entities: b,
          roles: b,
          rules: a,
        } as JsonObject);
        expect(told.length > 0).toBe(canonical(a) !== canonical(b));
      }),
      { numRuns: 500 },
    );
  });
});

type Path = readonly (string | number)[];

const childrenOf = (value: unknown): [string | number, unknown][] =>
  Array.isArray(value)
    ? value.map((item, i) => [i, item])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];

function leavesOf(value: unknown, path: Path = []): Path[] {
  const children = childrenOf(value);
  return children.length === 0 ? [path] : children.flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function listsOf(value: unknown, path: Path = []): Path[] {
  const below = childrenOf(value).flatMap(([key, child]) => listsOf(child, [...path, key]));
  return Array.isArray(value) && value.length > 0 ? [path, ...below] : below;
}

const getAt = (value: unknown, path: Path): unknown =>
  path.reduce((at, key) => (at as Record<string | number, unknown>)[key], value);

function setAt(value: unknown, path: Path, leaf: unknown): void {
  (getAt(value, path.slice(0, -1)) as Record<string | number, unknown>)[path.at(-1) as string] = leaf;
}
