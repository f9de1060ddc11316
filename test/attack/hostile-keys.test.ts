import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, createAppWith, deleteApp } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { inDatabase, withClient } from '../support/database.ts';
import { hostileCalls } from '../support/hostile.ts';
import { send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail, uniqueRef } from '../support/unique.ts';

/** An app whose owner tries to damage the server through objects that the server reads, runs or copies. */
const node = inject('node');
const { operator, get, expectServed, makeNeighbour } = hostileCalls(node);

let neighbour: AppConnection;
beforeAll(async () => {
  neighbour = await makeNeighbour();
});

it('an app that changes the password of its own login gets database_unavailable, and other apps keep working', async () => {
  const app = await createAppWith(node, `alter role current_user password 'known'`);
  const migrated = await send(node.url, `/admin/v1/apps/${app.ref}/migrations`, {
    method: 'POST',
    headers: { ...operator, 'content-type': 'application/json' },
    body: '{"files":[]}',
  });
  expect([migrated.status, JSON.parse(migrated.body).code]).toEqual([503, 'database_unavailable']);
  await expectServed(neighbour);
  await deleteApp(node, (await createApp(node, { from: app.ref })).ref);
  await deleteApp(node, app.ref);
});

describe('the keys and the database URL of a deleted app', () => {
  it('are rejected by a new app of the same name', async () => {
    const old = await createApp(node, { ref: uniqueRef('twice') });
    const member = await signUpMember(old);
    await get(old, '/rest/v1/');
    await deleteApp(node, old.ref);
    const fresh = await createApp(node, { ref: old.ref });
    for (const key of [old.publishable_key, old.secret_key, old.anon_key, old.service_role_key]) {
      expectRefusal(await send(node.url, `/apps/${fresh.ref}/rest/v1/`, { headers: { apikey: key } }));
      expectRefusal(
        await send(node.url, `/apps/${fresh.ref}/auth/v1/admin/users`, { headers: { authorization: `Bearer ${key}` } }),
      );
    }
    const headers = { apikey: fresh.anon_key, authorization: `Bearer ${member.session.access_token}` };
    expectRefusal(await send(node.url, `/apps/${fresh.ref}/auth/v1/user`, { headers }));
    await expect(withClient(old.database_url ?? '', (client) => client.query('select 1'))).rejects.toMatchObject({
      code: '28P01',
    });
    await expect(
      withClient(inDatabase(fresh.database_url ?? '', `app_${neighbour.ref}`), (client) => client.query('select 1')),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it('a copy of an app rejects the keys, sessions and refresh tokens of its source', async () => {
  const source = await createApp(node);
  const member = await signUpMember(source);
  const copy = await createApp(node, { from: source.ref });
  const refreshed = await send(node.url, `/apps/${copy.ref}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: { apikey: copy.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: member.session.refresh_token }),
  });
  expect(expectRefusal(refreshed)).toBe('refresh_token_not_found');
  for (const token of [source.anon_key, source.service_role_key, source.secret_key, member.session.access_token]) {
    const headers = { apikey: copy.anon_key, authorization: `Bearer ${token}` };
    expectRefusal(await send(node.url, `/apps/${copy.ref}/rest/v1/`, { headers }));
  }
  expect(source.jwt_secret).not.toBe(copy.jwt_secret);
  const again = await admin<AppConnection>(node, 'GET', `/apps/${source.ref}/connection`);
  expect(again.anon_key).toBe(source.anon_key);
  expect((await signUpMember(copy)).email).not.toBe(uniqueEmail());
});
