import { describe, expect, it } from 'vitest';
import type { Entity, Field } from '../../../../contract/specification.ts';
import { fieldMarks, filledBy, openTables, relationsOf } from './entity-words.ts';

const field = (name: string, more: Partial<Field> = {}): Field => ({
  name,
  type: 'text',
  base_type: null,
  nullable: false,
  default: null,
  generated: null,
  identity: null,
  enum_values: null,
  comment: null,
  references: null,
  ...more,
});
const entity = (name: string, more: Partial<Entity> = {}): Entity => ({
  id: `public.${name}`,
  schema: 'public',
  name,
  kind: 'table',
  exposed: true,
  comment: null,
  owner: 'app_x',
  row_level_security: true,
  forced_row_level_security: false,
  security: null,
  writable: { insert: true, update: true, delete: true },
  primary_key: ['id'],
  unique_keys: [],
  fields: [],
  triggers: [],
  inherits: [],
  partitions: 0,
  definition: null,
  extension: null,
  ...more,
});

describe('a field says what fills it in', () => {
  it.each([
    [field('a'), null],
    [field('a', { default: 'now()' }), 'now()'],
    [field('a', { default: "'new'::public.state" }), "'new'"],
    [field('a', { identity: 'always' }), 'counted up'],
    [field('a', { identity: 'by default' }), 'counted up unless given'],
    [field('a', { generated: 'stored', default: 'b * 2' }), 'from b * 2'],
  ])('%j', (given, words) => expect(filledBy(given)).toBe(words));
});

it('marks keys, references and what may be null', () => {
  const references = { schema: 'auth', entity: 'users', field: 'id' };
  expect(fieldMarks(entity('a'), field('id', { references }))).toEqual(['key', 'reference']);
  expect(fieldMarks(entity('a'), field('b', { nullable: true }))).toEqual(['may be null']);
});

it('tells the relations of tables apart that share a name in two schemas', () => {
  const end = (schema: string, name: string) => ({ schema, entity: name, fields: ['id'] });
  const relation = {
    name: 'r',
    from: end('shop', 'orders'),
    to: end('public', 'users'),
    kind: 'many-to-one' as const,
    on_delete: 'cascade' as const,
  };
  expect(relationsOf(entity('users'), [relation])).toEqual({ out: [], in: [relation] });
  expect(relationsOf(entity('users', { schema: 'auth' }), [relation])).toEqual({ out: [], in: [] });
});

it('warns of tables that everybody with a grant reads whole, and of no others', () => {
  const open = entity('open', { row_level_security: false });
  const hidden = entity('hidden', { row_level_security: false, exposed: false });
  const view = entity('view', { row_level_security: false, kind: 'view' });
  expect(openTables({ entities: [entity('closed'), open, hidden, view], relations: [], sources: [] })).toEqual([open]);
});
