import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { send } from '../support/http.ts';

const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
});

interface MemberEntry {
  id: string;
  created_at: string;
  ip_address: string;
  payload: { action: string; actor_id: string; actor_username: string; traits: Record<string, unknown> };
}

interface BuilderEntry {
  at: string;
  id: string;
  actor: string;
  actor_id: string | null;
  action: string;
  details: Record<string, unknown>;
  refused: string | null;
  ip_address: string;
  request_id: string;
}

const read = <T>(query: string, ref = app.ref): Promise<T[]> => admin<T[]>(node, 'GET', `/apps/${ref}/audit?${query}`);
const eventsOf = async (member: string) => {
  const rows = await read<MemberEntry>(`member=${member}`);
  return rows.map(({ payload }) => payload.action);
};

it('the audit log shows the entries of one member, page by page, with the address of the connection', async () => {
  const { email, password, user } = await signUpMember(app);
  await signUpMember(app);
  const signedIn = await send(node.url, `/apps/${app.ref}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: {
      apikey: app.publishable_key,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.66',
      forwarded: 'for=203.0.113.66',
      'x-real-ip': '203.0.113.66',
    },
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status).toBe(200);
  const banned = await fetch(`${app.url}/auth/v1/admin/users/${user.id}`, {
    method: 'PUT',
    headers: { apikey: app.secret_key, 'content-type': 'application/json' },
    body: JSON.stringify({ ban_duration: '24h' }),
  });
  expect(banned.status).toBe(200);
  expect(await eventsOf(user.id)).toEqual(['user_modified', 'login', 'login', 'user_signedup']);
  const [login] = await read<MemberEntry>(`member=${user.id}&action=login`);
  expect(login?.ip_address).toMatch(/127\.0\.0\.1$/);

  const paged: string[] = [];
  for (let after = ''; ; ) {
    const [row] = await read<MemberEntry>(`member=${user.id}&limit=1${after}`);
    if (!row) break;
    paged.push(row.payload.action);
    after = `&after=${row.created_at}_${row.id}`;
  }
  expect(paged).toEqual(await eventsOf(user.id));
  expect(await read(`search=${encodeURIComponent(email)}&to=2020-01-01T00:00:00Z`)).toEqual([]);
  await expect(read('after=nothing')).rejects.toThrow('validation_invalid');
});

it('the audit log searches the events of accounts in parts, and continues each part where the previous one ended', async () => {
  const own = await createApp(node);
  const rows = 2 * limits.auditSearchRows.default + 10;
  await withClient(await superuserUrl(node, `app_${own.ref}`), (client) =>
    client.query(
      `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', gen_random_uuid(),
         json_build_object('action', case when n = 3 then 'login_refused' else 'login' end, 'actor_id', 'nobody',
           'actor_username', case when n in (1, ${rows}) then 'needle' else 'hay' end, 'log_type', 'account'),
         '2026-01-01'::timestamptz + n * interval '1 millisecond', '192.0.2.1' from generate_series(1, ${rows}) n`,
    ),
  );
  const part = async (query: string) => {
    const response = await fetch(`${node.url}/admin/v1/apps/${own.ref}/audit?${query}`, {
      headers: { authorization: `Bearer ${node.operatorToken}` },
    });
    const found = (await response.json()) as MemberEntry[];
    return { names: found.map(({ payload }) => payload.actor_username), next: response.headers.get('x-next-after') };
  };
  const parts = [await part('search=needle')];
  for (let next = parts[0]?.next; next; next = parts.at(-1)?.next)
    parts.push(await part(`search=needle&after=${next}`));
  expect(parts.map(({ names }) => names)).toEqual([['needle'], [], ['needle']]);
  // The index on the action leaves so few entries that the search needs only one part.
  expect(await part('search=HAY&action=login_refused')).toEqual({ names: ['hay'], next: null });
  const full = await part('search=hay&limit=2');
  expect(full.names).toEqual(['hay', 'hay']);
  expect(full.next).not.toBeNull();
  expect((await part('limit=1')).next).not.toBeNull();
});

it('members and visitors can neither read nor write entries of the audit log', async () => {
  const { client } = await signUpMember(app);
  for (const caller of [client, clientOf(app)]) {
    expect((await caller.schema('auth').from('audit_log_entries').select()).error).not.toBeNull();
    expect((await caller.schema('auth').from('audit_log_entries').insert({ id: app.ref })).error).not.toBeNull();
  }
  const { data } = await client.auth.getSession();
  const asked = await fetch(`${node.url}/admin/v1/apps/${app.ref}/audit`, {
    headers: { authorization: `Bearer ${data.session?.access_token}` },
  });
  expect(asked.status).toBe(401);
});

it('the audit log records the actions of a builder with the values before and after, and without secrets', async () => {
  const own = await createApp(node);
  const path = `/apps/${own.ref}`;
  await admin(node, 'PUT', `${path}/settings/jwt_exp`, { value: 1800 });
  await admin(node, 'PUT', `${path}/settings/smtp_pass`, { value: 'the-secret-of-smtp' });
  await admin(node, 'DELETE', `${path}/settings/jwt_exp`);
  await runSql(node, own.ref, `select '${'x'.repeat(600)}'`);
  await expect(runSql(node, own.ref, 'select "line\r\nbreak"')).rejects.toThrow();
  await admin(node, 'POST', `${path}/keys/rotate`, {});
  const added = await admin<{ kid: string }[]>(node, 'POST', `${path}/keys`, { alg: 'ES256' });
  await expect(admin(node, 'PUT', `${path}/settings/no_such_setting`, { value: 1 })).rejects.toThrow();

  const log = (await read<BuilderEntry>('kind=builders', own.ref)).reverse();
  expect(log.map(({ action, details, refused }) => [action, details, refused])).toEqual([
    ['app_created', {}, null],
    ['setting_changed', { key: 'jwt_exp', before: '3600', after: '1800' }, null],
    ['setting_changed', { key: 'smtp_pass', changed: true }, null],
    ['setting_reset', { key: 'jwt_exp', before: '1800' }, null],
    ['sql_run', { sql: `select '${'x'.repeat(492)}` }, null],
    ['sql_run', { sql: 'select "line\r\nbreak"' }, 'sql_failed'],
    ['keys_rotated', {}, null],
    ['keys_added', { imported: false }, null],
    ['setting_changed', { key: 'no_such_setting', after: '1' }, 'setting_unknown'],
  ]);
  expect(log[1]).toMatchObject({
    actor: 'operator',
    actor_id: null,
    ip_address: expect.stringMatching(/127\.0\.0\.1$/),
  });
  expect(new Set(log.map(({ request_id }) => request_id)).size).toBe(log.length);
  expect(JSON.stringify(log)).not.toMatch(/the-secret-of-smtp|PRIVATE/);
  expect(added).toHaveLength(1);
  expect((await read<BuilderEntry>('kind=builders&action=keys_added', own.ref)).length).toBe(1);
  expect((await read<BuilderEntry>('kind=builders&search=smtp_pass', own.ref)).length).toBe(1);
  // An app that reuses the ref of a deleted app does not see the entries of the deleted one.
  await admin(node, 'DELETE', path, { confirm: own.ref });
  await createApp(node, { ref: own.ref });
  expect((await read<BuilderEntry>('kind=builders', own.ref)).map(({ action }) => action)).toEqual(['app_created']);
});

it("the owner of an app can neither read nor change the builders' log", async () => {
  await expect(runSql(node, app.ref, `insert into node.audit_log (app) values ('${app.ref}')`)).rejects.toThrow();
  await expect(admin(node, 'POST', '/apps', { ref: app.ref })).rejects.toThrow();
  const created = await read<BuilderEntry>('kind=builders&action=app_created');
  expect(created.map(({ refused }) => refused)).toEqual([null]);
});
