import { describe, expect, it } from 'vitest';
import type { PortalEntity } from '../../../contract/portal.ts';
import { rowsAfter } from './keyset.ts';

const entity = { key: ['id'], fields: [] } as unknown as PortalEntity;

describe('rowsAfter', () => {
  it('returns a filter for the rows that follow a row, given its values of the order and the key', () => {
    expect(rowsAfter(entity, 'priority.desc,at', { priority: 'high', at: '2026-01-01', id: 7 })).toBe(
      '(priority.lt."high",and(priority.eq."high",at.gt."2026-01-01"),and(priority.eq."high",at.is.null),' +
        'and(priority.eq."high",at.eq."2026-01-01",id.gt."7"),and(priority.eq."high",at.eq."2026-01-01",id.is.null))',
    );
  });

  it('continues after null values where PostgreSQL sorts them', () => {
    expect(rowsAfter(entity, 'at', { at: null, id: 7 })).toBe('(and(at.is.null,id.gt."7"),and(at.is.null,id.is.null))');
    expect(rowsAfter(entity, 'at.desc', { at: null, id: 7 })).toContain('at.not.is.null');
    expect(rowsAfter(entity, 'at.desc.nullslast', { at: 1, id: 7 })).toContain('at.is.null');
  });

  it('adds a bound for the index on the first field if each row has a value of this field', () => {
    const fields = [
      { name: 'at', nullable: false },
      { name: 'id', nullable: false },
    ];
    const of = { ...entity, fields } as unknown as PortalEntity;
    expect(rowsAfter(of, 'at.desc', { at: 3, id: 7 })).toBe('(and(at.lte."3",or(at.lt."3",and(at.eq."3",id.gt."7"))))');
    expect(rowsAfter(of, null, { id: 7 })).toBe('(id.gt."7")');
  });

  it('reads names that contain any characters, and names that are also parameters', () => {
    const of = { ...entity, key: ['order'] };
    expect(rowsAfter(of, '"a, b".desc', { 'a, b': 1, order: 2 })).toContain('and("a, b".eq."1","order".gt."2")');
  });

  it('quotes values, and returns null if there is no key, no plain field or no value', () => {
    expect(rowsAfter(entity, 'name', { name: 'a",b)', id: 1 })).toContain('name.gt."a\\",b)"');
    expect(rowsAfter({ ...entity, key: [] }, 'name', { name: 'a' })).toBeNull();
    expect(rowsAfter(entity, 'data->>x', { data: {}, id: 1 })).toBeNull();
    expect(rowsAfter(entity, 'name', { id: 1 })).toBeNull();
  });
});
