import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { withClient } from '../support/database.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let node: TestNode;
let receiver: Receiver;
let app: AppConnection;

beforeAll(async () => {
  receiver = await startReceiver((request, response) => {
    if (request.url.startsWith('/slow')) return;
    if (request.url.startsWith('/moved')) response.writeHead(302, { location: `${receiver.url}/target` }).end();
    else if (request.url.startsWith('/large')) response.end('x'.repeat(2_000_000));
    else response.writeHead(201, { 'Content-Type': 'application/json', 'X-Two': ['a', 'b'] }).end('{"ok":true}');
  });
  node = await startNode({
    env: { NINEFOLD_WORKERS: '2', NINEFOLD_HTTP_ALLOW: `127.0.0.1:${receiver.port}` },
  });
});

afterAll(async () => {
  await node?.stop();
  await receiver?.close();
});

beforeEach(async () => {
  app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create table public.ticks (id bigint generated always as identity, who text default current_user, at timestamptz default clock_timestamp());
     grant all on public.ticks to anon, authenticated, service_role`,
  );
});

async function rows(sql: string): Promise<(string | null)[][]> {
  const { results } = await runSql(node, app.ref, sql);
  return results.at(-1)?.rows ?? [];
}

const value = async (sql: string): Promise<string | null> => (await rows(sql))[0]?.[0] ?? null;
const patient = { timeout: 30_000, interval: 100 };

describe('a scheduled job', () => {
  it('runs as the owner each time it is due, and its runs are recorded as pg_cron records them', async () => {
    const id = await value(`select cron.schedule('tick', '1 seconds', 'insert into public.ticks default values')`);
    await expect.poll(async () => Number(await value('select count(*) from ticks')), patient).toBeGreaterThan(2);
    await runSql(node, app.ref, `select cron.unschedule('tick')`);
    const [run] =
      await rows(`select jobid, username = current_user, database = current_database(), command, status, return_message,
      start_time <= end_time, job_pid > 0 from cron.job_run_details where status <> 'running' and status <> 'starting' order by runid limit 1`);
    expect(run).toEqual([id, 't', 't', 'insert into public.ticks default values', 'succeeded', 'INSERT 0 1', 't', 't']);
    expect(await rows('select distinct who = current_user from ticks')).toEqual([['t']]);
  });

  it('runs as the role that it names', async () => {
    await runSql(
      node,
      app.ref,
      `select cron.schedule_in_database('as', '1 seconds', 'insert into public.ticks default values', current_database(), 'authenticated')`,
    );
    await expect.poll(() => value('select who from ticks limit 1'), patient).toBe('authenticated');
  });

  it('that fails is recorded with the error, and runs again', async () => {
    await runSql(node, app.ref, `select cron.schedule('1 seconds', 'select 1 / 0')`);
    await expect
      .poll(
        () => rows('select distinct status, return_message from cron.job_run_details where end_time is not null'),
        patient,
      )
      .toEqual([['failed', 'ERROR:  division by zero']]);
    await expect
      .poll(async () => Number(await value('select count(*) from cron.job_run_details')), patient)
      .toBeGreaterThan(1);
  });

  it('may end its own transaction and run what needs none', async () => {
    await runSql(node, app.ref, `select cron.schedule('1 seconds', 'vacuum public.ticks')`);
    await expect
      .poll(() => value(`select return_message from cron.job_run_details where status = 'succeeded' limit 1`), patient)
      .toBe('VACUUM');
  });

  it('does not start again while it runs', async () => {
    await runSql(
      node,
      app.ref,
      `select cron.schedule('slow', '1 seconds', 'insert into public.ticks default values; select pg_sleep(2.5); select public.check_alone()');
       create function public.check_alone() returns void language plpgsql as $$ begin
         if (select count(*) from pg_stat_activity where application_name ~ '^ninefold job') > 1 then raise exception 'two at once'; end if; end $$`,
    );
    await expect
      .poll(
        async () => Number(await value('select count(*) from cron.job_run_details where end_time is not null')),
        patient,
      )
      .toBeGreaterThan(1);
    expect(await rows('select distinct status from cron.job_run_details where end_time is not null')).toEqual([
      ['succeeded'],
    ]);
    const overlap = `select count(*) from cron.job_run_details a join cron.job_run_details b
      on b.runid > a.runid and b.start_time < a.end_time`;
    expect(await value(overlap)).toBe('0');
  });

  it('that is inactive or removed does not run, and one that is scheduled over a direct connection does', async () => {
    await runSql(
      node,
      app.ref,
      `select cron.schedule('off', '1 seconds', 'insert into public.ticks (who) values (''off'')');
       select cron.alter_job((select jobid from cron.job), active := false)`,
    );
    await withClient(app.database_url ?? '', (client) =>
      client.query(`select cron.schedule('on', '1 seconds', 'insert into public.ticks (who) values (''on'')')`),
    );
    await expect.poll(() => rows('select distinct who from ticks'), patient).toEqual([['on']]);
  });

  it('is inactive in a copy of the app', async () => {
    await runSql(node, app.ref, `select cron.schedule('tick', '1 seconds', 'select 1')`);
    const copy = await createApp(node, { from: app.ref });
    const { results } = await runSql(
      node,
      copy.ref,
      'select active, username = current_user, database = current_database() from cron.job',
    );
    expect(results[0]?.rows).toEqual([['f', 't', 't']]);
  });
});

describe('an HTTP request from SQL', () => {
  const response = (id: string | null) =>
    rows(`select status_code, content_type, content, timed_out, error_msg from net._http_response where id = ${id}`);

  it('is sent after the commit, with its headers and body, and its response is stored', async () => {
    const id = await value(
      `select net.http_post('${receiver.url}/commit', '{"a": [1]}', '{"q": "ä b&c"}', '{"X-Mine": "yes"}')`,
    );
    await expect.poll(() => response(id), patient).toEqual([['201', 'application/json', '{"ok":true}', 'f', null]]);
    const received = receiver.requests.filter(({ url }) => url.startsWith('/commit'));
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/commit?q=%C3%A4%20b%26c',
      body: '{"a": [1]}',
      headers: { 'content-type': 'application/json', 'x-mine': 'yes', host: `127.0.0.1:${receiver.port}` },
    });
    expect(await value(`select headers ->> 'X-Two' from net._http_response where id = ${id}`)).toBe('a, b');
    expect(await rows(`select (c).status, (c.response).status_code from net.http_collect_response(${id}) c`)).toEqual([
      ['SUCCESS', '201'],
    ]);
    expect(await value('select count(*) from net.http_request_queue')).toBe('0');
  });

  it('of a transaction that is rolled back is never sent', async () => {
    await runSql(node, app.ref, `begin; select net.http_get('${receiver.url}/rolled-back'); rollback`);
    const id = await value(`select net.http_delete('${receiver.url}/after')`);
    await expect.poll(() => response(id), patient).toHaveLength(1);
    expect(receiver.requests.filter(({ url }) => url === '/rolled-back')).toEqual([]);
  });

  it('follows no redirect, ends at its timeout, and refuses a response that is too large', async () => {
    const [moved, slow, large] = await Promise.all([
      value(`select net.http_get('${receiver.url}/moved')`),
      value(`select net.http_get('${receiver.url}/slow', timeout_milliseconds := 300)`),
      value(`select net.http_get('${receiver.url}/large')`),
    ]);
    await expect.poll(async () => (await response(moved))[0]?.[0], patient).toBe('302');
    await expect.poll(() => response(slow), patient).toEqual([[null, null, null, 't', 'Timeout of 300 ms reached']]);
    await expect.poll(async () => (await response(large))[0]?.[4], patient).toMatch(/more than 1048576 bytes/);
    expect(receiver.requests.filter(({ url }) => url === '/target')).toEqual([]);
  });

  it('is made by a database webhook, also when an anonymous client writes', async () => {
    await runSql(
      node,
      app.ref,
      `create trigger hook after insert or update or delete on public.ticks for each row execute function
        supabase_functions.http_request('${receiver.url}/hook', 'POST', '{"Content-Type":"application/json"}', '{}', '5000')`,
    );
    const { error } = await clientOf(app).from('ticks').insert({ who: 'me' });
    expect(error).toBeNull();
    await expect.poll(() => receiver.requests.filter(({ url }) => url === '/hook').length, patient).toBe(1);
    const body = JSON.parse(receiver.requests.find(({ url }) => url === '/hook')?.body ?? '');
    expect(body).toMatchObject({
      type: 'INSERT',
      table: 'ticks',
      schema: 'public',
      record: { who: 'me' },
      old_record: null,
    });
  });

  it('is not sent to addresses of this machine and of networks that are not public', async () => {
    const { port } = new URL(node.url);
    const urls = [
      ...[`http://127.0.0.1:${port}/`, `http://localhost:${receiver.port}/`, `http://[::1]:${receiver.port}/`],
      ...[
        `http://0x7f000001:${port}/`,
        'http://169.254.169.254/latest/meta-data/',
        'http://10.0.0.1/',
        'ftp://example.com/',
      ],
      ...[`http://[::ffff:127.0.0.1]:${port}/`, 'http://0/', 'http://1.1.1.1:22/', 'not a url', 'file:///etc/passwd'],
    ];
    await runSql(node, app.ref, `select net.http_get(u) from unnest(array[${urls.map((url) => `'${url}'`)}]) u`);
    await expect
      .poll(async () => Number(await value('select count(*) from net._http_response')), patient)
      .toBe(urls.length);
    const stored = await rows('select status_code, error_msg from net._http_response order by id');
    for (const [i, [status, error]] of stored.entries()) {
      expect([urls[i], status, error]).toEqual([
        urls[i],
        null,
        expect.stringMatching(/^(Not sent: |Couldn't resolve host name)/),
      ]);
    }
  });

  it('cannot set headers of the connection, nor smuggle a line into a header', async () => {
    const headers = [
      ...[
        '{"Host": "other"}',
        '{"Content-Length": "3"}',
        '{"Transfer-Encoding": "chunked"}',
        '{"connection": "upgrade"}',
      ],
      ...['{"X-A": "a\\r\\nX-B: b"}', '{"X A": "b"}', '{"": "x"}'],
    ];
    await runSql(
      node,
      app.ref,
      `select net.http_get('${receiver.url}/smuggled', headers := h::jsonb) from unnest(array[${headers.map((one) => `e'${one.replaceAll('\\', '\\\\')}'`)}]) h`,
    );
    await expect
      .poll(async () => Number(await value('select count(*) from net._http_response')), patient)
      .toBe(headers.length);
    expect(await value(`select count(*) from net._http_response where error_msg like 'Not sent: %'`)).toBe(
      String(headers.length),
    );
    expect(receiver.requests.filter(({ url }) => url === '/smuggled')).toEqual([]);
  });

  it('gets an error as its response beyond the bounds of its size', async () => {
    const id = await value(`select net.http_post('${receiver.url}/big', to_jsonb(repeat('x', 1048577)))`);
    expect((await response(id))[0]?.[4]).toBe('Not sent: the body has more than 1048576 bytes');
  });
});
