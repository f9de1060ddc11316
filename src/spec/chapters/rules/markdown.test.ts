import { expect, it } from 'vitest';
import type { Rule } from '../../../../contract/specification.ts';
import { rulesMarkdown } from './markdown.ts';

it('removes the full stop of a comment before the colon that follows', () => {
  const rule = (words: string, applies_to: Rule['applies_to'] = 'all rows') =>
    ({ entity: 'public.a', fields: [], words, sql: 'CHECK (b)', applies_to }) as unknown as Rule;
  const rules = [rule('A name is short.'), rule('And so on...'), rule('Is it?', 'no row'), rule('b')];
  const lines = rulesMarkdown({ rules, sources: [] }).split('\n').slice(-4);
  expect(lines).toEqual([
    '- A name is short: `CHECK (b)`',
    '- And so on...: `CHECK (b)`',
    '- Is it? (not enforced): `CHECK (b)`',
    '- b: `CHECK (b)`',
  ]);
});
