import { describe, expect, it } from 'vitest';
import { entityFixture } from '../../../../test/support/entity-fixture.ts';
import { countSql, importUndoOff, transactionSql, undoSql } from './import-undo.ts';
import type { Table } from './rest-call.ts';

const lines = entityFixture('Order lines', { primary_key: ['order', 'no'] });

describe('undoSql and countSql', () => {
  it('delete and count the rows that the transaction of the import wrote last', () => {
    expect(undoSql(lines, '741')).toBe(
      `with deleted as (delete from public."Order lines" where xmin = '741' returning 1) select count(*)::text from deleted;`,
    );
    expect(countSql(lines, "7'1")).toBe(`select count(*)::text from public."Order lines" where xmin = '7''1';`);
  });
});

describe('transactionSql', () => {
  it('returns the transaction of a row by its key, with the number of rows that the transaction wrote', () => {
    expect(transactionSql(lines, ['7', "it's"])).toBe(
      `select w.xmin::text, (select count(*)::text from public."Order lines" r where r.xmin = w.xmin) from public."Order lines" w where w."order" = '7' and w.no = 'it''s';`,
    );
  });
});

describe('importUndoOff', () => {
  const table: Table = { ref: 'r', entity: lines, requestRole: 'service' };
  const off = (part: Partial<Table>, conflict: Parameters<typeof importUndoOff>[1]['conflict'] = null) =>
    importUndoOff({ ...table, ...part }, { conflict });

  it('says why an import cannot be undone', () => {
    expect(off({})).toBeNull();
    expect(off({}, { fields: ['order'], resolution: 'ignore' })).toBeNull();
    expect(off({}, { fields: ['order'], resolution: 'merge' })).toBe('it updates rows that exist');
    expect(off({ requestRole: 'anon' })).toContain('as a member');
    expect(off({ entity: { ...lines, kind: 'view' } })).toBe('Order lines is a view');
    expect(off({ entity: { ...lines, primary_key: [] } })).toBe('the table has no key');
  });
});
