import { describe, expect, it } from 'vitest';
import { parseRows, resultsJson } from './parse-rows.ts';

const json = (text: string) => new TextEncoder().encode(text);
const none = new Map();

/**
 * Facts in the form that `readCatalog` returns: two results of `list`, of which one is empty, and one value of another
 * form.
 */
const read = (...rows: unknown[]) =>
  json(
    `{"rows":[\r${rows.map((row) => JSON.stringify(row)).join(',\r')}],\r\n"empty":[\r],\r\n"other":{"a" : [1, \n 2]}}`,
  );

describe('parseRows', () => {
  it('returns the value that JSON.parse returns', () => {
    const text = read({ id: 1, text: 'a,\r\n"b"\\' }, { id: 2, parts: [{ x: null }] });
    const { facts } = parseRows(text, none);
    expect(facts).toEqual(JSON.parse(Buffer.from(text).toString()));
    expect(parseRows(json(resultsJson({ one: [1], two: null })), none).facts).toEqual({ one: [1], two: null });
  });

  it('returns the list of an earlier reading if none of its rows changed', () => {
    const before = parseRows<{ rows: object[] }>(read({ id: 1 }, { id: 2 }), none);
    const after = parseRows<{ rows: object[] }>(read({ id: 1 }, { id: 2 }), before.results);
    expect(after.facts.rows).toBe(before.facts.rows);
  });

  it('returns the objects of an earlier reading for rows and values that did not change', () => {
    type Rows = { rows: object[]; other: object };
    const before = parseRows<Rows>(read({ id: 1 }, { id: 2 }, { id: 2 }), none);
    const after = parseRows<Rows>(read({ id: 2 }, { id: 3 }, { id: 1 }), before.results);
    expect(after.facts.rows[0]).toBe(before.facts.rows[1]);
    expect(before.facts.rows[2]).toBe(before.facts.rows[1]);
    expect(after.facts.rows[2]).toBe(before.facts.rows[0]);
    expect(after.facts.other).toBe(before.facts.other);
    expect(after.facts.rows).toEqual([{ id: 2 }, { id: 3 }, { id: 1 }]);
  });
});
