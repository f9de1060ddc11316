import { expect, it } from 'vitest';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { parseQueryParameters } from '../query-parameters.ts';

/**
 * Returns the error for a malformed query string: the message with the parameter and the column, and the details with
 * the expected text.
 */
const refusal = (query: string): [string, unknown] => {
  try {
    parseQueryParameters(query, false);
  } catch (error) {
    if (error instanceof NinefoldError && error.code === 'PGRST100') return [error.message, error.details];
    throw error;
  }
  throw new Error('the query was accepted');
};

it.each([
  ['id=noop.0', 'filter (noop.0)', 1, 'unexpected "o" expecting "not" or operator (eq, gt, ...)'],
  ['id=eq().1', 'filter (eq().1)', 4, 'unexpected ")" expecting operator (eq, gt, ...)'],
  ['id=in.1,2', 'filter (in.1,2)', 4, 'unexpected "1" expecting "("'],
  ['id=is.foo', 'filter (is.foo)', 5, 'unexpected "o" expecting isVal: (null, not_null, true, false, unknown)'],
  ['a.:=eq.1', 'tree path (a.:)', 3, 'unexpected ":" expecting field name (* or [a..z0..9_$])'],
  [
    'select=id,rel(name[])',
    'select parameter (id,rel(name[]))',
    12,
    'unexpected \'[\' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input',
  ],
  ['select=name::', 'select parameter (name::)', 7, 'unexpected end of input expecting letter or digit'],
  ['select=data->>--3', 'select parameter (data->>--3)', 9, 'unexpected "-" expecting digit'],
  ['order=id.ac', 'order (id.ac)', 4, 'unexpected "c" expecting "asc", "desc", "nullsfirst" or "nullslast"'],
  ['order=id.descc', 'order (id.descc)', 8, 'unexpected \'c\' expecting delimiter (.), "," or end of input'],
  ['order=id.asc.nope', 'order (id.asc.nope)', 8, 'unexpected "o" expecting "nullsfirst" or "nullslast"'],
  [
    'or=()',
    'logic tree (())',
    4,
    'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
  ],
  ['and=(ord(id.eq.1))', 'logic tree ((ord(id.eq.1)))', 7, 'unexpected "d" expecting "("'],
  [
    'or=(a.eq.1,not.xor(b.eq.2))',
    'logic tree ((a.eq.1,not.xor(b.eq.2)))',
    15,
    'unexpected "x" expecting logic operator (and, or)',
  ],
])(
  'parseQueryParameters names the position and the expected character in the error of %s',
  (query, what, column, details) => {
    expect(refusal(query)).toEqual([`"failed to parse ${what}" (line 1, column ${column})`, details]);
  },
);

it('the position of a syntax error counts characters, not UTF-16 units', () => {
  expect(refusal('select=id,%F0%9F%A6%8A')[0]).toContain('(line 1, column 4)');
  expect(refusal('order=%22%F0%9F%A6%8A%22.x')[0]).toContain('(line 1, column 5)');
});

it.each(['a=eq.%ff', '%c3%28=eq.1', 'a=eq.x%00y', 'select=%00'])(
  'parseQueryParameters rejects %s before parsing',
  (query) => {
    expect(refusal(query)[0]).toMatch(/^the query string/);
  },
);

it('parseQueryParameters reads a percent sign that begins no escape as a percent sign, as the URL standard does', () => {
  expect(parseQueryParameters('a=like.100%', false).filters[0]?.value.operation).toMatchObject({ value: '100%' });
});

it.each([
  ['a logic tree', `or=${'(and'.repeat(5000)}(a.eq.1)${')'.repeat(5000)}`],
  ['embedding', `select=${'a('.repeat(5000)}b${')'.repeat(5000)}`],
])('parseQueryParameters rejects %s with any depth of nesting above the limit', (_, query) => {
  expect(refusal(query)[1]).toBe('expecting at most 64 levels of nesting');
});
