import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { liveList } from '../../../examples/live-list/live-list.ts';
import { createAppWith, runSql } from '../../support/apps.ts';
import { joined, RawSocket, realtimeClient } from '../../support/realtime.ts';
import { uniqueEmail } from '../../support/unique.ts';

const node = inject('node');
const password = 'correct horse battery';

const schema = `
  create table public.teams (id int primary key, name text);
  create table public.memberships (team int references public.teams, member uuid, primary key (team, member));
  create table public.tickets (
    id int primary key, team int references public.teams, subject text, priority int not null default 0,
    owner uuid default auth.uid());
  create table public.notes (id int primary key, ticket int references public.tickets on delete cascade, body text);
  create table public.secrets (id int primary key);
  create function public.is_member(team int) returns boolean language sql stable security definer set search_path = ''
    as $$ select exists (select from public.memberships m where m.team = is_member.team and m.member = auth.uid()) $$;
  create view public.open_tickets with (security_invoker = true) as select id, subject from public.tickets where priority < 100;
  alter table public.teams enable row level security;
  alter table public.memberships enable row level security;
  alter table public.tickets enable row level security;
  alter table public.notes enable row level security;
  create policy own on public.tickets to authenticated using (owner = (select auth.uid()) or public.is_member(team))
    with check (true);
  create policy own on public.notes to authenticated using (exists (select from public.tickets t where t.id = ticket))
    with check (true);
  create policy all_teams on public.teams to authenticated using (true);
  revoke all on public.secrets from anon, authenticated;
  insert into public.teams values (1, 'red'), (2, 'blue');`;

let app: AppConnection;
let service: SupabaseClient;
const clients: SupabaseClient[] = [];

beforeAll(async () => {
  app = await createAppWith(node, schema);
  service = realtimeClient(app, app.secret_key ?? '');
});
afterAll(() => Promise.all(clients.map((client) => client.removeAllChannels())));

async function member(): Promise<{ client: SupabaseClient; id: string }> {
  const client = realtimeClient(app);
  clients.push(client);
  const { data, error } = await client.auth.signUp({ email: uniqueEmail(), password });
  if (error || !data.user) throw error;
  return { client, id: data.user.id };
}

/** A live list of the example, with its latest rows. */
function listOf(client: SupabaseClient, read: string) {
  const seen: { rows: readonly Record<string, unknown>[] | null; errors: string[]; stop: () => void } = {
    rows: null,
    errors: [],
    stop: () => undefined,
  };
  seen.stop = liveList<Record<string, unknown>>(
    client,
    read,
    (rows) => {
      seen.rows = rows;
    },
    (error) => seen.errors.push(error.message),
  );
  return seen;
}

let nextId = 1;
const newId = () => nextId++;

async function done(result: PromiseLike<{ error: unknown }>): Promise<void> {
  expect((await result).error).toBeNull();
}

describe('a live list', () => {
  it('sends the page and then what enters, changes, moves and leaves, as a new GET would return it', async () => {
    const { client, id: owner } = await member();
    const [a, b, c] = [newId(), newId(), newId()];
    await done(client.from('tickets').insert({ id: a, subject: 'a', priority: 1, owner }));
    const read =
      '/tickets?select=id,subject,priority,notes(body),teams(name)&priority=lt.50&order=priority.desc,id&limit=2';
    const list = listOf(client, read);
    const get = async () => {
      const { data, error } = await client
        .from('tickets')
        .select('id,subject,priority,notes(body),teams(name)')
        .lt('priority', 50)
        .order('priority', { ascending: false })
        .order('id')
        .limit(2);
      expect(error).toBeNull();
      return data;
    };
    const agrees = async (ids: number[]) => {
      await expect.poll(() => list.rows?.map(({ id }) => id)).toEqual(ids);
      const rows = await get();
      await expect.poll(() => list.rows).toEqual(rows);
    };
    await agrees([a]);
    await done(
      client.from('tickets').insert([
        { id: b, subject: 'b', priority: 2, owner },
        { id: c, priority: 3, owner },
      ]),
    );
    await agrees([c, b]);
    await done(client.from('tickets').update({ priority: 9, subject: 'A' }).eq('id', a));
    await agrees([a, c]);
    await done(client.from('notes').insert({ id: a, ticket: a, body: 'embedded' }));
    await expect.poll(() => list.rows?.[0]?.notes).toEqual([{ body: 'embedded' }]);
    await done(client.from('tickets').update({ team: 1 }).eq('id', a));
    await expect.poll(() => list.rows?.[0]?.teams).toEqual({ name: 'red' });
    await done(service.from('teams').update({ name: 'crimson' }).eq('id', 1));
    await expect.poll(() => list.rows?.[0]?.teams).toEqual({ name: 'crimson' });
    await done(client.from('tickets').update({ priority: 60 }).eq('id', a));
    await agrees([c, b]);
    await done(client.from('tickets').delete().eq('id', c));
    await agrees([b]);
    list.stop();
  });

  it('follows a membership that a function of a policy reads, so that two members see different rows', async () => {
    const [one, two] = await Promise.all([member(), member()]);
    const id = newId();
    await done(one.client.from('tickets').insert({ id, team: 2, subject: 'shared', owner: one.id }));
    const read = `/open_tickets?select=id&id=eq.${id}`;
    const [first, second] = [listOf(one.client, read), listOf(two.client, read)];
    await expect.poll(() => [first.rows, second.rows]).toEqual([[{ id }], []]);
    await done(service.from('memberships').insert({ team: 2, member: two.id }));
    await expect.poll(() => second.rows).toEqual([{ id }]);
    await done(service.from('memberships').delete().eq('member', two.id));
    await expect.poll(() => second.rows).toEqual([]);
    expect(first.rows).toEqual([{ id }]);
    first.stop();
    second.stop();
  });

  it('ends with the error of the read if the right is revoked, and joins again after it is granted', async () => {
    const { client, id: owner } = await member();
    const id = newId();
    await done(client.from('tickets').insert({ id, owner }));
    const list = listOf(client, `/tickets?select=id&owner=eq.${owner}`);
    await expect.poll(() => list.rows).toEqual([{ id }]);
    await runSql(node, app.ref, 'revoke select on public.tickets from authenticated');
    await expect.poll(() => list.errors.join()).toContain('42501: permission denied for table tickets');
    await runSql(
      node,
      app.ref,
      'grant select on public.tickets to authenticated; update public.tickets set priority = 7',
    );
    await done(client.from('tickets').insert({ id: newId(), owner }));
    await expect.poll(() => list.rows?.length, { timeout: 12_000 }).toBe(2);
    list.stop();
  });

  it('ends when the session ends, and sends nothing later', async () => {
    const { client, id: owner } = await member();
    const raw = await new RawSocket(app).opened();
    const token = (await client.auth.getSession()).data.session?.access_token;
    const topic = `live:/tickets?select=id&owner=eq.${owner}`;
    expect(await raw.join(topic, { private: true }, token)).toMatchObject({ status: 'ok' });
    await raw.next(({ event }) => event === 'broadcast');
    const id = newId();
    await client.auth.signOut();
    await raw.next(({ event }) => event === 'phx_close');
    await done(service.from('tickets').insert({ id, owner }));
    const late = raw.messages.filter(
      ({ event, payload }) => event === 'broadcast' && JSON.stringify(payload).includes(`"id":${id}`),
    );
    expect(late).toEqual([]);
    raw.close();
  });
});

