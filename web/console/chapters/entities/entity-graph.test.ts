import { describe, expect, it } from 'vitest';
import { entityId } from '../../../../contract/entity-names.ts';
import type { EntitiesChapter, Entity, Field, Relation } from '../../../../contract/specification-entities.ts';
import { entityFixture, fieldFixture } from '../../../../test/support/entity-fixture.ts';
import { edgesAt, entityGraph, fieldWords } from './entity-graph.ts';
import { entityMermaid } from './entity-mermaid.ts';

const field = (name: string, more: Partial<Field> = {}): Field => fieldFixture(name, { type: 'bigint', ...more });
const entity = (schema: string, name: string, more: Partial<Entity> = {}): Entity =>
  entityFixture(name, {
    id: entityId(schema, name),
    schema,
    fields: [field('id')],
    figures: { rows_estimate: 1240, size_bytes: 1 },
    ...more,
  });
const relation = (from: string, to: string, schema = 'public', more: Partial<Relation> = {}): Relation => ({
  name: `${from}_fkey`,
  from: { schema: 'public', entity: from, fields: ['a', 'b'] },
  to: { schema, entity: to, fields: ['a', 'b'] },
  kind: 'many-to-one',
  on_delete: 'no action',
  ...more,
});
const chapter = (entities: Entity[], relations: Relation[] = []): EntitiesChapter => ({
  entities,
  relations,
  junctions: [],
  view_foreign_keys: [],
  sources: [],
});

describe('entityGraph', () => {
  const graph = entityGraph(
    chapter(
      [entity('public', 'notes'), entity('public', 'lone', { kind: 'view' })],
      [relation('notes', 'users', 'auth'), relation('notes', 'notes')],
    ),
  );

  it('has a box for each entity, and for each referenced entity of another chapter', () => {
    expect(graph.boxes.map(({ id, name, look }) => [id, name, look])).toEqual([
      ['public.notes', 'notes', 'usual'],
      ['public.lone', 'lone', 'derived'],
      ['auth.users', 'auth.users', 'outside'],
    ]);
    expect(graph.boxes.map(({ figure, isEstimate = false }) => [figure, isEstimate])).toEqual([
      ['1,240', true],
      [null, false],
      [null, false],
    ]);
  });

  it('has only edges between existing boxes, including edges from a box to itself', () => {
    const ids = new Set(graph.boxes.map(({ id }) => id));
    expect(graph.edges).toHaveLength(2);
    expect(graph.edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
    expect(graph.edges[0]?.label).toBe('a, b');
    expect(edgesAt(graph, 'auth.users').size).toBe(1);
    expect(edgesAt(graph, null).size).toBe(0);
  });

  it('assigns boxes to frames of their schemas only if the app has several schemas', () => {
    expect(new Set(graph.boxes.map(({ group }) => group))).toEqual(new Set([null]));
    const two = entityGraph(chapter([entity('public', 'a'), entity('shop', 'a')]));
    expect(two.boxes.map(({ group, name }) => [group, name])).toEqual([
      ['public', 'a'],
      ['shop', 'a'],
    ]);
    // All boxes of entities have the same colour, because colours distinguish only states.
    expect(new Set(two.boxes.map(({ colour }) => colour))).toEqual(new Set(['d-6']));
  });

  it('returns for each box the names of its fields, by which the search finds the box', () =>
    expect(fieldWords(chapter([entity('public', 'a', { fields: [field('sku')] })])).get('public.a')).toContain('sku'));
});

describe('entityMermaid', () => {
  const text = entityMermaid(
    chapter(
      [
        entity('public', 'line items', {
          unique_keys: [['code']],
          fields: [
            field('id'),
            field('code', { type: 'character varying(10)', comment: 'as "printed"' }),
            field('a', { nullable: true, references: { schema: 'public', entity: 'orders', field: 'id' } }),
          ],
        }),
        entity('public', 'orders'),
      ],
      [relation('line items', 'orders'), relation('orders', 'line items', 'public', { kind: 'one-to-one' })],
    ),
  );
  it('writes entities, fields with their keys, and cardinalities', () => {
    expect(text).toContain('  "line items" {\n    bigint id PK\n');
    expect(text).toContain(`    character_varying(10) code UK "as 'printed'"\n`);
    expect(text).toContain('    bigint a FK\n');
    expect(text).toContain('  "line items" }o--o| "orders" : "a, b"\n');
    expect(text).toContain('  "orders" |o--|| "line items" : "a, b"\n');
  });

  it('describes keys over periods, and draws a reference over periods with several referenced rows', () => {
    const [room, during] = [field('room'), field('during', { type: 'int4range', nullable: false, comment: 'When' })];
    const periods = entityMermaid(
      chapter(
        [
          entity('public', 'rooms', { fields: [room, during], period_keys: [{ fields: ['room'], period: 'during' }] }),
          entity('public', 'stays', { fields: [room, during] }),
        ],
        [
          relation('stays', 'rooms', 'public', {
            from: { schema: 'public', entity: 'stays', fields: ['room', 'during'] },
            period: true,
          }),
        ],
      ),
    );
    expect(periods).toContain('    bigint room "unique among rows whose during overlaps"\n');
    expect(periods).toContain('    int4range during "When; without overlaps among rows of the same room"\n');
    expect(periods).toContain('    int4range during FK "When"\n');
    expect(periods).toContain('  "stays" }o--|{ "rooms" : "room, period during"\n');
  });
});
