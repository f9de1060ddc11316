import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { KeysDiffer, readJsonRows } from './json-rows.ts';

type Outcome = { keys: string[]; isObject: boolean; isRows: boolean } | 'malformed' | 'differ';

function scanned(bytes: Uint8Array): Outcome {
  try {
    const { keys, isObject, isRows } = readJsonRows(bytes);
    return { keys: [...keys].sort(), isObject, isRows };
  } catch (error) {
    if (error instanceof KeysDiffer) return 'differ';
    if (error instanceof SyntaxError) return 'malformed';
    throw error;
  }
}

/** Parses the rows with JSON.parse, for comparison. */
function parsed(bytes: Uint8Array): Outcome {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return 'malformed';
  }
  const isRow = (one: unknown): one is object => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (isRow(value)) return { keys: Object.keys(value).sort(), isObject: true, isRows: true };
  if (!Array.isArray(value) || value.length === 0) return { keys: [], isObject: false, isRows: false };
  const [first] = value;
  const keys = isRow(first) ? Object.keys(first).sort() : null;
  const same = (one: unknown) => isRow(one) && JSON.stringify(Object.keys(one).sort()) === JSON.stringify(keys);
  return keys && value.every(same) ? { keys, isObject: false, isRows: true } : 'differ';
}

const text = (source: string): Uint8Array => Buffer.from(source);

/**
 * True for V8 13.6 (Node.js 24): it may misread repeated keys that are written with escapes, after objects with the
 * same first keys. On this version, the test does not compare such rows with JSON.parse.
 */
const isMisreadByV8 = (() => {
  JSON.parse(String.raw`{"ä": 0, "\\": 0, "id": 0}`);
  return Object.keys(JSON.parse(String.raw`[{"\u00e4": 0, "\u00e4": 0, "\u0069\u0064": 0}]`)[0]).length > 2;
})();
const mayCompare = (name: string): boolean => !isMisreadByV8 || JSON.stringify(name) === `"${name}"`;

const key = fc.oneof(
  fc.constantFrom('id', 'a', 'b', '__proto__', '', 'ä', '1', '\u{1f600}'),
  fc.string({ maxLength: 4 }).filter(mayCompare),
);
const value = fc.jsonValue({ maxDepth: 3 });

/** Writes a key with or without escapes. */
const spelled = (name: string, escaped: boolean): string =>
  escaped && !isMisreadByV8
    ? `"${[...Buffer.from(name, 'utf16le').swap16().toString('hex').matchAll(/..../g)].map(([code]) => `\\u${code}`).join('')}"`
    : JSON.stringify(name);

/** Rows with the same keys, some in another order, repeated or with escapes, and rows with other keys. */
const rows = fc
  .record({
    names: fc.array(key, { maxLength: 5 }),
    rows: fc.array(fc.record({ order: fc.array(fc.nat(8), { maxLength: 8 }), value, escape: fc.boolean() }), {
      maxLength: 6,
    }),
  })
  .map(({ names, rows }) => {
    const objects = rows.map(({ order, value, escape: escaped }) => {
      const all = [...order.flatMap((i) => names.slice(i, i + 1)), ...names.slice(order.length % 7 === 6 ? 1 : 0)];
      return `{${all.map((name) => `${spelled(name, escaped)} : ${JSON.stringify(value)}`).join(' , ')}}`;
    });
    return `[${objects.join(',\n')}]`;
  });

describe('readJsonRows', () => {
  it('finds the keys that JSON.parse finds, for any JSON', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          rows,
          value.map((one) => JSON.stringify(one)),
        ),
        (source) => {
          expect(scanned(text(source))).toEqual(parsed(text(source)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('accepts and rejects the same strings as JSON.parse, after a byte was changed, inserted or removed', () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[],:"\\ue-+.0159\n\t \0tfn')));
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.tuple(fc.nat(), fc.nat(1), fc.array(byte, { maxLength: 2 })), { maxLength: 3 }),
        (source, changes) => {
          const bytes = [...text(source)];
          for (const [place, removed, added] of changes) bytes.splice(place % (bytes.length + 1), removed, ...added);
          expect(scanned(Uint8Array.from(bytes))).toEqual(parsed(Uint8Array.from(bytes)));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it.each([
    '',
    ' ',
    '1',
    '-',
    '-0',
    '01',
    '1.',
    '.5',
    '1e5',
    '1E+05',
    '1e',
    '-1.5e-3',
    '0x1',
    'NaN',
    'true',
    'tru',
    'nulll',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"\t"',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a"}',
    '{a:1}',
    '[{"a":1}',
    '{"a":1}}',
    '[]]',
    '[] []',
    '\ufeff{"a":1}',
    ' \ufeff{}',
    '[{},{}]',
    '[{},[]]',
    '[[{}]]',
    '[{"a":1},1]',
    '[{"a":1,"a":2},{"a":1}]',
    '[{"a":1},{"a":1,"a":2}]',
    '[{"a":1,"b":2},{"b":1,"a":2}]',
    '[{"a":1,"b":2},{"\\u0061":1,"b":2}]',
    '[{"a":{"c":1}},{"a":{"d":1}}]',
    '{"a":[{"b":1},{"c":1}]}',
  ])('treats %j as JSON.parse does', (source) => {
    expect(scanned(text(source))).toEqual(parsed(text(source)));
  });

  it('treats bytes that are not UTF-8 as JSON.parse treats the replacement character for them', () => {
    for (const bytes of ['7b22c3223a317d', '7b22ff223a317d', 'ff7b7d', '5b7b22c3a9223a317d2c7b22c3a9223a327d5d']) {
      expect(scanned(Buffer.from(bytes, 'hex')), bytes).toEqual(parsed(Buffer.from(bytes, 'hex')));
    }
  });

  it('stops collecting keys when a row has more keys than a table can have columns', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])));
    expect(readJsonRows(text(many)).keys).toHaveLength(limits.bodyColumns.default + 1);
    expect(readJsonRows(text(`{"${'k'.repeat(5000)}":1}`)).keys[0]).toHaveLength(limits.bodyNameCharacters.default + 1);
  });

  it('reads nested values of any shape up to the limit of depth, and rejects a deeper one', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    const max = limits.bodyDepth.default;
    expect(scanned(text(nested(max)))).toEqual({ keys: ['a'], isObject: true, isRows: true });
    expect(scanned(text(nested(max + 1)))).toBe('malformed');
    expect(scanned(text('['.repeat(9_000_000)))).toBe('malformed');
  });
});
