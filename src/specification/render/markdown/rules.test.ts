import { expect, it } from 'vitest';
import type { Rule } from '../../../../contract/specification.ts';
import { rulesMarkdown } from './rules.ts';

it('rulesMarkdown writes the comment of a rule in quotes beside its words, without its full stop', () => {
  const rule = (words: string, comment: string | null, applies_to: Rule['applies_to'] = 'all rows') =>
    ({
      entity: 'public.a',
      fields: [],
      kind: 'check',
      words,
      comment,
      sql: 'CHECK (b)',
      applies_to,
    }) as unknown as Rule;
  const rules = [
    rule('name is at most 5 characters', 'A name is short.'),
    rule('b', 'Is it?', 'no row'),
    rule('c', null),
  ];
  const lines = rulesMarkdown({ rules, sources: [] }).split('\n').slice(-3);
  expect(lines).toEqual(['- name is at most 5 characters: “A name is short”', '- b: “Is it?” (not enforced)', '- c']);
});

it('rulesMarkdown leaves out the rules that chapter 3 shows with the fields, and counts them', () => {
  const rule = (kind: Rule['kind'], words: string, more: Partial<Rule> = {}) =>
    ({
      ...{ entity: 'public.a', fields: ['b'], kind, words, comment: null, sql: '', applies_to: 'all rows' },
      ...more,
    }) as unknown as Rule;
  const text = rulesMarkdown({
    rules: [
      rule('required', 'b has a value'),
      rule('primary key', 'b has a value that no other row has'),
      rule('reference', 'b is the id of a row in c'),
      rule('reference', 'b is the id of a row in c, checked at the end of the transaction'),
      rule('reference', 'b is the id of a row in d', { applies_to: 'no row' }),
      rule('required', 'e has a value', { comment: 'Needed.' }),
    ],
    sources: [],
  });
  expect(text).toContain('6 rules. Chapter 3 shows 3 of them');
  expect(text.match(/^- /gm)).toHaveLength(3);
});
