import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import { parseConnectionUrl } from '../../../database/connection-config.ts';
import { Pool } from '../../../database/pool.ts';
import { rowsAsText } from '../../../database/statement.ts';
import { translateLike, translatePattern } from './pattern.ts';

let postgres: TestPostgres;
let pool: Pool;

beforeAll(async () => {
  postgres = await startPostgres('pattern');
  pool = new Pool(parseConnectionUrl(postgres.url, 'pattern'), {
    max: 1,
    idleMilliseconds: 5000,
    waitMilliseconds: 10_000,
  });
}, 60_000);

afterAll(async () => {
  await pool?.close();
  await postgres?.stop();
});

/** Returns whether PostgreSQL matches each text; null if PostgreSQL refuses the pattern. */
async function matched(operator: string, pattern: string, texts: readonly string[]): Promise<boolean[] | null> {
  try {
    const [result] = await pool.run([
      {
        text: `select t ${operator} $1 as matched from json_array_elements_text($2::json) with ordinality as a (t, i) order by i`,
        params: [pattern, JSON.stringify(texts)],
      },
    ]);
    return result ? rowsAsText(result).map((row) => row.matched === 't') : null;
  } catch {
    return null;
  }
}

describe('translatePattern and translateLike', () => {
  it.each([
    ['^[A-Z]{3}$', '^[A-Z]{3}$'],
    ['^\\d{5}(-\\d{4})?$', '^\\p{Nd}{5}(?:-\\p{Nd}{4})?$'],
    ['^[^@[:space:]]+@', null],
    ['^[^@]+@[^@]+\\.[a-z]{2,}$', '^[^@]+@[^@]+\\.[a-z]{2,}$'],
    ['^a.c$', '^a[\\s\\S]c$'],
    ['^(red|green)$', '^(?:red|green)$'],
    ['(a+)+$', null],
    ['(?=a)', null],
    ['(a)\\1', null],
    ['\\mword\\M', null],
    ['***=a.b', null],
    ['[]a]', '[\\]a]'],
    ['a{2', null],
    ['a{,2}', 'a\\{,2\\}'],
    ['x*?', 'x*'],
    ['(', null],
    ['^[a-z0-9_-]+$', '^[a-z0-9_\\-]+$'],
  ])('translates the common pattern %s', (source, expected) => {
    expect(translatePattern(source, false)).toBe(expected);
  });
});

it('a translated regular expression matches every text that PostgreSQL matches', async () => {
  const atom = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      'Z',
      '0',
      '-',
      '_',
      ' ',
      '.',
      '\\d',
      '\\s',
      '\\w',
      '\\D',
      '\\S',
      '\\W',
      '\\.',
      '\\-',
      '\\/',
      'é',
      'ß',
      '^',
      '$',
      '\\n',
      '{',
      '}',
      ']',
      '/',
    ),
    fc.constantFrom(
      '[a-c]',
      '[^a]',
      '[]x]',
      '[^]x]',
      '[a\\]b]',
      '[0-9-]',
      '[\\d.]',
      '[^\\d]',
      '[a-]',
      '[\\w-]',
      '[A-z]',
      '[.$]',
    ),
  );
  const quantified = fc
    .tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?'))
    .map(([one, times]) => one + times);
  const branch = fc.array(quantified, { maxLength: 4 }).map((parts) => parts.join(''));
  const pattern = fc
    .tuple(branch, branch, fc.constantFrom('', '|', '()', '(|)'))
    .map(([a, b, how]) => (how === '()' ? `${a}(${b})` : how === '(|)' ? `(${a}|${b})?` : `${a}${how}${b}`));
  const text = fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        'c',
        'A',
        'Z',
        'z',
        '0',
        '7',
        '٣',
        '-',
        '_',
        ' ',
        '.',
        '\n',
        'é',
        'É',
        'ß',
        '\u00a0',
        '\u0085',
        '😀',
        'x',
        ']',
        '/',
        '$',
        '^',
        '\\',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));
  let translated = 0;
  await fc.assert(
    fc.asyncProperty(
      pattern,
      fc.array(text, { minLength: 8, maxLength: 20 }),
      fc.boolean(),
      async (source, texts, fold) => {
        const target = translatePattern(source, fold);
        if (target === null) return;
        const answers = await matched(fold ? '~*' : '~', source, texts);
        if (answers === null) return;
        translated++;
        const matcher = new RegExp(target, 'u');
        for (const [i, one] of texts.entries()) {
          if (answers[i]) expect(matcher.test(one), `${source} → ${target} on ${JSON.stringify(one)}`).toBe(true);
        }
      },
    ),
    { numRuns: 600 },
  );
  expect(translated).toBeGreaterThan(150);
});

it('a translated LIKE pattern matches every text that LIKE matches', async () => {
  const pattern = fc
    .array(fc.constantFrom('a', 'B', '%', '_', '.', '*', '\\%', '\\\\', '(', '😀'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  const text = fc
    .array(fc.constantFrom('a', 'A', 'b', 'B', '%', '.', '*', '\\', '(', '😀', '\n'), { maxLength: 5 })
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(
      pattern,
      fc.array(text, { minLength: 8, maxLength: 20 }),
      fc.boolean(),
      async (source, texts, fold) => {
        const target = translateLike(source, fold);
        const answers = target === null ? null : await matched(fold ? 'ilike' : 'like', source, texts);
        if (target === null || answers === null) return;
        const matcher = new RegExp(target, 'u');
        for (const [i, one] of texts.entries())
          expect(matcher.test(one), `${source} on ${JSON.stringify(one)}`).toBe(answers[i]);
      },
    ),
    { numRuns: 200 },
  );
});
