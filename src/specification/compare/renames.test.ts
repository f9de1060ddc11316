import { describe, expect, it } from 'vitest';
import { diffedApp } from '../../../test/support/diffed-app.ts';
import { diffChapters } from './diff.ts';

const { owner, derive, diff } = diffedApp('renames');

/** Returns the sentences about a change. Clients do not reach the schema kept, so few chapters contain its tables. */
async function reported(first: string, sql: string): Promise<string[]> {
  await owner.script(`create schema kept; ${first}`);
  const before = await derive();
  await owner.script(sql);
  return diff(before, await derive()).map(({ chapter, words }) => `${chapter}: ${words}`);
}

describe('compareDerivations', () => {
  it.each<[does: string, first: string, sql: string, expected: string[]]>([
    [
      'recognises a renamed table although another one looks the same',
      'create table kept.a (id int, note text)',
      'alter table kept.a rename to c; create table kept.b (id int, note text)',
      [
        'entities: In place of the table kept.a there is kept.c, the same but for its name.',
        'entities: There is a new table kept.b, which clients cannot reach, with id and note.',
      ],
    ],
    [
      'reports a table as removed if another table took its name',
      'create table kept.a (id int, note text); create table kept.b (id int, text text)',
      'drop table kept.a; alter table kept.b rename to a',
      [
        'entities: In place of the table kept.b there is kept.a, the same but for its name.',
        'entities: The table kept.a is gone, with all its fields.',
      ],
    ],
    [
      'reports a table that was dropped and created again with the same name as changed',
      'create table kept.a (id int, note text)',
      'drop table kept.a; create table kept.a (id int)',
      ['entities: The field note of kept.a is gone.'],
    ],
    [
      'reports changed files of a field, and a field with files that was renamed as renamed',
      "create table kept.a (id int, note text); select ninefold.file_field('kept.a', 'note', 'photos')",
      "alter table kept.a rename note to photo; select ninefold.file_field('kept.a', 'photo', 'photos', '{image/png}', 1500000)",
      [
        'entities: In place of the field note of kept.a there is photo, the same but for its name.',
        'entities: photo of kept.a now holds a file of the bucket photos (image/png, at most 1500 KB) (before: a file of the bucket photos).',
        'rules: New rule for kept.a: photo holds a file of the bucket photos (image/png, at most 1500 KB), checked by the pages.',
      ],
    ],
    [
      'reports a field as new if it takes the place of a dropped one',
      'create table kept.a (id int, note text)',
      'alter table kept.a drop note, add remark text',
      ['entities: The field note of kept.a is gone.', 'entities: kept.a has a new field remark (text, optional).'],
    ],
    [
      'does not apply a rename to a field of the same name in another table',
      'create table kept.a (note text check (length(note) < 9)); create table kept.b (note text check (length(note) < 9))',
      'alter table kept.a rename note to remark',
      [
        'entities: In place of the field note of kept.a there is remark, the same but for its name.',
        'rules: In the rules, the field note of kept.a is now remark.',
      ],
    ],
    [
      'reports other changes of a renamed table and its comments beside the rename',
      `create table kept.notes (id int, note text); comment on table kept.notes is 'All notes'`,
      `alter table kept.notes rename to words; comment on table kept.words is 'All words'; alter table kept.words alter note type varchar`,
      [
        'entities: In place of the table kept.notes there is kept.words, the same but for its name.',
        'entities: The comment of kept.words is now “All words” (before: “All notes”).',
        'entities: note of kept.words is now character varying (before: text).',
      ],
    ],
    [
      'reports a value in a rule that changed to the new name of a table',
      `create table kept.a (id int); create table kept.b (note text constraint brief check (note <> 'a'))`,
      `alter table kept.a rename to c; alter table kept.b drop constraint brief, add constraint brief check (note <> 'c')`,
      [
        'entities: In place of the table kept.a there is kept.c, the same but for its name.',
        `rules: The rule for kept.b, note is not 'c', has changed: before: note is not 'a'.`,
      ],
    ],
    [
      'reports a renamed rule together with its other changes',
      'create table kept.a (note int); alter table kept.a add constraint short check (note > 1) not valid',
      'alter table kept.a rename constraint short to brief; alter table kept.a validate constraint brief',
      [
        'rules: The rule for kept.a, note is more than 1, is now called brief (before: short).',
        'rules: The rule for kept.a, note is more than 1, has changed: it is now checked for all rows.',
      ],
    ],
    [
      'reports a table that moved to a schema without access beside the rename of another table',
      'create table public.a (id int); grant select on public.a to anon; create table kept.b (id int)',
      'alter table public.a set schema kept; alter table kept.b rename to c',
      [
        'entities: In place of the table kept.b there is kept.c, the same but for its name.',
        'entities: In place of the table a there is kept.a, the same but for its name.',
        'entities: Clients can no longer reach kept.a.',
      ],
    ],
    [
      'reports what a function no longer does because a table that its code names was renamed',
      `create table kept.a (id int); create function public.clear() returns void language sql as 'delete from kept.a'`,
      'alter table kept.a rename to b',
      ['calls: The function clear() now writes none (before: kept.b)'],
    ],
  ])('%s', async (_, first, sql, expected) => {
    const words = await reported(first, sql);
    expect(words.filter((one) => !one.startsWith('errors'))).toEqual(
      expect.arrayContaining(expected.map((one) => expect.stringContaining(one))),
    );
  });

  it('compares the chapters if the ids are those of two databases, as it compares two files', async () => {
    const before = await derive();
    await owner.script('alter table public.customers rename to people');
    const [restored, after] = [JSON.parse(JSON.stringify(before)), await derive()];
    expect(diff(restored, after)).toEqual(diffChapters(before, after));
  });
});
