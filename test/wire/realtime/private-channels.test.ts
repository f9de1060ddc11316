import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createAppWith, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { superuserUrl, withClient } from '../../support/database.ts';
import { RawSocket } from '../../support/realtime.ts';

const node = inject('node');
let app: AppConnection;
const sockets: RawSocket[] = [];
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table room_members (room text, member uuid, may_send boolean);
     alter table room_members enable row level security;
     create policy own on room_members for select using (member = (select auth.uid()));
     grant select on room_members to authenticated;
     create policy reads on realtime.messages for select to authenticated using (
       exists (select from room_members where room = realtime.topic() and member = (select auth.uid())));
     create policy sends on realtime.messages for insert to authenticated with check (
       exists (select from room_members where room = realtime.topic() and member = (select auth.uid()) and may_send));`,
  );
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});

async function open(): Promise<RawSocket> {
  const socket = await new RawSocket(app).opened();
  sockets.push(socket);
  return socket;
}

const options = { private: true, broadcast: { ack: true } };
const hello = { type: 'broadcast', event: 'hello', payload: { text: 'hi' } };

it('policies on realtime.messages decide who joins and who sends, until a table that they read changes', async () => {
  const [ann, ben, eve] = [await signUpMember(app), await signUpMember(app), await signUpMember(app)];
  await runSql(
    node,
    app.ref,
    `insert into room_members values ('blue', '${ann.user.id}', true), ('blue', '${ben.user.id}', false)`,
  );
  const [forAnn, forBen, forEve] = [await open(), await open(), await open()];
  expect(await forAnn.join('blue', options, ann.session.access_token)).toMatchObject({ status: 'ok' });
  expect(await forBen.join('blue', options, ben.session.access_token)).toMatchObject({ status: 'ok' });
  const refused = { status: 'error', response: { reason: expect.stringMatching(/^Unauthorized: .*blue/) } };
  expect(await forEve.join('blue', options, eve.session.access_token)).toMatchObject(refused);
  // A public channel of the same name is another topic.
  expect(await forEve.join('blue', {}, eve.session.access_token)).toMatchObject({ status: 'ok' });

  expect(await forAnn.ask('realtime:blue', 'broadcast', hello)).toEqual({ status: 'ok', response: {} });
  await forBen.next(({ event, payload }) => event === 'broadcast' && payload.event === 'hello');
  expect(await forBen.ask('realtime:blue', 'broadcast', hello)).toMatchObject({
    status: 'error',
    response: { reason: expect.stringContaining('permissions to write') },
  });

  const changed = performance.now();
  await runSql(node, app.ref, `delete from room_members where member = '${ben.user.id}'`);
  const ended = await forBen.next(({ event }) => event === 'system');
  expect(ended.payload).toMatchObject({ status: 'error', message: expect.stringMatching(/^Unauthorized: /) });
  expect(performance.now() - changed).toBeLessThan(2000);
  expect(forEve.messages.filter(({ event }) => event === 'broadcast')).toEqual([]);
});

it('policies are asked again if a table that they read changes while the first private channel is joined', async () => {
  const own = await createAppWith(
    node,
    `create table guests (name text);
     insert into guests values ('ann');
     grant select on guests to anon;
     create policy reads on realtime.messages for select to anon using (exists (select from guests));`,
  );
  // An earlier watch has left its trigger. So no change of the schema lets the policies be asked.
  await withClient(await superuserUrl(node, `app_${own.ref}`), (client) =>
    client.query(`select ninefold.follow_touches('guests'::regclass)`),
  );
  const socket = await new RawSocket(own).opened();
  sockets.push(socket);
  await withClient(own.database_url ?? '', async (client) => {
    // The watch of the table waits for this transaction, so it cannot see its change.
    await client.query('begin; delete from guests');
    expect(await socket.join('blue', options)).toMatchObject({ status: 'ok' });
    await client.query('commit');
  });
  const ended = await socket.next(({ event }) => event === 'system');
  expect(ended.payload).toMatchObject({ status: 'error', message: expect.stringMatching(/^Unauthorized: /) });
});
