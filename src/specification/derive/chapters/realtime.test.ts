import { expect, it } from 'vitest';
import type { TopicCell } from '../../../../contract/specification-roles.ts';
import { chaptersApp } from '../../../../test/support/chapters-app.ts';
import { diffChapters } from '../../compare/diff.ts';

const app = chaptersApp('realtime-in-chapters');

const published = `
  create policy own on public.tickets as restrictive for select to authenticated using (assignee = (select auth.uid()));
  alter publication supabase_realtime add table public.tickets (id, title, status) where (title <> '');
`;

const policies = `
  create policy rooms on realtime.messages for select to authenticated
    using ((select realtime.topic()) like 'room:%' and realtime.messages.extension in ('broadcast', 'presence'));
  create policy speakers on realtime.messages for insert to authenticated
    with check (realtime.topic() like 'room:%' and extension = 'broadcast' and ninefold.has_role('agent'));
  create policy own on realtime.messages for all to authenticated using (realtime.topic() = 'user:' || (select auth.uid())::text);
  create policy lobby on realtime.messages for select to anon using (realtime.topic() = 'lobby');
`;

const shown = (cells: readonly TopicCell[] | undefined, role: string, topic: string) =>
  Object.fromEntries(
    (cells ?? [])
      .filter((cell) => cell.role === role && cell.topic === topic)
      .map(({ operation, verdict, words }) => [operation, words === '' ? verdict : words]),
  );

const none = { receive: 'never', send: 'never', watch: 'never', track: 'never' };

it('chapter 6 says who receives the changes of a published table, with the policies and fields for SELECT', async () => {
  await app.owner.script(published);
  const { roles } = await app.derive();
  const of = (role: string) => roles?.changes?.find((cell) => cell.role === role);
  expect(of('authenticated')).toMatchObject({
    verdict: 'when',
    words: 'own row (by assignee)',
    policies: ['everyone', 'own'],
  });
  expect(of('authenticated')?.columns).toEqual(['id', 'title', 'status']);
  expect(of('anon')).toMatchObject({ entity: 'public.tickets', verdict: 'never', columns: null });
  expect(of('service_role')?.verdict).toBe('always');
});

it('chapter 6 says for each pattern of topics who may do what on private channels', async () => {
  await app.owner.script(policies);
  const { roles } = await app.derive();
  expect([...new Set(roles?.topics?.map(({ topic }) => topic))]).toEqual(['lobby', 'room:%', 'user:%', '*']);
  expect(shown(roles?.topics, 'authenticated', 'room:%')).toEqual({
    ...{ receive: 'always', watch: 'always', track: 'never' },
    send: 'the member has role agent',
  });
  const own = "the topic is 'user:' followed by the member";
  expect(shown(roles?.topics, 'authenticated', 'user:%')).toEqual({ receive: own, send: own, watch: own, track: own });
  expect(shown(roles?.topics, 'authenticated', '*')).toEqual(none);
  expect(shown(roles?.topics, 'anon', 'lobby')).toEqual({ ...none, receive: 'always', watch: 'always' });
  expect(
    roles?.topics?.find(
      (cell) => cell.topic === 'room:%' && cell.operation === 'receive' && cell.role === 'authenticated',
    )?.policies,
  ).toEqual(['rooms']);
});

it('an app that publishes no table and has no policy for private channels has no cells of realtime', async () => {
  const { roles, errors } = await app.derive();
  expect(roles).not.toHaveProperty('changes');
  expect(roles).not.toHaveProperty('topics');
  expect(errors?.errors.map(({ group }) => group)).not.toContain('realtime');
});

it('chapters 7 and 8 have the calls and errors of realtime, each published table, and functions that send', async () => {
  await app.owner.script(`${published}
    create function public.notify_closed() returns trigger language plpgsql as $$ begin
      -- realtime.send_binary( is a comment
      perform realtime.broadcast_changes('tickets', tg_op, tg_op, tg_table_name, tg_table_schema, new, old); return null; end $$`);
  const { calls, errors, markdown } = await app.derive();
  const table = calls?.calls.find(({ id }) => id === 'realtime.public.tickets.changes');
  expect(table).toMatchObject({ entity: 'public.tickets', roles: ['authenticated', 'agent', 'service_role'] });
  expect(table?.summary).toContain("rows with (title <> '') of tickets");
  expect(table?.parameters?.find(({ name }) => name === 'filter')?.meaning).toContain('Fields: id, title, status.');
  expect(calls?.calls.map(({ id }) => id)).toContain('realtime.broadcast');
  expect(calls?.functions.find(({ id }) => id === 'public.notify_closed()')?.sends).toEqual([
    'realtime.broadcast_changes',
  ]);
  expect(errors?.errors.map(({ code }) => code)).toContain('ChannelRateLimitReached');
  expect(markdown).toContain('sends messages with `realtime.broadcast_changes`');
});

it('describes a newly published table and a new policy for private channels as changes', async () => {
  await app.owner.script(policies);
  const before = await app.derive();
  expect(before.errors?.errors.map(({ code }) => code)).toContain('PrivateOnly');
  await app.owner.script(`alter publication supabase_realtime add table public.tickets;
    create policy typing on realtime.messages for insert to authenticated
      with check (realtime.topic() like 'room:%' and extension = 'presence')`);
  const after = await app.derive();
  const words = diffChapters({ roles: before.roles, calls: before.calls }, { roles: after.roles, calls: after.calls });
  expect(words.map((one) => one.words)).toEqual([
    'Changes of tickets: anon never.',
    'Changes of tickets: authenticated, agent, service_role always.',
    'Private channels “room:%”: authenticated, agent (track presence) now always (before: never).',
    "New policy typing of realtime.messages, for insert, for authenticated: the topic starts with 'room:' and extension is 'presence'.",
    'New call GET /realtime/v1/websocket: Receives INSERT, UPDATE, DELETE of rows of tickets, on a channel.',
    'There is a new publication supabase_realtime: tables public.tickets; publishes insert, update, delete, truncate.',
  ]);
});
