import { describe, expect, it } from 'vitest';
import type { SqlFailure } from '../../../../contract/admin.ts';
import { toCsv } from '../../../rows/csv.ts';
import { fixFor, lineAndColumn, placeOf } from './editor/position.ts';
import { toJson, toTabs } from './results/export.ts';
import { emptySqlPage, oneLine, readSqlState, titleOf, withoutSaved, withRun, withSaved } from './statements.ts';

const failure = (more: Partial<SqlFailure>): SqlFailure => ({
  sqlstate: '42703',
  message: '',
  detail: null,
  hint: null,
  position: null,
  line: null,
  column: null,
  excerpt: null,
  where: null,
  statement: 0,
  ...more,
});

describe('placeOf', () => {
  const text = "select 'é😀', t.assigne\nfrom tickets t";

  it('counts characters as PostgreSQL does, not UTF-16 units', () => {
    // 13 characters before the error, which are 14 UTF-16 units.
    const place = placeOf(text, 0, 14);
    expect(place && text.slice(place.from, place.to)).toBe('t.assigne');
  });

  it('counts from the start of the selection if only the selection was run', () => {
    const whole = 'select 1;\nselect nope';
    const place = placeOf(whole, 10, 8);
    expect(place && whole.slice(place.from, place.to)).toBe('nope');
    expect(lineAndColumn(whole, place?.from ?? 0)).toEqual({ line: 2, column: 8 });
  });

  it('marks a quoted name or a string completely, and one character if there is no word', () => {
    const at = (sql: string, position: number) => {
      const place = placeOf(sql, 0, position);
      return place && sql.slice(place.from, place.to);
    };
    expect(at('select "Order no"."a b" from x', 8)).toBe('"Order no"."a b"');
    expect(at("select 'a''b c'", 8)).toBe("'a''b c'");
    expect(at('select )', 8)).toBe(')');
    expect(at('select', 7)).toBe('');
  });

  it('returns null if PostgreSQL reports no position, or a position beyond the end of the text', () => {
    expect(placeOf('select', 0, null)).toBeNull();
    expect(placeOf('select', 0, 99)).toBeNull();
  });
});

describe('fixFor', () => {
  const hint = 'Perhaps you meant to reference the column "t.assignee".';

  it("returns the name in PostgreSQL's hint, qualified only if the text is qualified", () => {
    const qualified = 'select t.assigne from tickets t';
    expect(fixFor(failure({ hint }), qualified, placeOf(qualified, 0, 8), [])?.text).toBe('t.assignee');
    const bare = 'select assigne from tickets t';
    expect(fixFor(failure({ hint }), bare, placeOf(bare, 0, 8), [])).toEqual({ from: 7, to: 14, text: 'assignee' });
  });

  it('returns the most similar table for a missing table, and null if no table is similar', () => {
    const sql = 'select * from tikets';
    const missing = failure({ sqlstate: '42P01' });
    expect(fixFor(missing, sql, placeOf(sql, 0, 15), ['customers', 'tickets'])?.text).toBe('tickets');
    expect(fixFor(missing, sql, placeOf(sql, 0, 15), ['customers'])).toBeNull();
    expect(fixFor(failure({ sqlstate: '22012' }), sql, placeOf(sql, 0, 15), ['tickets'])).toBeNull();
  });
});

describe('the state of the SQL page', () => {
  it('contains the last fifty statements that were run: the newest first, and each statement only once', () => {
    const runs = Array.from({ length: 60 }, (_, at) => ({ sql: `select ${at}`, at, failed: false }));
    const kept = [...runs, { sql: 'select 30', at: 99, failed: true }].reduce(withRun, emptySqlPage);
    expect(kept.history).toHaveLength(50);
    expect(kept.history[0]).toEqual({ sql: 'select 30', at: 99, failed: true });
    expect(kept.history.filter(({ sql }) => sql === 'select 30')).toHaveLength(1);
  });

  it('saves a statement under a name, replaces it under the same name and deletes it', () => {
    const saved = withSaved({ ...emptySqlPage, draft: 'select 1' }, 'One');
    const again = withSaved({ ...saved, draft: 'select 2' }, 'One');
    expect(again.saved).toEqual([{ name: 'One', sql: 'select 2' }]);
    expect(withoutSaved(again, 'One')).toMatchObject({ open: null, saved: [], draft: 'select 2' });
  });

  it('is restored unchanged from its JSON, and is empty if the stored string is invalid', () => {
    const kept = withRun(withSaved({ ...emptySqlPage, draft: 'x' }, 'n'), { sql: 's', at: 1, failed: false });
    expect(readSqlState(JSON.stringify(kept))).toEqual(kept);
    expect(readSqlState('{"draft": 5, "history": [{"sql": 1}], "saved": "x"}')).toEqual(emptySqlPage);
    expect(readSqlState('no')).toEqual(emptySqlPage);
    expect(readSqlState(null)).toEqual(emptySqlPage);
  });

  it('names a statement by its leading comment, or else by its first line', () => {
    expect(titleOf('-- Overdue by agent\nselect 1')).toBe('Overdue by agent');
    expect(titleOf('  \n')).toBe('New statement');
    expect(titleOf('select 1\nfrom x')).toBe('select 1');
    expect(oneLine('select\n  1')).toBe('select 1');
    expect(oneLine('-- One\n-- two\nselect 1 -- three')).toBe('select 1 -- three');
    expect(oneLine('-- only this')).toBe('-- only this');
  });
});

describe('toCsv, toJson and toTabs', () => {
  const result = {
    columns: [
      { name: 'id', type: 'bigint' },
      { name: 'a,b', type: 'text' },
      { name: 'meta', type: 'jsonb' },
      { name: 'id', type: 'boolean' },
    ],
    rows: [
      ['9223372036854775807', 'x "y"\n', '{"n": 12345678901234567890}', 't'],
      [null, '', null, 'f'],
      ['NaN', 'plain', '[]', null],
    ],
  };

  it('distinguish null from an empty text in CSV', () => {
    expect(toCsv(result)).toBe(
      'id,"a,b",meta,id\r\n9223372036854775807,"x ""y""\n","{""n"": 12345678901234567890}",t\r\n,"",,f\r\nNaN,plain,[],\r\n',
    );
  });

  it('keep every digit in JSON, and every column even if names repeat', () => {
    const json = toJson(result);
    expect(json).toContain('"id": 9223372036854775807, ');
    expect(json).toContain('"meta": {"n": 12345678901234567890}');
    const [first, second, third] = JSON.parse(json);
    expect(first).toMatchObject({ 'a,b': 'x "y"\n', id_2: true });
    expect(second).toEqual({ id: null, 'a,b': '', meta: null, id_2: false });
    expect(third.id).toBe('NaN');
    expect(toJson({ columns: [], rows: [] })).toBe('[]\n');
  });

  it('keep a cell in its column in tab-separated text', () => {
    expect(toTabs({ columns: [{ name: 'a', type: 'text' }], rows: [['x\ty'], [null]] })).toBe('a\n"x\ty"\n');
  });
});
