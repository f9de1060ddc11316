import { expect, it } from 'vitest';
import { snippets } from './snippets.ts';

it('snippets are about the first table of the app, or an example without one', () => {
  const view = { id: 'public.queue', schema: 'public', kind: 'view' } as const;
  const table = { id: 'public."Order lines"', schema: 'public', kind: 'table' } as const;
  const read = (entities: Parameters<typeof snippets>[0]) =>
    snippets(entities).find(({ name }) => name === 'Read rows')?.sql;
  expect(read([view, table])).toContain('from public."Order lines"');
  expect(read([view])).toContain('from public.notes');
});

it('snippets have distinct names', () => {
  const names = snippets([]).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
