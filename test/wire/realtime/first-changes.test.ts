import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createAppWith } from '../../support/apps.ts';
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
     alter publication supabase_realtime add table public.items;`,
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

it('a table that is not published refuses the join with the reason', async () => {
  const changes = { event: '*', schema: 'public', table: 'unpublished' } as const;
  const channel = member.client.channel('unpublished').on('postgres_changes', changes, () => undefined);
  await expect(joined(channel)).rejects.toThrow('Please check Realtime is enabled for the given connect parameters');
  await member.client.removeChannel(channel);
});
