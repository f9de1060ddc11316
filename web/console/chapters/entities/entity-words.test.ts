import { describe, expect, it } from 'vitest';
import type { Relation } from '../../../../contract/specification-entities.ts';
import { entityFixture as entity, fieldFixture as field } from '../../../../test/support/entity-fixture.ts';
import {
  arrivingWords,
  attributeWords,
  checkWords,
  countedWords,
  equalWords,
  fieldMarks,
  filledBy,
  keysOf,
  leavingWords,
  openTables,
  relationsOf,
  relationWords,
  triggerRemark,
} from './entity-words.ts';

describe('filledBy', () => {
  it.each([
    [field('a'), null],
    [field('a', { default: 'now()' }), 'now()'],
    [field('a', { default: "'new'::public.state" }), "'new'"],
    [field('a', { identity: 'always' }), 'identity'],
    [field('a', { identity: 'by default' }), 'identity, by default'],
    [field('a', { generated: 'stored', default: 'b * 2' }), 'from b * 2'],
  ])('describes the default of %j', (given, words) => expect(filledBy(given)).toBe(words));
});

describe('countedWords', () => {
  it.each([
    [field('a'), 'none'],
    [field('a', { identity: 'always' }), 'always'],
    [field('a', { identity: 'by default', numbering: 'from 1000' }), 'by default, from 1000'],
    [
      field('a', { default: "nextval('s')", numbering: 'from 5 to 6, then again from 5' }),
      'from 5 to 6, then again from 5',
    ],
  ])('describes how %j is counted', (given, words) => expect(countedWords(given)).toBe(words));
});

it('equalWords describes which strings a collation treats as equal, and ignores a collation that only sorts', () => {
  const equal = 'that differ in accents alone';
  expect(equalWords(field('a', { collation: { name: 'public.loose', equal } }))).toBe(
    'texts that differ in accents alone count as the same',
  );
  expect(equalWords(field('a', { collation: { name: '"C"' } }))).toBeNull();
  expect(equalWords(field('a'))).toBeNull();
});

it('fieldMarks marks keys, references and nullable fields', () => {
  const references = { schema: 'auth', entity: 'users', field: 'id' };
  expect(fieldMarks(entity('a'), field('id', { references }))).toEqual(['key', 'reference']);
  expect(fieldMarks(entity('a'), field('b', { nullable: true }))).toEqual(['may be null']);
});

it('keysOf lists the keys of a field, and says if a key is unique only among rows with overlapping periods', () => {
  const stays = entity('stays', {
    primary_key: ['id', 'during'],
    unique_keys: [['code'], ['room', 'code']],
    period_keys: [
      { fields: ['id'], period: 'during' },
      { fields: ['room', 'bed'], period: 'during' },
    ],
  });
  expect(keysOf(stays, field('id'))).toEqual(['primary', 'unique among rows whose during overlaps']);
  expect(keysOf(stays, field('code'))).toEqual(['unique', 'unique with room']);
  expect(keysOf(stays, field('bed'))).toEqual(['unique with room among rows whose during overlaps']);
  expect(keysOf(stays, field('during'))).toEqual([
    'primary',
    'without overlaps among rows of the same id',
    'without overlaps among rows of the same room, bed',
  ]);
  expect(keysOf(stays, field('note'))).toEqual([]);
});

describe('leavingWords, arrivingWords and relationWords', () => {
  const relation: Relation = {
    name: 'r',
    from: { schema: 'public', entity: 'stays', fields: ['room', 'during'] },
    to: { schema: 'public', entity: 'rooms', fields: ['id', 'during'] },
    kind: 'many-to-one',
    on_delete: 'no action',
  };

  it('add nothing to a relation with the default properties', () => {
    expect(leavingWords(relation)).toEqual([]);
    expect(arrivingWords(relation)).toBeNull();
    expect(relationWords(relation, 'there')).toBe('many-to-one; on delete there: no action');
  });

  it('name the fields that a deletion sets to null, and the effect of a changed key', () => {
    const followed: Relation = { ...relation, on_delete: 'set null', on_delete_fields: ['room'], on_update: 'cascade' };
    expect(leavingWords(followed)).toEqual(['on delete set null (room)', 'on update cascade']);
    expect(relationWords(followed, 'here')).toBe(
      'many-to-one; on delete here: set null (room); on update here: cascade',
    );
  });

  it('describe a one-to-one relation as “one at most”', () => {
    expect(arrivingWords({ ...relation, kind: 'one-to-one' })).toBe('one at most');
  });

  it('describe that referenced rows cover a period together', () => {
    const covered: Relation = { ...relation, period: true };
    expect(leavingWords(covered)).toEqual(['whose rows cover all of during together']);
    expect(arrivingWords(covered)).toBe('rows here cover all of during together');
    expect(relationWords(covered, 'there')).toBe('rows there cover all of during together; on delete there: no action');
  });
});

it('relationsOf distinguishes relations of tables with the same name in two schemas', () => {
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

it('openTables warns only of exposed tables without row-level security', () => {
  const open = entity('open', { row_level_security: false });
  const hidden = entity('hidden', { row_level_security: false, exposed: false });
  const view = entity('view', { row_level_security: false, kind: 'view' });
  expect(
    openTables({
      entities: [entity('closed'), open, hidden, view],
      relations: [],
      junctions: [],
      view_foreign_keys: [],
      sources: [],
    }),
  ).toEqual([open]);
});

it('attributeWords describes the attributes of a composite type', () => {
  const attributes = [
    { name: 'street', type: 'text' },
    { name: 'kind', type: 'public.kind', comment: 'of house' },
  ];
  expect(attributeWords(field('seat', { attributes }))).toBe('street text, kind kind (of house)');
  const within = [{ name: 'home', type: 'public.seat', attributes }];
  expect(attributeWords(field('seats', { attributes: within }))).toBe(
    'home seat of (street text, kind kind (of house))',
  );
  expect(attributeWords(field('name'))).toBe('');
});

it('checkWords describes which rows can be written through a view, and whether the conditions of its base views apply', () => {
  expect(checkWords(entity('a'))).toBeNull();
  expect(checkWords(entity('a', { check_option: 'local' }))).toBe('only rows that it shows by its own condition');
  expect(checkWords(entity('a', { check_option: 'cascaded' }))).toContain('the underlying views');
});

it('triggerRemark describes a trigger that is disabled or also fires for replicated rows', () => {
  const trigger = { name: 't', sql: '', enabled: true };
  expect(triggerRemark(trigger)).toBeNull();
  expect(triggerRemark({ ...trigger, in_replicas: true })).toBe('for replicated rows too');
  expect(triggerRemark({ ...trigger, enabled: false })).toBe('switched off');
});
