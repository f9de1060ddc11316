import { describe, expect, it } from 'vitest';
import { blocksOf, spansOf } from './markdown.tsx';

describe('blocksOf', () => {
  it('splits a text into paragraphs, headings, lists, quotations and code', () => {
    const text =
      '# Why\nIt is **late**.\nReally.\n\n- one\n- two\n1. first\n\n> said\n> again\n```js\n# no heading\n```\nend';
    expect(blocksOf(text)).toEqual([
      { kind: 'heading', text: 'Why' },
      { kind: 'paragraph', text: 'It is **late**.\nReally.' },
      { kind: 'list', isNumbered: false, items: ['one', 'two'] },
      { kind: 'list', isNumbered: true, items: ['first'] },
      { kind: 'quotation', text: 'said\nagain' },
      { kind: 'code', text: '# no heading' },
      { kind: 'paragraph', text: 'end' },
    ]);
  });

  it('shows a text of more than 200,000 characters as it is written', () => {
    const text = '- item\n'.repeat(40_000);
    expect(blocksOf(text)).toEqual([{ kind: 'code', text }]);
  });
});

describe('spansOf', () => {
  it('marks bold, emphasized and code text, and does not read underscores within names as marks', () => {
    expect(spansOf('a **b** _c_ `d*e*` snake_case_name 2 * 3 * 4')).toEqual([
      { text: 'a ' },
      { text: 'b', mark: 'strong' },
      { text: ' ' },
      { text: 'c', mark: 'em' },
      { text: ' ' },
      { text: 'd*e*', mark: 'code' },
      { text: ' snake_case_name 2 * 3 * 4' },
    ]);
  });

  it('makes links only of addresses that cannot run code, and shows HTML as text', () => {
    for (const target of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      '//evil.example',
      '/\\evil.example',
    ]) {
      expect(spansOf(`[go](${target})`)).toEqual([{ text: `[go](${target})` }]);
    }
    expect(spansOf('[go](/tickets/1) <img src=x onerror=alert(1)>')).toEqual([
      { text: 'go', href: '/tickets/1' },
      { text: ' <img src=x onerror=alert(1)>' },
    ]);
    expect(spansOf('see https://a.example/x.')).toEqual([
      { text: 'see ' },
      { text: 'https://a.example/x', href: 'https://a.example/x' },
      { text: '.' },
    ]);
  });
});

it.each([
  ['opening brackets', '['.repeat(190_000)],
  ['a heading with many spaces', `# a${' '.repeat(190_000)}b`],
  ['a list item with many spaces and a line separator', `-${' '.repeat(190_000)}x\u2028y`],
])('the reader of Markdown reads a long text of %s in linear time', (_, text) => {
  const from = performance.now();
  for (const block of blocksOf(text)) if (block.kind === 'paragraph') spansOf(block.text);
  // Quadratic time is more than 30 seconds.
  expect(performance.now() - from).toBeLessThan(2000);
});
