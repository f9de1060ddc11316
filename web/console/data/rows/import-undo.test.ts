import { describe, expect, it } from 'vitest';
import { entityFixture } from '../../../../test/support/entity-fixture.ts';
import { countSql, importUndoOff, MAX_UNDO_ROWS, transactionsSql, undoSql } from './import-undo.ts';
import type { Table } from './rest-call.ts';

const lines = entityFixture('Order lines', { primary_key: ['order', 'no'] });
const one = { keyFields: ['id'], keys: [['1'], ["it's"]], transaction: '741' };
const two = { keyFields: ['order', 'no'], keys: [['7', '1']], transaction: '741' };

describe('undoSql', () => {
  it('deletes and counts the rows with these keys that no transaction has written since the import', () => {
    expect(undoSql(entityFixture('tickets'), one)).toBe(
      `with deleted as (delete from public.tickets where id in ('1', 'it''s') and xmin = '741' returning 1) select count(*)::text from deleted;`,
    );
    expect(undoSql(lines, two)).toBe(
      `with deleted as (delete from public."Order lines" where ("order", no) in (('7', '1')) and xmin = '741' returning 1) select count(*)::text from deleted;`,
    );
  });
});

describe('countSql and transactionsSql', () => {
  it('count the rows that were not changed since the import, and the rows that each transaction wrote', () => {
    expect(countSql(lines, two)).toBe(
      `select count(*)::text from public."Order lines" where ("order", no) in (('7', '1')) and xmin = '741';`,
    );
    expect(transactionsSql(lines, two.keyFields, two.keys)).toBe(
      `select xmin::text, count(*)::text from public."Order lines" where ("order", no) in (('7', '1')) group by 1;`,
    );
  });
});

describe('importUndoOff', () => {
  const table: Table = { ref: 'r', entity: lines, requestRole: 'service' };
  const off = (part: Partial<Table>, rows = 1, conflict: Parameters<typeof importUndoOff>[1]['conflict'] = null) =>
    importUndoOff({ ...table, ...part }, { conflict }, rows);

  it('says why an import cannot be undone', () => {
    expect(off({})).toBeNull();
    expect(off({}, 1, { fields: ['order'], resolution: 'ignore' })).toBeNull();
    expect(off({}, 1, { fields: ['order'], resolution: 'merge' })).toBe('it updates rows that exist');
    expect(off({ requestRole: 'anon' })).toContain('as a member');
    expect(off({ entity: { ...lines, kind: 'view' } })).toBe('Order lines is a view');
    expect(off({ entity: { ...lines, primary_key: [] } })).toBe('the table has no key');
    expect(off({}, MAX_UNDO_ROWS + 1)).toBe('it has more than 5,000 rows');
  });
});
