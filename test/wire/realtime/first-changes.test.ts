import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createAppWith, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { joined } from '../../support/realtime.ts';

const node = inject('node');
/** Joins and writes one after the other, because the fault of other services shows in some of them only. */
const ATTEMPTS = 10;

let app: AppConnection;
let member: Awaited<ReturnType<typeof signUpMember>>;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.items (id int primary key, owner uuid default auth.uid());
     alter table public.items enable row level security;
     create policy own on public.items for all to authenticated using (owner = auth.uid());
     create table public.unpublished (id int primary key);
     create table public.pairs (id int primary key);
     alter publication supabase_realtime add table public.items, public.pairs;`,
  );
  member = await signUpMember(app);
});
afterAll(() => member.client.realtime.disconnect());

it('a write right after SUBSCRIBED is delivered', async () => {
  const { client } = member;
  for (let id = 1; id <= ATTEMPTS; id++) {
    const received: number[] = [];
    const changes = { event: 'INSERT', schema: 'public', table: 'items' } as const;
    await joined(client.channel('items').on('postgres_changes', changes, ({ new: row }) => received.push(row.id)));
    expect((await client.from('items').insert({ id })).error).toBeNull();
    await expect.poll(() => received).toEqual([id]);
    await client.removeAllChannels();
  }
});

it('two entries for one table in a channel that follows it first are both delivered', async () => {
  const { client } = member;
  const received: string[] = [];
  const table = { schema: 'public', table: 'pairs' } as const;
  const channel = client
    .channel('pairs')
    .on('postgres_changes', { ...table, event: 'INSERT' }, ({ eventType }) => received.push(eventType))
    .on('postgres_changes', { ...table, event: 'UPDATE' }, ({ eventType }) => received.push(eventType));
  await joined(channel);
  await runSql(node, app.ref, 'insert into public.pairs values (1); update public.pairs set id = 2');
  await expect.poll(() => received).toEqual(['INSERT', 'UPDATE']);
  await client.removeChannel(channel);
});

it('a table that is not published is reported in a message of the service, and broadcasts of the channel arrive', async () => {
  const changes = { event: '*', schema: 'public', table: 'unpublished' } as const;
  const [reasons, broadcasts]: [string[], unknown[]] = [[], []];
  const channel = member.client
    .channel('unpublished', { config: { broadcast: { self: true } } })
    .on('postgres_changes', changes, () => undefined)
    .on('system', {}, ({ status, message }: { status: string; message: string }) =>
      reasons.push(`${status} ${message}`),
    )
    .on('broadcast', { event: 'hello' }, ({ payload }) => broadcasts.push(payload));
  await joined(channel);
  await expect
    .poll(() => reasons)
    .toEqual([expect.stringMatching(/^error .*Please check Realtime is enabled for the given connect parameters/)]);
  await channel.send({ type: 'broadcast', event: 'hello', payload: { n: 1 } });
  await expect.poll(() => broadcasts).toEqual([{ n: 1 }]);
  await member.client.removeChannel(channel);
});
