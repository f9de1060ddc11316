import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesText, differenceOf, pageText } from './difference.ts';
import { hasRepeatedKey, splitRows } from './page.ts';

type Row = Readonly<Record<string, unknown>>;

/** A client that knows no more than docs/realtime-live-lists.md. */
function applied(rows: readonly Row[], text: string): Row[] {
  const current = [...rows];
  for (const { type, at, from, row } of JSON.parse(text).changes) {
    if (type === 'leave') current.splice(at, 1);
    else if (type === 'enter') current.splice(at, 0, row);
    else if (type === 'change') current[at] = row;
    else current.splice(at, 0, ...current.splice(from, 1));
  }
  return current;
}

const page = fc.uniqueArray(
  fc.record({ id: fc.integer({ min: 0, max: 20 }), title: fc.constantFrom('a', 'b', '"}]') }),
  {
    selector: ({ id }) => id,
  },
);

describe('differenceOf', () => {
  it('leads from any page to any other page', () => {
    fc.assert(
      fc.property(page, page, (before, after) => {
        const [old, rows] = [splitRows(JSON.stringify(before), ['id']), splitRows(JSON.stringify(after), ['id'])];
        expect(applied(before, changesText(differenceOf(old, rows)))).toEqual(after);
      }),
    );
  });

  it('moves one row if one row has another place', () => {
    const rows = (...ids: number[]) => splitRows(JSON.stringify(ids.map((id) => ({ id }))), ['id']);
    const changes = differenceOf(rows(1, 2, 3, 4), rows(2, 3, 4, 1));
    expect(JSON.parse(changesText(changes))).toEqual({ changes: [{ type: 'move', at: 3, from: 0, key: { id: 1 } }] });
    expect(differenceOf(rows(1, 2), rows(1, 2))).toEqual([]);
  });
});

describe('splitRows', () => {
  it('keeps the text of every row and of its key', () => {
    const json =
      '[{"id":12345678901234567890,"b":[{"id":1}, \n {"id":2}],"c":"\\\\\\"},{"}, \n {"id":1.10,"id2":{"id":3}}]';
    const rows = splitRows(json, ['id']);
    expect(rows.map(({ key }) => key)).toEqual(['{"id":12345678901234567890}', '{"id":1.10}']);
    expect(rows.map(({ text }) => text)).toEqual(json.slice(1, -1).split(/(?<="}), \n /));
    expect(splitRows('[]', ['id'])).toEqual([]);
  });

  it('splits any JSON as JSON.parse does', () => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }));
    fc.assert(
      fc.property(rows, (values) => {
        const found = splitRows(JSON.stringify(values), ['a']);
        expect(JSON.parse(pageText(['a'], found))).toEqual(JSON.parse(JSON.stringify({ key: ['a'], rows: values })));
        expect(found.map(({ key }) => JSON.parse(key).a)).toEqual(
          values.map((row) => JSON.parse(JSON.stringify(row.a ?? null))),
        );
      }),
    );
  });

  it('finds rows with the same key', () => {
    expect(hasRepeatedKey(splitRows('[{"id":1,"a":1},{"id":1,"a":2}]', ['id']))).toBe(true);
    expect(hasRepeatedKey(splitRows('[{"id":1},{"id":2}]', ['id']))).toBe(false);
  });
});
