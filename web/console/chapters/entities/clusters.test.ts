import { describe, expect, it } from 'vitest';
import type { EntitiesChapter, Entity, Relation } from '../../../../contract/specification-entities.ts';
import { entityFixture } from '../../../../test/support/entity-fixture.ts';
import { clustersOf } from './clusters.ts';

const entity = (name: string, rows = 0): Entity =>
  entityFixture(name, { figures: { rows_estimate: rows, size_bytes: 0 } });
const relation = (from: string, to: string): Relation => ({
  name: `${from}_${to}`,
  from: { schema: 'public', entity: from, fields: ['a'] },
  to: { schema: 'public', entity: to, fields: ['id'] },
  kind: 'many-to-one',
  on_delete: 'no action',
});
const chapter = (entities: Entity[], relations: Relation[]): EntitiesChapter => ({
  ...{ entities, relations, junctions: [], view_foreign_keys: [], sources: [] },
});
/** Returns relations between all pairs of these names. */
const dense = (names: readonly string[]): Relation[] =>
  names.flatMap((from, at) => names.slice(at + 1).map((to) => relation(from, to)));
const called = (prefix: string, many: number) => Array.from({ length: many }, (_, n) => `${prefix}${n}`);
const shapeOf = (given: EntitiesChapter) =>
  clustersOf(given).map(({ name, entities }) => [name, entities.map((one) => one.name).toSorted()]);

describe('clustersOf', () => {
  it('keeps related entities together, and names a cluster by the common prefix or the largest table', () => {
    const [sales, stock] = [called('sales_', 5), ['items', 'movements', 'sites', 'bins']];
    const given = chapter(
      [...sales.map((name) => entity(name)), ...stock.map((name) => entity(name, name === 'movements' ? 9 : 1))],
      [...dense(sales), ...dense(stock), relation('sales_0', 'items')],
    );
    expect(shapeOf(given)).toEqual([
      ['sales', sales],
      ['movements', stock.toSorted()],
    ]);
    expect(clustersOf(given)[0]).toMatchObject({ inside: 10, outside: 1 });
    expect(clustersOf(given)[1]).toMatchObject({ inside: 6, outside: 1, rows: 12 });
  });

  it('names a cluster by the prefix that most of its names share', () => {
    const names = [...called('stock_', 4), 'places'];
    const given = chapter(
      names.map((name) => entity(name, name === 'places' ? 500 : 1)),
      dense(names),
    );
    expect(clustersOf(given)[0]?.name).toBe('stock');
  });

  it('does not join clusters by a table that everything references', () => {
    const [a, b] = [called('a', 10), called('b', 10)];
    const given = chapter(
      [...a, ...b, 'tenants'].map((name) => entity(name)),
      [...dense(a), ...dense(b), ...[...a, ...b].map((name) => relation(name, 'tenants'))],
    );
    expect(shapeOf(given).map(([, names]) => names)).toEqual([a, b, ['tenants']]);
    expect(shapeOf(given)[2]?.[0]).toBe('shared');
  });

  it('lists tables without a relation once each, at most thirty in a cluster', () => {
    const names = called('t', 70);
    const found = clustersOf(
      chapter(
        names.map((name) => entity(name)),
        [],
      ),
    );
    expect(found.map(({ entities }) => entities.length)).toEqual([24, 24, 22]);
    expect(new Set(found.flatMap(({ entities }) => entities.map(({ name }) => name)))).toEqual(new Set(names));
    expect(new Set(found.map(({ name }) => name)).size).toBe(3);
  });

  it('divides a chain of 200 tables into clusters of a readable size', () => {
    const names = called('t', 200);
    const links = names.slice(1).map((name, at) => relation(name, names[at] ?? ''));
    const sizes = clustersOf(
      chapter(
        names.map((name) => entity(name)),
        links,
      ),
    ).map(({ entities }) => entities.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(40);
    expect(sizes.length).toBeGreaterThan(4);
  });
});
