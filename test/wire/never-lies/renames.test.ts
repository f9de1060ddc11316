import { beforeAll, expect, inject, it } from 'vitest';
import type { Change, VersionEntry, VersionList } from '../../../contract/changes.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { appSql, machine } from './app.ts';

const node = inject('node');
/** The time within which a change must become a version. */
const MILLISECONDS = 1000;

let ref: string;

beforeAll(async () => {
  ({ ref } = await createApp(node));
  await runSql(node, ref, appSql);
  // Versions are recorded while an app is open.
  await newest();
});

it.each<[does: string, undoes: string, says: Partial<Record<Change['chapter'], string>>, undone: string]>([
  [
    'alter table public.tickets rename to questions',
    'alter table public.questions rename to tickets',
    {
      screens: 'In the screens, tickets is now questions: /questions (before: /tickets)',
      entities: 'In place of the table tickets there is questions, the same but for its name.',
      states: 'In the states, tickets is now questions.',
      rules: 'In the rules, tickets is now questions.',
      roles: 'Where it says who may do what, tickets is now questions.',
      calls: 'In the calls, tickets is now questions: /rest/v1/questions (before: /rest/v1/tickets).',
      errors: 'In the errors, tickets is now questions.',
    },
    'In place of the table questions there is tickets, the same but for its name.',
  ],
  [
    'alter table public.plain rename column note to remark',
    'alter table public.plain rename column remark to note',
    {
      screens: 'In the screens, the field note of plain is now remark.',
      entities: 'In place of the field note of plain there is remark, the same but for its name.',
    },
    'In place of the field remark of plain there is note, the same but for its name.',
  ],
  [
    machine().replace('"name": "open"', '"name": "start"'),
    machine(),
    { states: 'The transition open of tickets.status is called start now.' },
    'The transition start of tickets.status is called open now.',
  ],
  [
    `alter table public.plain rename to simple; comment on table public.simple is 'Things'`,
    'comment on table public.simple is null; alter table public.simple rename to plain',
    { entities: 'simple is now described as “Things”.', rules: 'In the rules, plain is now simple.' },
    'In place of the table simple there is plain, the same but for its name.',
  ],
])(
  'a changed name is reported as a rename in each chapter that contains it: %s',
  async (does, undoes, says, undone) => {
    const before = await newest();
    await runSql(node, ref, does);
    const { changes, number } = await newerThan(before.number);
    for (const [chapter, words] of Object.entries(says)) {
      expect(changes).toContainEqual(expect.objectContaining({ chapter, words: expect.stringContaining(words) }));
    }
    expect(changes.filter(({ words }) => / (is|are) gone/.test(words) && !words.includes('/inbox'))).toEqual([]);
    await runSql(node, ref, undoes);
    const after = await newerThan(number);
    expect(after.changes).toContainEqual(expect.objectContaining({ words: undone }));
    expect(after.hash).toBe(before.hash);
  },
);

const newest = async (): Promise<VersionEntry> => {
  const { versions } = await admin<VersionList>(node, 'GET', `/apps/${ref}/versions`);
  const [version] = versions;
  if (version === undefined) throw new Error('an app that is open has a version');
  return version;
};

/** Returns the next version, or the last one if none appears in time. */
async function newerThan(number: number): Promise<VersionEntry> {
  const until = performance.now() + MILLISECONDS;
  for (;;) {
    const version = await newest();
    if (version.number > number || performance.now() > until) {
      expect(version.number).toBeGreaterThan(number);
      return version;
    }
  }
}
