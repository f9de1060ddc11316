import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection, CreatedApiKey } from '../../../contract/admin.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { RawSocket } from '../../support/realtime.ts';

const node = inject('node');
/** The promise of the issue of a token's end: the channel closes within this time. */
const SECOND = 1000;
/** Sockets of an app, so that each worker has some. */
const SOCKETS = 6;

const secret = 'a secret of at least 32 characters, for tests';

let app: AppConnection;
const sockets: RawSocket[] = [];
beforeAll(async () => {
  app = await createApp(node);
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});

async function joinedSockets(token: string): Promise<RawSocket[]> {
  const opened = await Promise.all(Array.from({ length: SOCKETS }, () => new RawSocket(app).opened()));
  sockets.push(...opened);
  for (const socket of opened) expect(await socket.join('room', {}, token)).toMatchObject({ status: 'ok' });
  return opened;
}

/** Expects that each channel ends within a second after `act`, with a reason. */
async function expectEnd(opened: readonly RawSocket[], reason: string, act: () => Promise<unknown>): Promise<void> {
  await act();
  const acted = performance.now();
  await Promise.all(
    opened.map(async (socket) => {
      const { payload } = await socket.next(({ event }) => event === 'system', 5000);
      expect(payload).toMatchObject({ status: 'error', message: expect.stringContaining(reason) });
      await socket.next(({ event }) => event === 'phx_close');
    }),
  );
  expect(performance.now() - acted).toBeLessThan(SECOND);
}

describe('a channel ends within a second on every worker', () => {
  it('if its member signs out', async () => {
    const { client, session } = await signUpMember(app);
    const opened = await joinedSockets(session.access_token);
    await expectEnd(opened, 'The session has ended', () => client.auth.signOut({ scope: 'local' }));
    // The key of the socket still works.
    const [first] = opened as [RawSocket];
    expect(await first.join('room')).toMatchObject({ status: 'ok' });
    expect(await first.join('room', {}, session.access_token)).toMatchObject({
      status: 'error',
      response: { reason: expect.stringContaining('InvalidJWTToken') },
    });
  });

  it('if its member is banned, or deleted', async () => {
    const banned = await signUpMember(app);
    const ofBanned = await joinedSockets(banned.session.access_token);
    await expectEnd(ofBanned, 'The session has ended', () =>
      admin(node, 'PUT', `/apps/${app.ref}/auth/v1/admin/users/${banned.user.id}`, { ban_duration: '1h' }),
    );
    const deleted = await signUpMember(app);
    const ofDeleted = await joinedSockets(deleted.session.access_token);
    await expectEnd(ofDeleted, 'The session has ended', () =>
      runSql(node, app.ref, `delete from auth.users where id = '${deleted.user.id}'`),
    );
  });

  it('if its token expires', async () => {
    const other = await createApp(node, { jwt_secret: secret });
    const exp = Math.floor(Date.now() / 1000) + 3;
    const token = await new SignJWT({ role: 'authenticated', exp })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret));
    const socket = await new RawSocket(other).opened();
    sockets.push(socket);
    expect(await socket.join('room', {}, token)).toMatchObject({ status: 'ok' });
    const { payload } = await socket.next(({ event }) => event === 'system');
    expect(payload.message).toBe('InvalidJWTToken: Access token has expired');
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
    expect(Date.now()).toBeLessThan(exp * 1000 + SECOND);
  });

  it('if its key is revoked', async () => {
    const other = await createApp(node);
    const { id, key } = await admin<CreatedApiKey>(node, 'POST', `/apps/${other.ref}/api-keys`, { name: 'Reports' });
    const open = () => new RawSocket(other, { key }).opened();
    const opened = await Promise.all(Array.from({ length: SOCKETS }, open));
    sockets.push(...opened);
    for (const socket of opened) expect(await socket.join('room')).toMatchObject({ status: 'ok' });
    await expectEnd(opened, 'InvalidJWTToken', () =>
      admin(node, 'POST', `/apps/${other.ref}/api-keys/${id}/revoke`, {}),
    );
  });
});
