import pg from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import type { AppConnection, NodeStatus, RedirectDecision, SettingEntry } from '../../contract/admin.ts';
import { type Limit, limits } from '../../contract/limits.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, deleteApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { cli } from '../support/node.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');

async function set(ref: string, key: string, value: string): Promise<void> {
  const { code, stderr } = await cli(node, ['settings', ref, 'set', key, value]);
  expect([code, stderr]).toEqual([0, '']);
}

describe('settings of an app', () => {
  it('are listed with descriptions, set and unset, and are in effect on every worker when the call returns', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.numbers as select generate_series(1, 20) as n');
    const lengths = async () => {
      const answers = await Promise.all(Array.from({ length: 16 }, () => clientOf(app).from('numbers').select()));
      return new Set(answers.map(({ data }) => data?.length));
    };
    expect(await lengths()).toEqual(new Set([20]));
    for (const rows of [5, 6, 7, 8, 5]) {
      await set(app.ref, 'db_max_rows', String(rows));
      expect(await lengths()).toEqual(new Set([rows]));
    }
    const listed = JSON.parse((await cli(node, ['settings', app.ref, '--json'])).stdout) as SettingEntry[];
    expect(listed.filter((entry) => entry.default === undefined)).toEqual([]);
    const printed = await cli(node, ['settings', app.ref]);
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('storage_member_bytes')]);
    expect(listed.find(({ key }) => key === 'db_max_rows')).toMatchObject({ value: 5, is_set: true, default: 1000 });
    await cli(node, ['settings', app.ref, 'unset', 'rest.db-max-rows']);
    expect(await lengths()).toEqual(new Set([20]));
  });

  it('answer whether a sign-in may redirect to an address, as the sign-in itself decides', async () => {
    const app = await createApp(node);
    await set(app.ref, 'uri_allow_list', '["https://shop.example/docs", "https://*.preview.example/**"]');
    const ask = (address: string) =>
      admin<RedirectDecision>(node, 'GET', `/apps/${app.ref}/redirects?${new URLSearchParams({ address })}`);
    const { session } = await signUpMember(app);
    const continuesTo = async (address: string): Promise<string | null> => {
      const response = await fetch(`${app.url}/auth/v1/sessions`, {
        method: 'POST',
        headers: {
          ...{ apikey: app.publishable_key, authorization: `Bearer ${session.access_token}` },
          'content-type': 'application/json',
        },
        body: JSON.stringify({ redirect_to: address }),
      });
      const { url } = (await response.json()) as { url?: string };
      return url === undefined ? null : url.replace(/#.*/s, '');
    };
    for (const [address, by, entry] of [
      ['https://shop.example/docs/', 'entry', 'https://shop.example/docs'],
      ['https://pr.preview.example/a?b', 'entry', 'https://*.preview.example/**'],
      ['http://localhost:5173/x', 'loopback', null],
      ['https://shop.example/docs/more', null, null],
      ['https://shop.example/docs?x=/', null, null],
      ['javascript:alert(1)', null, null],
    ] as const) {
      const decision = await vi.waitFor(async () => {
        const asked = await ask(address);
        expect([address, asked.by, asked.entry]).toEqual([address, by, entry]);
        return asked;
      }, 5000);
      expect(decision.address).toBe(await continuesTo(address));
    }
    const status = async (path: string) =>
      (
        await fetch(`${node.url}/admin/v1/apps/${app.ref}/redirects${path}`, {
          headers: { authorization: `Bearer ${node.operatorToken}` },
        })
      ).status;
    expect([await status(''), await status('?address=')]).toEqual([400, 400]);
  });

  it('expose another schema', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      'create schema api; create table api.things as select 1 as id; grant usage on schema api to anon; grant select on api.things to anon',
    );
    await set(app.ref, 'db_schemas', 'public,api');
    await expect
      .poll(async () => (await clientOf(app).schema('api').from('things').select()).data)
      .toEqual([{ id: 1 }]);
  });

  it('set as app.settings.… are visible to functions through current_setting', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create function public.region() returns text language sql stable as $$ select current_setting('app.settings.region', true) $$`,
    );
    await set(app.ref, 'app.settings.region', 'eu');
    await expect.poll(async () => (await clientOf(app).rpc('region')).data).toBe('eu');
  });

  it('define the path of the role in a token, and whether anonymous callers may call at all', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.open as select 1 as id');
    await set(app.ref, 'db_anon_role', 'null');
    await expect.poll(async () => (await clientOf(app).from('open').select()).error?.code).toBe('PGRST302');
    expect((await clientOf(app, app.secret_key).from('open').select()).data).toEqual([{ id: 1 }]);
  });

  it('refuse invalid values with a sentence', async () => {
    const { ref } = await createApp(node);
    for (const [key, value, code] of [
      ['nothing', '1', 'setting_unknown'],
      ['db_max_rows', '-1', 'setting_invalid'],
      ['db_max_rows', '"5"', 'setting_invalid'],
      ['db_tx_end', 'never', 'setting_invalid'],
      ['db_schemas', '', 'setting_invalid'],
    ] as const) {
      const refused = await cli(node, ['settings', ref, 'set', key, value]);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(code)]);
    }
    const path = `/apps/${ref}/settings/__proto__`;
    await expect(admin(node, 'PUT', path, { value: 1 })).rejects.toThrow('setting_unknown');
  });
});

describe('secret settings', () => {
  it('can be written, are reported as set, and are never shown', async () => {
    const app = await createApp(node);
    const path = `/apps/${app.ref}/settings`;
    const find = async () => {
      const listed = await admin<SettingEntry[]>(node, 'GET', path);
      expect(JSON.stringify(listed)).not.toContain('hidden-value');
      return listed.find(({ key }) => key === 'smtp_pass');
    };
    expect(await find()).toMatchObject({ value: null, is_set: false, is_secret: true });
    expect(await admin(node, 'PUT', `${path}/smtp_pass`, { value: 'hidden-value' })).toEqual({
      key: 'smtp_pass',
      value: null,
    });
    expect(await find()).toMatchObject({ value: null, is_set: true });
    for (const value of ['', 5, ['x'], 'x'.repeat(limits.settingBytes.default + 1)]) {
      await expect(admin(node, 'PUT', `${path}/smtp_pass`, { value })).rejects.toThrow('setting_invalid');
    }
    const { stdout } = await cli(node, ['settings', app.ref, 'set', 'smtp_pass', 'hidden-value']);
    expect(stdout).toBe('smtp_pass is set\n');
    await admin(node, 'DELETE', `${path}/smtp_pass`);
    expect(await find()).toMatchObject({ is_set: false });
  });

  it('are not in the specification, the journal, a copy of the app or a later app with the same ref', async () => {
    const app = await createApp(node);
    await admin(node, 'PUT', `/apps/${app.ref}/settings/smtp_pass`, { value: 'hidden-value' });
    const texts = await Promise.all([
      admin(node, 'GET', `/apps/${app.ref}/specification`),
      admin(node, 'GET', `/apps/${app.ref}/migrations/unsaved`),
      runSql(node, app.ref, 'select * from ninefold.settings; select * from ninefold.journal'),
    ]);
    expect(JSON.stringify(texts)).not.toContain('hidden-value');
    const isSet = async (ref: string) => {
      const listed = await admin<SettingEntry[]>(node, 'GET', `/apps/${ref}/settings`);
      return listed.find(({ key }) => key === 'smtp_pass')?.is_set;
    };
    expect(await isSet((await createApp(node, { from: app.ref })).ref)).toBe(false);
    await deleteApp(node, app.ref);
    expect(await isSet((await createApp(node, { ref: app.ref })).ref)).toBe(false);
  });
});

describe('limits that an app may change', () => {
  const post = (app: AppConnection, path: string, body: unknown, key = app.publishable_key): Promise<Response> =>
    fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { apikey: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('sets the maximum size of a body, below or above the default', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create function public.size(text text) returns int language sql as 'select length(text)'`,
    );
    const send = async (size: number, key = app.service_role_key) => {
      const answer = await post(app, '/rest/v1/rpc/size', { text: 'x'.repeat(size) }, key);
      return [answer.status, await answer.json()];
    };
    expect(await send(4000)).toEqual([200, 4000]);
    await set(app.ref, 'request_body_bytes', '2000');
    await expect.poll(() => send(4000)).toEqual([413, expect.objectContaining({ code: 'body_too_large' })]);
    expect(await send(1000)).toEqual([200, 1000]);
    const more = limits.bodyBytes.default + 1000;
    await set(app.ref, 'request_body_bytes', String(2 * more));
    await expect.poll(() => send(more)).toEqual([200, more]);
    // The limit for a caller without a session is smaller, unless the app changes it.
    const refused = [413, expect.objectContaining({ code: 'anonymous_body_too_large' })];
    // The server may close the connection while the client is still sending; then the client tries again.
    await expect.poll(() => send(more, app.publishable_key)).toEqual(refused);
    await set(app.ref, 'request_body_bytes_anonymous', String(2 * more));
    await expect.poll(() => send(more, app.publishable_key)).toEqual([200, more]);
    // The server refused the body by its length before it read it, and still records the caller who reached the limit.
    const hit = async () => {
      const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
      return chapters.limits?.limits.find(({ id }) => id === 'bodyBytes')?.figures;
    };
    // A busy worker delays the write of its counts.
    await expect.poll(hit, { timeout: 60_000 }).toMatchObject({ last_caller: expect.stringContaining('127.0.0.1') });
  });

  it('sets how many sign-ins may fail in which time', async () => {
    const app = await createApp(node);
    await set(app.ref, 'rate_limit_sign_in_account', '2');
    await set(app.ref, 'rate_limit_sign_in_window', '2');
    const fail = () =>
      post(app, '/auth/v1/token?grant_type=password', { email: 'nobody@example.com', password: 'a guess' });
    await expect.poll(async () => (await fail()).status).toBe(429);
    const refused = await fail();
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(2);
    await expect.poll(async () => (await fail()).status, { timeout: 5000 }).toBe(400);
    await set(app.ref, 'rate_limit_sign_in_account', '1000');
    await set(app.ref, 'rate_limit_sign_in_address', '3');
    await set(app.ref, 'rate_limit_sign_in_window', '300');
    await expect.poll(async () => (await fail()).status).toBe(429);
  });

  it('sets how long a call waits for a connection', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, `create function public.rest() returns void language sql as 'select pg_sleep(1.5)'`);
    await set(app.ref, 'db_pool_acquisition_timeout', '1');
    const rest = (times: number) => Promise.all(Array.from({ length: times }, () => clientOf(app).rpc('rest')));
    // After these calls each worker knows that the call is slow, and runs each later one on its own connection.
    await rest(4);
    const began = performance.now();
    const codes = (await rest(40)).map(({ error }) => error?.code ?? null);
    expect(new Set(codes)).toEqual(new Set([null, 'PGRST003']));
    expect(performance.now() - began).toBeLessThan(limits.poolWaitSeconds.default * 1000);
  });

  it('refuse invalid values', async () => {
    const { ref } = await createApp(node);
    const bounded = Object.values<Limit>(limits).flatMap(({ setting, range }) =>
      setting !== undefined && range && !setting.startsWith('NINEFOLD_') ? [{ setting, range }] : [],
    );
    for (const { setting, range } of bounded) {
      const path = `/apps/${ref}/settings/${setting}`;
      for (const value of [range[0] - 1, range[1] + 1]) {
        await expect(admin(node, 'PUT', path, { value })).rejects.toThrow('setting_invalid');
      }
      for (const value of range) await admin(node, 'PUT', path, { value });
    }
  });
});

