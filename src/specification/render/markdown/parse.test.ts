import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, inline, table } from './escape.ts';
import { parseMarkdown, plainText } from './parse.ts';

/** Text as in names and comments of the catalog: any characters, on one line. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'a|b',
    '`',
    '``',
    ' x ',
    '\\',
    '\\|',
    '**b**',
    '_a_',
    '1. x',
    '# x',
    '- x',
    '| a | b |',
    '<details>',
    'https://x.example',
    '&amp;',
    '$x$',
  ),
);
const shown = (value: string): string => value.replace(/\s+/g, ' ').trim();
// Escaping replaces control and direction marks.
const isPlain = (value: string): boolean => !/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/u.test(value);

describe('parseMarkdown and readInline', () => {
  it('reads any escaped text unchanged', () => {
    fc.assert(
      fc.property(text.filter(isPlain), (value) => {
        expect(plainText(inline(value))).toBe(shown(value));
      }),
    );
  });

  it('reads tables of text and code', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text.filter(isPlain), text.filter(isPlain)), { minLength: 1 }), (rows) => {
        const written = table(
          ['A', 'B'],
          rows.map(([a, b]) => [inline(a), code(b)]),
        );
        const [block, ...others] = parseMarkdown(written);
        expect(others).toEqual([]);
        expect(block).toMatchObject({ kind: 'table', head: ['A', 'B'] });
        const read = block?.kind === 'table' ? block.rows.map((row) => row.map(plainText)) : [];
        expect(read.map(([a]) => a)).toEqual(rows.map(([a]) => shown(a)));
        expect(read.map(([, b]) => b?.replaceAll('\\|', '|').trim())).toEqual(
          rows.map(([, b]) => shown(b).replaceAll('\\|', '|').trim()),
        );
      }),
    );
  });

  it('reads headings, lists, code and details in their order', () => {
    expect(
      parseMarkdown(
        '# A\n\npara\n\n- one\n- two\n\n<details><summary>SQL</summary>\n\n```sql\nselect 1;\n\n# no heading\n```\n\n</details>\n\n### B\n',
      ),
    ).toEqual([
      { kind: 'heading', level: 1, text: 'A' },
      { kind: 'paragraph', text: 'para' },
      { kind: 'list', items: ['one', 'two'] },
      {
        kind: 'details',
        summary: 'SQL',
        blocks: [{ kind: 'code', language: 'sql', text: 'select 1;\n\n# no heading' }],
      },
      { kind: 'heading', level: 3, text: 'B' },
    ]);
  });

  it('does not fail on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(Array.isArray(parseMarkdown(value))).toBe(true);
      }),
    );
  });
});
