import { describe, expect, it } from 'vitest';
import { diffedApp } from '../../../test/support/diffed-app.ts';
import { diffChapters } from './diff.ts';

const { owner, derive } = diffedApp('infer_renames');

/** Compares two files, which contain no object ids. */
async function wordsOf(sql: string, setup = ''): Promise<string[]> {
  if (setup !== '') await owner.script(setup);
  const before = await derive();
  await owner.script(sql);
  return diffChapters(before, await derive()).map(({ chapter, words }) => `${chapter}: ${words}`);
}

describe('diffChapters of two files', () => {
  it.each([
    [
      'alter table public.tickets rename constraint title_length to short_title',
      [
        'rules: The rule for tickets, title is 3 to 120 characters, is now called short_title (before: title_length).',
        'errors: In the errors, the rule title_length of tickets is now short_title.',
      ],
    ],
    [
      'alter policy own on public.tickets rename to "own tickets"',
      ['roles: The policy own of tickets is now called own tickets.'],
    ],
    [
      'alter table public.tickets rename column title to subject',
      [
        'entities: In place of the field title of tickets there is subject, the same but for its name.',
        'rules: In the rules, the field title of tickets is now subject.',
        'rules: The rule for tickets, subject has a value, has changed: before: title has a value.',
      ],
    ],
    [
      'alter function public.close rename to finish',
      ['calls: In place of the function close(uuid) there is finish(uuid), the same but for its name.'],
    ],
  ])('reports as a rename, with the sentences that contain the older name: %s', async (sql, expected) => {
    const words = await wordsOf(sql);
    expect(words).toEqual(expect.arrayContaining(expected));
    expect(words.filter((one) => / is gone|Removed|New (rule|policy|call)|has a new|There is a new/.test(one))).toEqual(
      [],
    );
  });

  it('reports the rename of a table with its fields, rules, policies and calls', async () => {
    const words = await wordsOf('alter table public.tickets rename to requests');
    expect(words).toContain('entities: In place of the table tickets there is requests, the same but for its name.');
    expect(words.filter((one) => / is gone|Removed|There is a new|New rule|New policy/.test(one))).toEqual([]);
  });

  it('reports no rename if two objects are equal, because it is unclear which one was renamed', async () => {
    const words = await wordsOf(
      'alter table public.customers rename constraint a to c; alter table public.customers rename constraint b to d',
      'alter table public.customers add constraint a check (length(email) > 2), add constraint b check (length(email) > 2)',
    );
    expect(words.filter((one) => one.startsWith('rules: Removed rule'))).toHaveLength(2);
  });

  it('reports a replaced object as removed and added', async () => {
    const words = await wordsOf(
      'alter table public.tickets drop constraint title_length, add constraint longer check (length(title) between 3 and 200)',
    );
    expect(words).toContain('rules: Removed rule for tickets: title is 3 to 120 characters.');
    expect(words).toContain('rules: New rule for tickets: title is 3 to 200 characters.');
  });
});
