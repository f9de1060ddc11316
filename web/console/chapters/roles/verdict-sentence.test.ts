import { expect, it } from 'vitest';
import { verdictSentence } from './role-text.ts';

it.each([
  [{ verdict: 'always', words: '', reason: 'the role bypasses it' } as const, 'Always, on every row.'],
  [{ verdict: 'when', words: 'own row (by owner)', reason: '' } as const, 'When own row (by owner).'],
  [{ verdict: 'when', words: '7 of 12 fields', reason: '' } as const, 'Always, for 7 of 12 fields.'],
  [
    { verdict: 'when', words: 'the member has role lead, 3 of 4 fields', reason: '' } as const,
    'When the member has role lead; for 3 of 4 fields.',
  ],
  [
    { verdict: 'when', words: 'as far as rows of a can be seen', reason: '' } as const,
    'As far as rows of a can be seen.',
  ],
  [
    { operation: 'execute', verdict: 'when', words: 'as a call, not as field total of public.a', reason: '' } as const,
    'As a call, not as field total of public.a.',
  ],
  [{ operation: 'execute', verdict: 'always', words: '', reason: '' } as const, 'Always.'],
  [{ verdict: 'when', words: '', reason: '2 of 5 fields' } as const, 'Not always: 2 of 5 fields.'],
  [{ verdict: 'never', words: '', reason: 'no grant' } as const, 'Never: no grant.'],
  [{ verdict: 'never', words: '', reason: '' } as const, 'Never.'],
])('verdictSentence describes %j as %s', (cell, sentence) =>
  expect(verdictSentence({ operation: 'select', ...cell })).toBe(sentence),
);
