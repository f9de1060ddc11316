import { expect, inject, it } from 'vitest';
import type { CallDetail } from '../../../contract/call-detail.ts';
import type { Specification } from '../../../contract/specification.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { cli } from '../../support/node.ts';
import { probeOf } from '../../support/probe.ts';
import { RawSocket } from '../../support/realtime.ts';

const node = inject('node');

/** A worker writes its counts every five seconds, and later while it has much else to do. Then figures are cached for up to ten seconds. */
const patient = { timeout: 60_000, interval: 500 };

const sql = `
  create table public.notes (id int primary key, owner uuid not null default auth.uid(), body text);
  alter table public.notes enable row level security;
  grant all on public.notes to authenticated, service_role;
  create policy own on public.notes to authenticated using (owner = (select auth.uid()));
  create policy rooms on realtime.messages for select to authenticated using ((select realtime.topic()) like 'room:%');
  create policy typing on realtime.messages for insert to authenticated
    with check (realtime.topic() like 'room:%' and extension = 'presence');
  create policy mine on realtime.messages to authenticated using (realtime.topic() = 'user:' || (select auth.uid())::text);
  create policy lobby on realtime.messages for select to anon using (realtime.topic() = 'lobby');`;

it('the probe agrees with the cells of private channels, and sends no message', async () => {
  const app = await createApp(node);
  await runSql(node, app.ref, sql);
  await signUpMember(app);
  const { topics = [] } = await probeOf(node, app.ref);
  expect(topics.filter(({ outcome }) => outcome !== 'agrees')).toEqual([]);
  expect(new Set(topics.map(({ topic }) => topic))).toEqual(new Set(['lobby', 'room:%', 'user:%', '*']));
  const own = topics.find((cell) => cell.role === 'authenticated' && cell.topic === 'user:%');
  expect(own?.attempts.map(({ row, result }) => [row, result])).toContainEqual(['a topic with the own id', 'allowed']);
  const { results } = await runSql(node, app.ref, 'select count(*)::int as count from realtime.messages');
  expect(results[0]?.rows).toEqual([['0']]);
});

it('ninefold realtime switches a table, whose call is a program for supabase-js', async () => {
  const app = await createApp(node);
  await runSql(node, app.ref, `${sql} create table public."two words" (id int primary key);`);
  expect((await cli(node, ['realtime', 'on', app.ref, 'two words'])).code).toBe(0);
  await cli(node, ['realtime', 'on', app.ref, 'public.notes']);
  const listed = await cli(node, ['realtime', 'tables', app.ref]);
  expect(listed.stdout).toMatch(/^notes +on$/m);
  expect(listed.stdout).toMatch(/^two words +on$/m);
  await cli(node, ['realtime', 'off', app.ref, 'two words']);
  expect((await cli(node, ['realtime', 'tables', app.ref])).stdout).toMatch(/^two words +off$/m);
  expect((await cli(node, ['realtime', 'on', app.ref, 'none'])).stderr).toContain('no table none');

  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
  expect(chapters.roles?.changes?.map(({ entity }) => entity)).toContain('public.notes');
  const ids = chapters.calls?.calls.flatMap(({ area, id }) => (area === 'realtime' ? id : [])) ?? [];
  expect(ids).toContain('realtime.public.notes.changes');
  for (const id of ids) {
    const detail = await admin<CallDetail>(
      node,
      'GET',
      `/apps/${app.ref}/specification/call?id=${encodeURIComponent(id)}`,
    );
    expect(detail.snippets.supabase_js).toContain('supabase');
    expect(detail.snippets.supabase_js).toContain(".channel('");
  }
});

it('chapters 7 and 8 count the channels that follow a table, and the refused ones', async () => {
  const app = await createApp(node);
  await runSql(node, app.ref, `${sql} alter publication supabase_realtime add table public.notes;`);
  const { session } = await signUpMember(app);
  const socket = await new RawSocket(app).opened();
  const changes = [{ event: '*', schema: 'public', table: 'notes' }];
  await socket.join('notes', { postgres_changes: changes }, session.access_token);
  await socket.next(({ event, payload }) => event === 'system' && payload.status === 'ok');
  expect(await socket.join('other', { private: true }, session.access_token)).toMatchObject({ status: 'error' });
  const counted = async () => {
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    const call = chapters.calls?.calls.find(({ id }) => id === 'realtime.public.notes.changes');
    const error = chapters.errors?.errors.find(({ code }) => code === 'Unauthorized');
    return [call?.figures?.hour.calls, error?.figures?.hour];
  };
  await expect.poll(counted, patient).toEqual([1, 1]);
  socket.close();
});
