import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { createApp, createAppWith, deleteApp, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { healthDuring } from '../../support/health-watch.ts';
import { ownNode } from '../../support/own-node.ts';
import { RawSocket } from '../../support/realtime.ts';

/** All sockets are in one worker, which the apps share. */
const node = ownNode('attack-realtime', () => ({ NINEFOLD_WORKERS: '1' }));
/** Longest time for which a caller may stop the requests of others. */
const STOP_MILLISECONDS = 1000;
const KIB = 1024;

let app: AppConnection;
let other: AppConnection;
const sockets: { close(): void }[] = [];

beforeAll(async () => {
  [app, other] = await Promise.all([
    createAppWith(
      node,
      `create table public.notes (id int primary key, owner uuid default auth.uid(), body text, secret text);
       alter table public.notes enable row level security;
       create policy own on public.notes for select to authenticated using (owner = auth.uid());
       revoke all on public.notes from anon, authenticated;
       grant select (id, owner, body) on public.notes to anon, authenticated;
       create table public.open (id int primary key, body text);
       grant select on public.open to anon, authenticated;
       alter publication supabase_realtime add table public.notes, public.open;
       create function public.slow_topic() returns boolean language plpgsql as $$
         begin if realtime.topic() = 'slow' then perform pg_sleep(1); end if; return realtime.topic() in ('slow', 'fast'); end $$;
       create policy topics on realtime.messages for select to authenticated using (public.slow_topic());`,
    ),
    createApp(node),
  ]);
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});

async function opened(of = app, options: ConstructorParameters<typeof RawSocket>[1] = {}): Promise<RawSocket> {
  const socket = new RawSocket(of, options);
  sockets.push(socket);
  return socket.opened();
}

/** Joins a channel that follows a table, and waits until its changes arrive. */
async function following(table: string, filter?: string, token?: string): Promise<RawSocket> {
  const socket = await opened();
  const entry = { event: '*', schema: 'public', table, ...(filter !== undefined && { filter }) };
  expect(await socket.join('changes', { postgres_changes: [entry] }, token)).toMatchObject({ status: 'ok' });
  const { payload } = await socket.next(({ event }) => event === 'system');
  expect(payload).toMatchObject({ status: 'ok' });
  return socket;
}

const idOf = ({ payload }: { payload: unknown }) =>
  (payload as { data?: { record?: { id?: number } } }).data?.record?.id ?? null;
const idsOf = (socket: RawSocket) =>
  socket.messages.filter(({ event }) => event === 'postgres_changes').map((message) => idOf(message));
const systemError = (socket: RawSocket) =>
  socket.next(({ event, payload }) => event === 'system' && payload.status === 'error', 5000);

/** Opens a socket that sends bytes as they are. */
async function rawConnection(of: AppConnection): Promise<Socket> {
  const { hostname, port, pathname } = new URL(of.url);
  const socket = net.connect(Number(port), hostname);
  sockets.push({ close: () => socket.destroy() });
  socket.on('error', () => undefined);
  socket.write(
    `GET ${pathname}/realtime/v1/websocket?apikey=${of.publishable_key}&vsn=2.0.0 HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\n` +
      'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString('latin1')).toContain(' 101 ');
  return socket;
}

/** Opcodes of frames (RFC 6455, section 5.2). `FIN` marks the last frame of a message. */
const FIN = 0x80;
const [TEXT, BINARY, PING] = [0x1, 0x2, 0x9];

/** Returns a frame of a client, whose mask is zero. `length` may be longer than the payload. */
function frame(first: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.from([first, FIN | (length < 126 ? length : 127)]);
  const long = Buffer.alloc(length < 126 ? 0 : 8);
  if (long.length > 0) long.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([head, long, Buffer.alloc(4), payload]);
}

/** Expects that requests of others and a socket of another app are answered while `work` runs. */
async function expectOthersServed(work: () => Promise<unknown>): Promise<void> {
  const victim = await opened(other);
  const { max, noise } = await healthDuring(node.url, async () => {
    await work();
    expect(await victim.ask('phoenix', 'heartbeat')).toMatchObject({ status: 'ok' });
  });
  expect(max - noise).toBeLessThan(STOP_MILLISECONDS);
}

/** Creates a table whose trigger adds forged changes. */
const FORGE = `create table if not exists public.forged (operation text, image json);
  create or replace function public.forge() returns trigger language plpgsql as $$
    begin
      insert into ninefold.changes (relation, operation, is_too_large, new)
      values ('public.open'::regclass, new.operation::"char", false, new.image);
      return null;
    exception when check_violation then
      return null;
    end $$;
  create or replace trigger forge before insert on public.forged for each row execute function public.forge()`;

describe('the owner of an app who runs any SQL', () => {
  it('cannot stop the worker with changes that no trigger has written', async () => {
    const socket = await following('open');
    await expectOthersServed(async () => {
      await runSql(
        node,
        app.ref,
        `${FORGE}; insert into public.forged select 'I', image::json from unnest(array[
           '["a", "b:c"]', '"x:y"', '{"id" : 1, "body":"\\""}', '[[[[{"a":"b:"}]]]]', '3', 'null']) image;
         insert into public.forged values ('?', '{}')`,
      );
      await runSql(node, app.ref, "insert into public.open values (10, 'after')");
      await socket.next((message) => idOf(message) === 10);
    });
  });

  it('cannot make a worker read more bytes than its limit by a wrong size', async () => {
    const socket = await following('open');
    await runSql(
      node,
      app.ref,
      `${FORGE}; insert into public.forged select 'I', json_build_object('id', g, 'body', repeat('x', 3000000))
       from generate_series(1, 20) g`,
    );
    expect((await systemError(socket)).payload.message).toContain('Too many rows changed at once');
    // The next channel follows the table as usual.
    const next = await following('open');
    await runSql(node, app.ref, "insert into public.open values (11, 'after')");
    await next.next((message) => idOf(message) === 11);
  });

  it('cannot run code as another role by policies, types and operators', async () => {
    await runSql(
      node,
      app.ref,
      `create type public.price as (amount int);
       create function public.same(public.price, public.price) returns boolean language plpgsql as $$
         begin
           perform pg_catalog.set_config('role', 'none', true);
           raise exception 'operator runs as % of %', current_user, session_user;
         end $$;
       create operator public.= (leftarg = public.price, rightarg = public.price, function = public.same);
       create function public.become_strong() returns boolean language plpgsql as $$
         begin
           perform pg_catalog.set_config('role', 'ninefold_server', true);
           raise exception 'policy runs as %', current_user;
         end $$;
       create table public.prices (id int primary key, price public.price);
       create table public.guarded (id int primary key);
       alter table public.guarded enable row level security;
       create policy strong on public.guarded for select using (public.become_strong());
       grant select on public.prices, public.guarded to anon;
       alter publication supabase_realtime add table public.prices, public.guarded;`,
    );
    const socket = await opened();
    const entry = { event: '*', schema: 'public', table: 'prices', filter: 'price=eq."(1)"' };
    expect(await socket.join('a', { postgres_changes: [entry] })).toMatchObject({ status: 'ok' });
    await socket.next(({ event }) => event === 'system');
    const guarded = await following('guarded');
    await runSql(node, app.ref, 'insert into public.prices values (1, row(1)); insert into public.guarded values (1)');
    const { payload } = await systemError(socket);
    expect(payload.message).toMatch(/operator runs as \S*authenticator\S* of \S*authenticator/);
    expect((await systemError(guarded)).payload.message).toContain('permission denied to set role "ninefold_server"');
  });

  it('ends the channels of a publication that is dropped, and no others', async () => {
    const own = await createAppWith(
      node,
      `create table public.t (id int primary key); grant select on public.t to anon;
       alter publication supabase_realtime add table public.t`,
    );
    const socket = await opened(own);
    const entry = { event: '*', schema: 'public', table: 't' };
    await socket.join('a', { postgres_changes: [entry] });
    await socket.next(({ event }) => event === 'system');
    const kept = await following('open');
    await runSql(node, own.ref, 'drop publication supabase_realtime');
    expect((await systemError(socket)).payload.message).toContain('Unable to subscribe');
    await deleteApp(node, own.ref);
    expect((await socket.closed).code).toBeGreaterThan(1000);
    await runSql(node, app.ref, "insert into public.open values (12, 'kept')");
    await kept.next((message) => idOf(message) === 12);
  });
});

describe('a member or an anonymous caller', () => {
  it('gets nothing of another app, of a hidden row or of a hidden column', async () => {
    const [ada, foreign] = await Promise.all([signUpMember(app), signUpMember(other)]);
    const [mine, theirs] = [await opened(), await opened(other)];
    await Promise.all([mine.join('room'), theirs.join('room')]);
    expect(await mine.join('room:2', {}, foreign.session.access_token)).toMatchObject({ status: 'error' });
    for (const topic of ['fast', 'live:/notes?select=id,secret', `live:/../${other.ref}/rest/v1/notes?select=id`]) {
      expect([topic, await mine.join(topic, { private: true })]).toMatchObject([topic, { status: 'error' }]);
    }
    theirs.send('realtime:room', 'broadcast', { type: 'broadcast', event: 'x', payload: {} });
    const rows = await following('notes', 'body=match.a', ada.session.access_token);
    await runSql(
      node,
      app.ref,
      `insert into public.notes (id, owner, body, secret) values (1, null, 'a', 's'), (2, '${ada.user.id}', 'a', 's');
       update public.notes set body = 'aa'; delete from public.notes`,
    );
    await rows.next(({ payload }) => (payload as { data?: { type?: string } }).data?.type === 'DELETE');
    const text = JSON.stringify(rows.messages.filter(({ event }) => event === 'postgres_changes'));
    expect(idsOf(rows)).toEqual([2, 2, null]);
    expect(text).not.toContain('secret');
    expect(text).not.toContain('"id":1');
    expect(mine.messages.filter(({ event }) => event === 'broadcast')).toEqual([]);
  });

  it('cannot filter by patterns that need exponential time, or by hidden columns: the channel gets no changes', async () => {
    const { session } = await signUpMember(app);
    const filters = [
      'body=match.(.*)(.*)\\2\\1x',
      'secret=eq.s',
      'body=eq',
      '"; drop table notes',
      'body=is.(select 1)',
    ];
    const refused: RawSocket[] = [];
    for (const filter of filters) {
      const socket = await opened();
      const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'notes', filter }] };
      expect([filter, await socket.join('a', config, session.access_token)]).toMatchObject([filter, { status: 'ok' }]);
      const { payload } = await systemError(socket);
      expect([filter, payload]).toMatchObject([filter, { extension: 'postgres_changes', status: 'error' }]);
      refused.push(socket);
    }
    const rows = await following('notes', undefined, session.access_token);
    await runSql(
      node,
      app.ref,
      `insert into public.notes (id, owner, body, secret) values (3, '${session.user.id}', 'aax', 's'); delete from public.notes`,
    );
    await rows.next(({ payload }) => (payload as { data?: { type?: string } }).data?.type === 'DELETE');
    // The reply to a later message shows that the socket has received all that was sent before.
    for (const socket of refused) await socket.ask('phoenix', 'heartbeat', {});
    expect(refused.map(idsOf)).toEqual(filters.map(() => []));
  });

  it('gets no channel if the session ends while the policies are asked', async () => {
    const { client, session } = await signUpMember(app);
    const socket = await opened();
    const joining = socket.join('slow', { private: true }, session.access_token);
    await client.auth.signOut({ scope: 'local' });
    expect(await joining).toMatchObject({ status: 'error' });
    socket.send('realtime:slow', 'presence', { type: 'presence', event: 'track', payload: {} });
    const reply = await socket.ask('realtime:slow', 'broadcast', { type: 'broadcast', event: 'x', payload: {} });
    expect(reply).toMatchObject({ status: 'error', response: { reason: 'unmatched topic' } });
  });

  it('sees the rows of the last token only, also if it is renewed while a join begins to follow', async () => {
    const [ada, bob] = await Promise.all([signUpMember(app), signUpMember(app)]);
    const socket = await opened();
    const entry = { event: '*', schema: 'public', table: 'notes' };
    const joining = socket.join('a', { postgres_changes: [entry] }, ada.session.access_token);
    await joining;
    socket.send('realtime:a', 'access_token', { access_token: ada.session.access_token });
    socket.send('realtime:a', 'access_token', { access_token: bob.session.access_token });
    await socket.next(({ event }) => event === 'system');
    // A reply shows that the messages before were handled.
    await socket.join('b', {}, bob.session.access_token);
    await runSql(
      node,
      app.ref,
      `insert into public.notes (id, owner) values (21, '${ada.user.id}'), (22, '${bob.user.id}')`,
    );
    await socket.next((message) => idOf(message) === 22);
    expect(idsOf(socket)).toEqual([22]);
  });

  it('cannot send a frame that other clients cannot parse', async () => {
    const payload = Buffer.from('\uFEFF{}');
    const texts = ['1', '2', 'realtime:room', 'x', ''].map((text) => Buffer.from(text));
    const broadcast = Buffer.concat([Buffer.from([3, ...texts.map(({ length }) => length), 1]), ...texts, payload]);
    for (const bad of [
      frame(FIN | BINARY, broadcast),
      frame(FIN | TEXT, Buffer.from([0xff, 0xfe])),
      frame(FIN | TEXT, Buffer.from('['.repeat(100_000))),
      frame(FIN | TEXT, Buffer.from('x'), 2 ** 40),
      frame(FIN | BINARY, Buffer.from([3, 255, 255, 255, 255, 255, 1, 1])),
    ]) {
      const socket = await rawConnection(app);
      socket.write(bad);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      // A close frame (RFC 6455, section 5.5.1).
      expect(answer[0]).toBe(0x88);
    }
  });

  it('stops nobody by joining and leaving the same topics without end', async () => {
    const socket = await opened();
    await expectOthersServed(async () => {
      for (let i = 0; i < 300; i++) {
        const topic = `realtime:${i % 3}`;
        socket.send(topic, 'phx_join', { config: { presence: { enabled: true } } });
        if (i % 2 === 0) socket.send(topic, 'phx_leave');
        socket.send(topic, 'access_token', { access_token: 'x'.repeat(1000) });
      }
      await new Promise((resolve) => setTimeout(resolve, 1100));
    });
    const last = await opened();
    expect(await last.join('0')).toMatchObject({ status: 'ok' });
  });

  it('holds a bounded amount of memory with messages that never end, also with pings between', async () => {
    const bytes = 200 * KIB;
    const count = 2 * Math.ceil(limits.realtimeUnfinishedBytes.default / bytes);
    const connections = await Promise.all(Array.from({ length: count }, () => rawConnection(app)));
    await expectOthersServed(async () => {
      for (const socket of connections) {
        socket.resume().write(frame(TEXT, Buffer.alloc(bytes, 'a')));
        socket.write(frame(FIN | PING, Buffer.from('x')));
      }
      const open = () => connections.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length;
      await expect.poll(open).toBeLessThanOrEqual(count / 2 + 1);
      expect(open()).toBeGreaterThan(0);
    });
    for (const socket of connections) socket.destroy();
  });

  it('stops nobody by floods of pings and of large messages whose replies are not read', async () => {
    const pings = Buffer.concat(Array.from({ length: 2000 }, () => frame(FIN | PING, Buffer.alloc(125))));
    const text = JSON.stringify(['1', '2', 'realtime:none', 'x', { a: Array(80_000).fill(1) }]);
    const large = frame(FIN | TEXT, Buffer.from(text));
    const connections = await Promise.all(Array.from({ length: 20 }, () => rawConnection(app)));
    await expectOthersServed(async () => {
      const until = performance.now() + 2000;
      const flood = async (socket: Socket, what: Buffer) => {
        socket.pause();
        while (performance.now() < until && !socket.destroyed) {
          if (!socket.write(what)) await Promise.race([once(socket, 'drain'), once(socket, 'close'), timeout(until)]);
        }
      };
      await Promise.all(connections.map((socket, i) => flood(socket, i % 2 === 0 ? pings : large)));
    });
    for (const socket of connections) socket.destroy();
  });
});

const timeout = (until: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())));
