import { describe, expect, it } from 'vitest';
import type { PortalEntity } from '../../../contract/portal.ts';
import { rowsAfter } from './keyset.ts';

const entity = { key: ['id'] } as unknown as PortalEntity;

describe('rowsAfter', () => {
  it('returns a filter for the rows that follow the given values of the order and the key', () => {
    expect(rowsAfter(entity, 'priority.desc,at', { priority: 'high', at: '2026-01-01', id: 7 })).toBe(
      '(priority.lt."high",and(priority.eq."high",at.gt."2026-01-01"),and(priority.eq."high",at.is.null),' +
        'and(priority.eq."high",at.eq."2026-01-01",id.gt."7"),and(priority.eq."high",at.eq."2026-01-01",id.is.null))',
    );
  });

  it('continues after null values in the position where PostgreSQL sorts them', () => {
    expect(rowsAfter(entity, 'at', { at: null, id: 7 })).toBe('(and(at.is.null,id.gt."7"),and(at.is.null,id.is.null))');
    expect(rowsAfter(entity, 'at.desc', { at: null, id: 7 })).toContain('at.not.is.null');
    expect(rowsAfter(entity, 'at.desc.nullslast', { at: 1, id: 7 })).toContain('at.is.null');
  });

  it('quotes values, and returns null if the key or a value is missing or the order is not by a plain field', () => {
    expect(rowsAfter(entity, 'name', { name: 'a",b)', id: 1 })).toContain('name.gt."a\\",b)"');
    expect(rowsAfter({ ...entity, key: [] }, 'name', { name: 'a' })).toBeNull();
    expect(rowsAfter(entity, 'data->>x', { data: {}, id: 1 })).toBeNull();
    expect(rowsAfter(entity, 'name', { id: 1 })).toBeNull();
  });
});
