import { describe, expect, it } from 'vitest';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import { quoted } from '../../rows/query.ts';
import { addSearch, keysParams, orderTerms, searchConditions, selectOf } from './query.ts';

const text = (name: string, more: object = {}) => ({
  ...{ name, editor: 'text', readable: true, searchable: true, values: null, reference: null },
  ...more,
});
const of = (...fields: object[]) =>
  ({
    id: 'public.x',
    schema: null,
    name: 'x',
    key: ['id'],
    opens: null,
    machine: null,
    title_fields: [],
    fields,
  }) as unknown as PortalEntity;

describe('searchConditions', () => {
  it('finds rows that contain each word in any text, and treats % and _ as plain characters', () => {
    expect(searchConditions(of(text('a'), text('b')), ' 50%  x"y ')).toEqual([
      '(a.ilike."*50\\\\%*",b.ilike."*50\\\\%*")',
      '(a.ilike."*x\\"y*",b.ilike."*x\\"y*")',
    ]);
    expect(searchConditions(of(text('a')), '  ')).toEqual([]);
  });

  it('searches only the field with a tsvector if there is one, for the beginnings of words', () => {
    const words = text('words', { searchable: undefined, full_text: { configuration: 'english' } });
    expect(searchConditions(of(text('a'), words), `it's in — k`)).toEqual([
      `(words.fts(english)."'it''s':* & 'in':* & 'k':*")`,
    ]);
    expect(searchConditions(of(words), '—')).toEqual([]);
  });

  it('searches a text with a full-text index for words, and other texts for characters', () => {
    const body = text('body', { full_text: { configuration: null } });
    expect(searchConditions(of(text('a'), body), 'x y')).toEqual([
      `(and(a.ilike."*x*",a.ilike."*y*"),body.fts."'x':* & 'y':*")`,
    ]);
  });
});

describe('addSearch', () => {
  it('finds a word also in the label of a referenced row, by an embedding that contains nothing', () => {
    const owner = { ...of(text('name')), id: 'public.owners', name: 'owners', title_fields: ['name'] } as PortalEntity;
    const reference = { entity: owner.id, field: 'id', key: 'x_owner' };
    const row = of(text('a'), { ...text('owner', { reference }), editor: 'reference', searchable: undefined });
    const params = new URLSearchParams({ select: 'a' });
    addSearch({ entities: [row, owner] } as unknown as PortalScreens, row, params, 'ada');
    expect([...params]).toEqual([
      ['select', 'a,"~~0 0":owners!x_owner()'],
      ['"~~0 0".or', '(name.ilike."*ada*")'],
      ['or', '(a.ilike."*ada*","~~0 0".not.is.null)'],
    ]);
  });
});

describe('selectOf', () => {
  const reference = (entity: string) => ({ entity, field: 'id', key: 'x_fkey' });
  const select = (target: PortalEntity) => {
    const entity = of(text('up', { reference: reference(target.id) }));
    return selectOf({ entities: [entity, target] } as unknown as PortalScreens, entity, ['up']);
  };

  it('embeds the referenced row, named by the field if the table references itself', () => {
    expect(select({ ...of(text('id')), id: 'public.y', name: 'y' })).toBe('up,"~up":y!x_fkey(id)');
    expect(select(of(text('id')))).toBe('up,"~up":up(id)');
  });

  it('does not embed rows of another schema, because a data request reads only one schema', () => {
    expect(select({ ...of(text('id')), id: 's.y', schema: 's', name: 'y' })).toBe('up');
  });
});

it('quoted quotes names that are also parameters, and names with characters other than letters, digits and _', () => {
  expect(['a_1', 'order', 'a b', 'x"y'].map(quoted)).toEqual(['a_1', '"order"', '"a b"', '"x\\"y"']);
  expect(orderTerms('"a, b".desc,c,data->>x.asc')).toEqual([
    { text: '"a, b".desc', field: 'a, b', isDescending: true },
    { text: 'c', field: 'c', isDescending: false },
    { text: 'data->>x.asc', field: 'data->>x', isDescending: false },
  ]);
});

it('keysParams selects rows by one key or by keys of several fields', () => {
  expect(String(keysParams(of(), [{ id: 1 }, { id: 'a"b' }]))).toBe(
    String(new URLSearchParams({ id: 'in.("1","a\\"b")' })),
  );
  expect(keysParams({ ...of(), key: ['a', 'order'] }, [{ a: 1, order: 2 }]).get('or')).toBe(
    '(and(a.eq."1","order".eq."2"))',
  );
});
