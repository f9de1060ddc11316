import { describe, expect, it } from 'vitest';
import type { Relation } from '../../../../contract/specification-entities.ts';
import { entityFixture as entity, fieldFixture as field } from '../../data/specification/entity-fixture.ts';
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

describe('a field says what fills it in', () => {
  it.each([
    [field('a'), null],
    [field('a', { default: 'now()' }), 'now()'],
    [field('a', { default: "'new'::public.state" }), "'new'"],
    [field('a', { identity: 'always' }), 'identity'],
    [field('a', { identity: 'by default' }), 'identity, by default'],
    [field('a', { generated: 'stored', default: 'b * 2' }), 'from b * 2'],
  ])('%j', (given, words) => expect(filledBy(given)).toBe(words));
});

describe('a field says how it counts', () => {
  it.each([
    [field('a'), 'none'],
    [field('a', { identity: 'always' }), 'always'],
    [field('a', { identity: 'by default', numbering: 'from 1000' }), 'by default, from 1000'],
    [
      field('a', { default: "nextval('s')", numbering: 'from 5 to 6, then again from 5' }),
      'from 5 to 6, then again from 5',
    ],
  ])('%j', (given, words) => expect(countedWords(given)).toBe(words));
});

it('says which texts count as the same, and nothing of a collation that only sorts', () => {
  const equal = 'that differ in accents alone';
  expect(equalWords(field('a', { collation: { name: 'public.loose', equal } }))).toBe(
    'texts that differ in accents alone count as the same',
  );
  expect(equalWords(field('a', { collation: { name: '"C"' } }))).toBeNull();
  expect(equalWords(field('a'))).toBeNull();
});

it('marks keys, references and what may be null', () => {
  const references = { schema: 'auth', entity: 'users', field: 'id' };
  expect(fieldMarks(entity('a'), field('id', { references }))).toEqual(['key', 'reference']);
  expect(fieldMarks(entity('a'), field('b', { nullable: true }))).toEqual(['may be null']);
});

it('says of which keys a field is part, and in which rows a key over periods holds', () => {
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

describe('a relation says', () => {
  const relation: Relation = {
    name: 'r',
    from: { schema: 'public', entity: 'stays', fields: ['room', 'during'] },
    to: { schema: 'public', entity: 'rooms', fields: ['id', 'during'] },
    kind: 'many-to-one',
    on_delete: 'no action',
  };

  it('nothing but what it is, where it is as usual', () => {
    expect(leavingWords(relation)).toEqual([]);
    expect(arrivingWords(relation)).toBeNull();
    expect(relationWords(relation, 'there')).toBe('many-to-one; on delete there: no action');
  });

  it('which fields a deletion empties, and what a change of the key does', () => {
    const followed: Relation = { ...relation, on_delete: 'set null', on_delete_fields: ['room'], on_update: 'cascade' };
    expect(leavingWords(followed)).toEqual(['on delete set null (room)', 'on update cascade']);
    expect(relationWords(followed, 'here')).toBe(
      'many-to-one; on delete here: set null (room); on update here: cascade',
    );
  });

  it('that it points to one row at most', () => {
    expect(arrivingWords({ ...relation, kind: 'one-to-one' })).toBe('one at most');
  });

  it('that the rows it points to cover a period together, which is no pointing to one of them', () => {
    const covered: Relation = { ...relation, period: true };
    expect(leavingWords(covered)).toEqual(['whose rows cover all of during together']);
    expect(arrivingWords(covered)).toBe('rows here cover all of during together');
    expect(relationWords(covered, 'there')).toBe('rows there cover all of during together; on delete there: no action');
  });
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
  expect(
    openTables({
      entities: [entity('closed'), open, hidden, view],
      relations: [],
      junctions: [],
      shown_keys: [],
      sources: [],
    }),
  ).toEqual([open]);
});

it('says what a value of a composite type consists of', () => {
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

it('says what a view takes, and whether the views beneath have a say', () => {
  expect(checkWords(entity('a'))).toBeNull();
  expect(checkWords(entity('a', { check_option: 'local' }))).toBe('only rows that it shows by its own condition');
  expect(checkWords(entity('a', { check_option: 'cascaded' }))).toContain('the underlying views');
});

it('remarks on a trigger that does not fire as others do', () => {
  const trigger = { name: 't', sql: '', enabled: true };
  expect(triggerRemark(trigger)).toBeNull();
  expect(triggerRemark({ ...trigger, in_replicas: true })).toBe('for replicated rows too');
  expect(triggerRemark({ ...trigger, enabled: false })).toBe('switched off');
});
