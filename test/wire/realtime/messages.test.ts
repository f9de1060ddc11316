import type { RealtimeChannel } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { joined, realtimeClient } from '../../support/realtime.ts';

const node = inject('node');

/** Migrations in the forms that projects of Supabase have. */
const migrations = [
  `create table public.rooms (id text primary key, title text);
   create table public.room_members (room_id text references public.rooms, user_id uuid references auth.users, primary key (room_id, user_id));
   alter table public.rooms enable row level security;
   alter table public.room_members enable row level security;
   create policy "own" on public.room_members for select to authenticated using (user_id = (select auth.uid()));
   alter table "realtime"."messages" enable row level security;
   create policy "authenticated can read all messages of their rooms" on "realtime"."messages" as permissive for select to authenticated
     using (exists (select 1 from public.room_members m where m.user_id = (select auth.uid())
       and ('room:' || m.room_id) = (select realtime.topic()) and realtime.messages.extension in ('broadcast', 'presence')));
   create policy "members can write" on realtime.messages for insert to authenticated with check (
     (select realtime.topic()) like 'room:%' and exists (select 1 from room_members
       where user_id = auth.uid() and room_id = split_part(realtime.topic(), ':', 2))
     and realtime.messages.extension in ('broadcast'));`,
  `create or replace function public.room_changes() returns trigger security definer language plpgsql set search_path = '' as $$
   begin
     perform realtime.broadcast_changes('room:' || coalesce(new.id, old.id)::text, tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
     return null;
   end; $$;
   create trigger room_changed after insert or update or delete on public.rooms for each row execute procedure public.room_changes();
   create function public.announce(room text, body jsonb) returns void language sql security definer as
     $$ select realtime.send(body, 'announced', 'room:' || room, true) $$;`,
];

let app: AppConnection;
let ann: Awaited<ReturnType<typeof signUpMember>>;
let bob: typeof ann;
let channel: RealtimeChannel;
const clients: ReturnType<typeof realtimeClient>[] = [];

async function clientOf({ session }: typeof ann): Promise<ReturnType<typeof realtimeClient>> {
  const client = realtimeClient(app, app.publishable_key, '2.0.0');
  clients.push(client);
  await client.realtime.setAuth(session.access_token);
  return client;
}

beforeAll(async () => {
  app = await createApp(node);
  await admin(node, 'POST', `/apps/${app.ref}/migrations`, {
    files: migrations.map((sql, i) => ({ name: `2025010100000${i}_part.sql`, sql })),
  });
  [ann, bob] = await Promise.all([signUpMember(app), signUpMember(app)]);
  await runSql(
    node,
    app.ref,
    `insert into rooms values ('blue', 'Blue'); insert into room_members values ('blue', '${ann.session.user.id}')`,
  );
});

afterAll(() => Promise.all(clients.map((client) => client.removeAllChannels())));

describe('policies and functions of migrations of Supabase projects', () => {
  it('let a member of the room join, and nobody else', async () => {
    const received: unknown[] = [];
    const client = await clientOf(ann);
    channel = client.channel('room:blue', { config: { private: true, broadcast: { ack: true } } });
    await joined(channel.on('broadcast', { event: '*' }, (message) => received.push(message)));
    const stranger = (await clientOf(bob)).channel('room:blue', { config: { private: true } });
    await expect(joined(stranger)).rejects.toThrow('You do not have permissions to read from this Channel topic');
    await runSql(node, app.ref, `update rooms set title = 'Deep blue' where id = 'blue'`);
    await expect
      .poll(() => received)
      .toEqual([
        expect.objectContaining({
          event: 'UPDATE',
          payload: {
            id: expect.any(String),
            operation: 'UPDATE',
            schema: 'public',
            table: 'rooms',
            record: { id: 'blue', title: 'Deep blue' },
            old_record: { id: 'blue', title: 'Blue' },
          },
          meta: { id: expect.any(String) },
        }),
      ]);
    expect(await channel.send({ type: 'broadcast', event: 'x', payload: {} })).toBe('ok');
  });

  it('deliver what a call of the API sends, and replay it to a later join', async () => {
    const started = Date.now();
    const received: unknown[] = [];
    channel.on('broadcast', { event: 'announced' }, ({ payload }) => received.push(payload.text));
    for (const text of ['one', 'two', 'three']) {
      const { error } = await ann.client.rpc('announce', { room: 'blue', body: { text } });
      expect(error).toBeNull();
    }
    await expect.poll(() => received).toEqual(['one', 'two', 'three']);
    const replayed: unknown[] = [];
    const late = (await clientOf(ann)).channel('room:blue', {
      config: { private: true, broadcast: { replay: { since: started - 1000, limit: 2 } } },
    });
    await joined(
      late.on('broadcast', { event: 'announced' }, ({ payload, meta }) =>
        replayed.push([payload.text, meta?.replayed]),
      ),
    );
    await expect
      .poll(() => replayed)
      .toEqual([
        ['two', true],
        ['three', true],
      ]);
  });

  it('end a channel at once that a changed policy no longer allows', async () => {
    const client = await clientOf(ann);
    const started = performance.now();
    const leaving = client.channel('room:blue', { config: { private: true } });
    const ended = new Promise<string>((resolve, reject) => {
      leaving.subscribe((status) => {
        if (status === 'CHANNEL_ERROR' || status === 'CLOSED') resolve(status);
        if (status === 'SUBSCRIBED') {
          runSql(
            node,
            app.ref,
            'drop policy "authenticated can read all messages of their rooms" on realtime.messages',
          ).catch(reject);
        }
      });
    });
    await ended;
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
