import type { RealtimePostgresChangesPayload, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createAppWith, runSql } from '../../support/apps.ts';
import { realtimeClient } from '../../support/realtime.ts';
import { uniqueEmail } from '../../support/unique.ts';

const node = inject('node');
type Payload = RealtimePostgresChangesPayload<Record<string, unknown>>;

let app: AppConnection;
const clients: SupabaseClient[] = [];
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table notes (id int primary key, owner uuid not null, is_public boolean not null default false, body text, secret text);
     alter table notes enable row level security;
     create policy sees on notes for select using (owner = (select auth.uid()) or is_public);
     create policy adds on notes for insert to authenticated with check (true);
     revoke select on notes from authenticated, anon;
     grant select (id, owner, is_public, body) on notes to authenticated, anon;
     alter publication supabase_realtime add table notes;`,
  );
});
afterAll(() => Promise.all(clients.map((each) => each.removeAllChannels())));

async function member(): Promise<{ client: SupabaseClient; id: string }> {
  const client = realtimeClient(app);
  clients.push(client);
  const { data, error } = await client.auth.signUp({ email: uniqueEmail(), password: `pass-${uniqueEmail()}` });
  if (error || !data.user) throw error;
  return { client, id: data.user.id };
}

/** Follows the changes of a table. Resolves when all later ones will arrive. */
async function follow(client: SupabaseClient, table: string, filter?: string): Promise<Payload[]> {
  const received: Payload[] = [];
  await new Promise<void>((resolve, reject) => {
    client
      .channel(`${table} ${filter ?? ''}`)
      .on('postgres_changes', { event: '*', schema: 'public', table, ...(filter && { filter }) }, (payload) =>
        received.push(payload as Payload),
      )
      .on('system', {}, ({ status, message }: { status: string; message: string }) =>
        status === 'ok' ? resolve() : reject(new Error(message)),
      )
      .subscribe((status, error) => {
        if (status === 'CHANNEL_ERROR') reject(error);
      });
  });
  return received;
}

const told = (payloads: readonly Payload[]) => payloads.map(({ eventType, new: row, old }) => [eventType, row, old]);

describe('changes of rows', () => {
  it('reach who sees the row before or after, and nobody else', async () => {
    const [ann, ben] = [await member(), await member()];
    const [forAnn, forBen] = [await follow(ann.client, 'notes'), await follow(ben.client, 'notes')];
    await runSql(node, app.ref, `insert into notes values (1, '${ann.id}', false, 'a', 'hidden')`);
    await runSql(node, app.ref, 'update notes set is_public = true where id = 1');
    await runSql(node, app.ref, `update notes set is_public = false, body = 'b' where id = 1`);
    await runSql(node, app.ref, 'delete from notes where id = 1');
    const row = { id: 1, owner: ann.id, is_public: false, body: 'a' };
    await expect
      .poll(() => told(forAnn))
      .toEqual([
        ['INSERT', row, {}],
        ['UPDATE', { ...row, is_public: true }, { id: 1 }],
        ['UPDATE', { ...row, body: 'b' }, { id: 1 }],
        ['DELETE', {}, { id: 1 }],
      ]);
    // Ben saw the row only between two changes, and never hears of its end.
    await expect
      .poll(() => told(forBen))
      .toEqual([
        ['UPDATE', { ...row, is_public: true }, {}],
        ['DELETE', {}, { id: 1 }],
      ]);
  });

  it('follow policies that call functions of a schema which members may not use', async () => {
    await runSql(
      node,
      app.ref,
      `create schema private;
       create table private.members (room int, member uuid);
       create function private.is_member(room int) returns boolean language sql stable security definer set search_path = ''
         as 'select exists (select from private.members m where m.room = $1 and m.member = (select auth.uid()))';
       create table posts (id int primary key, room int, body text);
       alter table posts enable row level security;
       create policy sees on posts for select using (private.is_member(room));
       grant select on posts to authenticated;
       alter publication supabase_realtime add table posts;`,
    );
    const [ann, ben] = [await member(), await member()];
    const [forAnn, forBen] = [await follow(ann.client, 'posts'), await follow(ben.client, 'posts')];
    await runSql(node, app.ref, `insert into private.members values (1, '${ann.id}')`);
    await runSql(node, app.ref, `insert into posts values (1, 1, 'a'), (2, 2, 'b')`);
    await runSql(node, app.ref, 'update posts set room = 2 where id = 1');
    await runSql(node, app.ref, `insert into posts values (3, 1, 'c')`);
    await runSql(node, app.ref, 'delete from posts');
    await expect
      .poll(() => told(forAnn))
      .toEqual([
        ['INSERT', { id: 1, room: 1, body: 'a' }, {}],
        ['DELETE', {}, { id: 1 }],
        ['INSERT', { id: 3, room: 1, body: 'c' }, {}],
        ['DELETE', {}, { id: 3 }],
      ]);
    expect(forBen).toEqual([]);
  });

  it('match filters of the stock client, before and after', async () => {
    const { client, id } = await member();
    const received = await follow(client, 'notes', 'body=in.(x,y)');
    await runSql(node, app.ref, `insert into notes values (10, '${id}', false, 'w'), (11, '${id}', false, 'x')`);
    await runSql(node, app.ref, `update notes set body = 'y' where id = 10; update notes set body = 'z' where id = 11`);
    await expect
      .poll(() => received.map(({ eventType, new: row, old }) => [eventType, (row as { body?: string }).body, old]))
      .toEqual([
        ['INSERT', 'x', {}],
        ['UPDATE', 'y', {}],
        ['DELETE', undefined, { id: 11 }],
      ]);
  });

  it('are refused with a sentence for a table that is not published, and a filter on a hidden column', async () => {
    const { client } = await member();
    await expect(follow(client, 'notes', 'secret=eq.hidden')).rejects.toThrow(/secret/);
    await expect(follow(client, 'notes', 'nothing=eq.1')).rejects.toThrow(/nothing/);
  });

  it('written through the API arrive at once on every worker', async () => {
    const { client, id } = await member();
    const other = await member();
    const received = await follow(other.client, 'notes');
    const started = performance.now();
    const { error } = await client.from('notes').insert({ id: 20, owner: id, is_public: true });
    expect(error).toBeNull();
    await expect.poll(() => received.length, { interval: 2 }).toBe(1);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
