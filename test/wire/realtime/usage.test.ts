import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import WebSocket from 'ws';
import type { ActingToken, AppConnection } from '../../../contract/admin.ts';
import type { RealtimeState } from '../../../contract/realtime.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { RawSocket } from '../../support/realtime.ts';

const node = inject('node');
/** Sockets of the app, so that each worker has some. */
const SOCKETS = 6;

let app: AppConnection;
const sockets: RawSocket[] = [];
beforeAll(async () => {
  app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create table public.notes (id int primary key, body text);
     create policy rooms on realtime.messages for select to authenticated using (realtime.topic() like 'room:%');`,
  );
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});

const state = () => admin<RealtimeState>(node, 'GET', `/apps/${app.ref}/realtime`);

it('GET /apps/:ref/realtime counts the sockets, channels and messages of all workers', async () => {
  const opened = await Promise.all(Array.from({ length: SOCKETS }, () => new RawSocket(app).opened()));
  sockets.push(...opened);
  for (const [i, socket] of opened.entries()) {
    expect(await socket.join('lobby')).toMatchObject({ status: 'ok' });
    if (i === 0) expect(await socket.join('own')).toMatchObject({ status: 'ok' });
  }
  const broadcast = () =>
    opened[0]?.send('realtime:lobby', 'broadcast', { type: 'broadcast', event: 'hello', payload: {} });
  broadcast();
  await opened[SOCKETS - 1]?.next(({ event }) => event === 'broadcast');
  // A worker that does much else may respond too late to be counted.
  await expect
    .poll(async () => (await state()).usage)
    .toMatchObject({
      ...{ sockets: SOCKETS, channels: SOCKETS + 1, topic_count: 2, dropped: 0, delay: null },
      topics: [
        { topic: 'lobby', private: false, channels: SOCKETS },
        { topic: 'own', private: false, channels: 1 },
      ],
    });
  // The rates are those of the last seconds, which a slow machine may spend on the requests above.
  const rate = async () => {
    broadcast();
    return (await state()).usage.sent_per_second;
  };
  await expect.poll(rate).toBeGreaterThan(0);
  const { usage, private_only } = await state();
  expect(usage.workers).toBeGreaterThan(0);
  expect(private_only).toBe(false);
});

it('GET /apps/:ref/realtime lists the tables, and the switch of SQL publishes one', async () => {
  const notes = { schema: 'public', name: 'notes', switchable: true };
  expect((await state()).tables).toContainEqual({ ...notes, published: false });
  await runSql(node, app.ref, 'alter publication supabase_realtime add table public.notes');
  expect((await state()).tables).toContainEqual({ ...notes, published: true });
});

it('a builder’s channel acts as the member of the acting token in its join, and ends with the token’s rights', async () => {
  const { session } = await signUpMember(app);
  const { token } = await admin<ActingToken>(node, 'POST', `/apps/${app.ref}/members/${session.user.id}/act`);
  const socket = await builderSocket();
  const join = (as?: string) => socket.join('room:1', { private: true }, as);
  expect(await socket.join('any', { private: true })).toMatchObject({ status: 'ok' });
  expect(await join(token)).toMatchObject({ status: 'ok' });
  expect(await socket.join('other', { private: true }, token)).toMatchObject({
    ...{ status: 'error', response: { reason: expect.stringContaining('Unauthorized') } },
  });
  expect(await socket.join('room:2', { private: true }, 'anon')).toMatchObject({ status: 'error' });
  // The id of a member is no proof that the builder may act as the member.
  expect(await socket.join('room:3', { private: true }, session.user.id)).toMatchObject({
    ...{ status: 'error', response: { reason: expect.stringContaining('act as this member first') } },
  });
  // A member's own access token is none of the builder's.
  expect(await socket.join('room:4', { private: true }, session.access_token)).toMatchObject({ status: 'error' });
});

it('refuses a builder’s socket from a page of another origin, and one without a session', async () => {
  const url = `${node.url.replace(/^http/, 'ws')}/admin/v1/apps/${app.ref}/realtime/v1/websocket?vsn=1.0.0`;
  for (const headers of [{}, { origin: 'https://evil.example', cookie: 'ninefold_session=x' }]) {
    const ws = new WebSocket(url, { headers });
    const status = await new Promise((resolve) => {
      ws.on('error', () => undefined);
      ws.once('unexpected-response', (_, response) => resolve(response.statusCode));
      ws.once('open', () => resolve(101));
    });
    expect([401, 403]).toContain(status);
  }
});

async function builderSocket(): Promise<RawSocket> {
  const socket = new RawSocket(
    { ...app, url: `${node.url}/admin/v1/apps/${app.ref}` },
    { key: '', headers: { authorization: `Bearer ${node.operatorToken}` } },
  );
  sockets.push(socket);
  return socket.opened();
}