describe('joining a live list', () => {
  const reason = async (topic: string, config: object = { private: true }) => {
    const raw = await new RawSocket(app).opened();
    const reply = await raw.join(topic, config);
    raw.close();
    return (reply as { response: { reason?: string } }).response.reason;
  };

  it('is refused with the error of the read', async () => {
    expect(await reason('live:/secrets?select=id')).toBe('42501: permission denied for table secrets');
    expect(await reason('live:/unknown?select=id')).toMatch(/^PGRST205: /);
    expect(await reason('live:/tickets?select=id&priority=lt.x')).toMatch(/^22P02: /);
    expect(await reason('live:other:/tickets?select=id')).toMatch(/^PGRST106: /);
  });

  it('is refused without the primary key, for functions, for too many rows and for a long topic', async () => {
    expect(await reason('live:/tickets?select=subject')).toBe(
      'LiveListRefused: A live list selects the primary key. Add "id" to select.',
    );
    expect(await reason('live:/tickets?select=id::bool')).toMatch(/^LiveListRefused: /);
    expect(await reason('live:/rpc/is_member?team=1')).toMatch(/^LiveListRefused: /);
    expect(await reason('live:/tickets?limit=1001')).toMatch(/^LiveListRefused: /);
    expect(await reason(`live:/tickets?select=${'id,'.repeat(1400)}id`)).toMatch(/^InvalidJoinPayload: /);
  });

  it('gives nobody a way to send on its topic', async () => {
    const { client } = await member();
    const topic = 'live:/teams?select=id';
    const received: string[] = [];
    const channel: RealtimeChannel = client
      .channel(topic, { config: { private: true, broadcast: { ack: true, self: true } } })
      .on('broadcast', { event: '*' }, ({ payload }) => received.push(JSON.stringify(payload)));
    await joined(channel);
    await expect.poll(() => received.length).toBe(1);
    const forged = { rows: [{ id: 'forged' }] };
    expect(await channel.send({ type: 'broadcast', event: 'page', payload: forged })).not.toBe('ok');
    await service.channel(topic, { config: { private: true } }).httpSend('page', forged);
    await done(service.from('teams').insert({ id: newId() + 10, name: 'green' }));
    await expect.poll(() => received.length).toBe(2);
    expect(received.join()).not.toContain('forged');
  });

  it('has presence if the read names one row and the caller sees it', async () => {
    const [one, two] = await Promise.all([member(), member()]);
    const id = newId();
    await done(one.client.from('tickets').insert({ id, team: 2, owner: one.id }));
    await done(service.from('memberships').insert({ team: 2, member: two.id }));
    const topic = `live:/tickets?select=id&id=eq.${id}`;
    const states = [one, two].map(({ client, id: key }) => {
      const channel = client.channel(topic, { config: { private: true, presence: { key, enabled: true } } });
      channel.on('presence', { event: 'sync' }, () => undefined);
      return channel;
    });
    await Promise.all(states.map(joined));
    const [first, second] = states as [RealtimeChannel, RealtimeChannel];
    await expect.poll(() => first.track({ at: 1 })).toBe('ok');
    await expect.poll(() => second.track({ at: 1 })).toBe('ok');
    await expect.poll(() => Object.keys(first.presenceState()).sort()).toEqual([one.id, two.id].sort());
    await done(service.from('memberships').delete().eq('member', two.id));
    await expect.poll(() => Object.keys(first.presenceState())).toEqual([one.id]);
    await expect.poll(() => Object.keys(second.presenceState())).toEqual([]);
  });
});