describe('an app on an existing database', () => {
  it('serves the existing data with the existing roles, and keeps the database when the app is deleted', async () => {
    const status = await admin<NodeStatus>(node, 'GET', '/status');
    const superuser = new pg.Client(status.database_url ?? '');
    await superuser.connect();
    const database = `existing_${uniqueRef().replaceAll('-', '_')}`;
    await superuser.query(`create database ${database}`);
    await superuser.query(`create role ${database}_guest`);
    const url = new URL(status.database_url ?? '');
    url.pathname = `/${database}`;
    const inside = new pg.Client(url.href);
    await inside.connect();
    await inside.query(`create schema api; create table api.things as select 7 as id;
      grant usage on schema api to ${database}_guest; grant select on api.things to ${database}_guest`);
    const ref = uniqueRef();
    const made = await cli(node, [
      'apps',
      'create',
      ref,
      '--database',
      database,
      '--anon-role',
      `${database}_guest`,
      '--json',
    ]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    await set(ref, 'db_schemas', 'api');
    const app = JSON.parse(made.stdout);
    // The role is granted to this app's login role, because a privilege of `authenticator` applies to all apps.
    await superuser.query(`grant ${database}_guest to "app_${ref}_authenticator"`);
    await expect
      .poll(async () => (await clientOf(app).schema('api').from('things').select()).data)
      .toEqual([{ id: 7 }]);
    expect((await cli(node, ['apps', 'create', uniqueRef(), '--database', database])).stderr).toContain(
      'app_database_unfit',
    );
    await admin(node, 'DELETE', `/apps/${ref}`, { confirm: ref });
    expect((await inside.query('select id from api.things')).rows).toEqual([{ id: 7 }]);
    await inside.end();
    await superuser.query(`drop database ${database} with (force)`);
    await superuser.query(`drop role ${database}_guest`);
    await superuser.end();
  });

  it('cannot be created on a database of the server or of another app, nor on one that does not exist', async () => {
    const { ref } = await createApp(node);
    for (const database of ['postgres', 'template1', 'ninefold_template', 'app_console', `app_${ref}`]) {
      const refused = await cli(node, ['apps', 'create', uniqueRef(), '--database', database]);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('app_database_unfit')]);
    }
    const refused = await cli(node, ['apps', 'create', uniqueRef(), '--database', 'nowhere']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('app_database_unknown')]);
    expect((await runSql(node, ref, 'select 1')).results).toHaveLength(1);
  });
});
