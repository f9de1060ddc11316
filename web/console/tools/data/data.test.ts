import { describe, expect, it } from 'vitest';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { entityFixture, fieldFixture } from '../../../../test/support/entity-fixture.ts';
import { nextSort, readDataSearch, readSort } from './data-search.ts';
import { referencesTo } from './references.ts';

describe('readDataSearch, readSort and nextSort', () => {
  it('read valid parameters and omit invalid ones', () => {
    const good = { field: 'id', operator: 'like', value: 'TK-%' };
    expect(
      readDataSearch({
        table: 'public.t',
        where: [good, { field: 'id', operator: 'drop', value: '' }, null, 5],
        row: 7,
        as: '',
      }),
    ).toEqual({ table: 'public.t', where: [good] });
    expect(readDataSearch({ where: 'x' })).toEqual({});
  });

  it('parse an order by an existing field, whatever characters its name contains', () => {
    expect(readSort('a.b.desc', ['a.b'])).toEqual({ field: 'a.b', descending: true });
    expect(readSort('gone.asc', ['a'])).toBeNull();
    expect(readSort(undefined, ['a'])).toBeNull();
  });

  it('change the order from ascending to descending to none', () => {
    expect(nextSort(null, 'a')).toBe('a.asc');
    expect(nextSort({ field: 'a', descending: false }, 'a')).toBe('a.desc');
    expect(nextSort({ field: 'a', descending: true }, 'a')).toBeUndefined();
    expect(nextSort({ field: 'a', descending: true }, 'b')).toBe('b.asc');
  });
});

describe('referencesTo', () => {
  const field = (name: string, to?: [entity: string, field: string]): Field =>
    fieldFixture(name, { references: to ? { schema: 'public', entity: to[0], field: to[1] } : null });
  const entity = (name: string, fields: Field[]): Entity => entityFixture(name, { fields });
  const people = entity('people', [field('id'), field('team')]);

  it('separates two references to the same field', () => {
    const tickets = entity('tickets', [field('author', ['people', 'id']), field('reviewer', ['people', 'id'])]);
    expect(referencesTo(people, { id: '7', team: 'a' }, [people, tickets]).map(({ where }) => where)).toEqual([
      [{ field: 'author', operator: 'eq', value: '7' }],
      [{ field: 'reviewer', operator: 'eq', value: '7' }],
    ]);
  });

  it('combines the fields of a composite reference', () => {
    const notes = entity('notes', [field('person', ['people', 'id']), field('team', ['people', 'team'])]);
    const [pointer, ...more] = referencesTo(people, { id: '7', team: 'a' }, [notes]);
    expect(more).toEqual([]);
    expect(pointer?.fields).toEqual(['person', 'team']);
    expect(pointer?.where).toHaveLength(2);
  });

  it('omits references by a field that is null in this row', () => {
    const notes = entity('notes', [field('team', ['people', 'team'])]);
    expect(referencesTo(people, { id: '7', team: null }, [notes])).toEqual([]);
  });
});
