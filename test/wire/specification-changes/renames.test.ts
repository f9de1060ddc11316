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
    { states: 'The transition open of tickets.status is now called start.' },
    'The transition start of tickets.status is now called open.',
  ],
  [
    `alter table public.plain rename to simple; comment on table public.simple is 'Things'`,
    'comment on table public.simple is null; alter table public.simple rename to plain',
    { entities: 'The comment of simple is now “Things”.', rules: 'In the rules, plain is now simple.' },
    'In place of the table simple there is plain, the same but for its name.',
  ],
  [
    'alter function public.add_vote(int) rename to vote',
    'alter function public.vote(int) rename to add_vote',
    { calls: 'In place of the function add_vote(integer) there is vote(integer), the same but for its name' },
    'In place of the function vote(integer) there is add_vote(integer), the same but for its name: /rest/v1/rpc/add_vote (before: /rest/v1/rpc/vote).',
  ],
  [
    'alter type public.priority rename to urgency',
    'alter type public.urgency rename to priority',
    {
      entities: 'In the entities, the type priority is now urgency.',
      rules: 'In the rules, the type priority is now urgency.',
    },
    'In the entities, the type urgency is now priority.',
  ],
  [
    'alter table public.tickets rename constraint title_length to title_size',
    'alter table public.tickets rename constraint title_size to title_length',
    {
      rules: 'The rule for tickets, title is 3 to 120 characters, is now called title_size (before: title_length).',
      errors: 'In the errors, the rule title_length of tickets is now title_size.',
    },
    'In the errors, the rule title_size of tickets is now title_length.',
  ],
  [
    'alter policy own_tickets on public.tickets rename to mine; alter policy mine on public.tickets using (true)',
    'alter policy mine on public.tickets using (owner_id = (select auth.uid())); alter policy mine on public.tickets rename to own_tickets',
    {
      roles:
        'The policy mine of tickets has changed: it now lets rows through always (before: when own row (by owner_id)).',
    },
    'The policy mine of tickets is now called own_tickets.',
  ],
  [
    'alter table public.comments rename to swapped; alter table public.plain rename to comments; alter table public.swapped rename to plain',
    'alter table public.comments rename to swapped; alter table public.plain rename to comments; alter table public.swapped rename to plain',
    {
      entities: 'In place of the table comments there is plain, the same but for its name.',
      roles: 'plain is now comments',
    },
    'In place of the table plain there is comments, the same but for its name.',
  ],
])('each chapter that contains a name reports its rename: %s', async (does, undoes, says, undone) => {
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
});

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
