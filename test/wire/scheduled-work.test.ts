import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, openApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { uniqueRef } from '../support/unique.ts';

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
  app = await createApp(node);
  await openApp(app);
  await runSql(
    node,
    app.ref,
    `create table public.ticks (job text, who text default current_user, at timestamptz default clock_timestamp());
     grant all on public.ticks to anon, authenticated, service_role`,
  );
});

afterAll(async () => {
  await node?.stop();
  await receiver?.close();
});

async function rows(sql: string): Promise<(string | null)[][]> {
  const { results } = await runSql(node, app.ref, sql);
  return results.at(-1)?.rows ?? [];
}

const value = async (sql: string): Promise<string | null> => (await rows(sql))[0]?.[0] ?? null;
const patient = { timeout: 30_000, interval: 100 };

describe('a scheduled job', () => {
  const insert = (job: string) => `insert into public.ticks (job) values (''${job}'')`;
  const ticksOf = async (job: string) => Number(await value(`select count(*) from ticks where job = '${job}'`));
  const ended = (job: string) =>
    rows(`select status, return_message from cron.job_run_details join cron.job using (jobid)
      where jobname = '${job}' and end_time is not null order by runid`);

  // The jobs run concurrently, so that the tests do not wait one after the other.
  beforeAll(async () => {
    await runSql(
      node,
      app.ref,
      `create function public.check_alone() returns void language plpgsql as $$ begin
         if (select count(*) from ticks where job = 'slow') <> (select count(*) from ticks where job = 'slow end') + 1 then
           raise exception 'two at once';
         end if;
         insert into ticks (job) values ('slow end');
       end $$;
       select cron.schedule('off', '1 seconds', '${insert('off')}');
       select cron.alter_job((select jobid from cron.job), active := false);
       select cron.schedule('tick', '1 seconds', '${insert('tick')}');
       select cron.schedule_in_database('as', '1 seconds', '${insert('as')}', current_database(), 'authenticated');
       select cron.schedule('fails', '1 seconds', 'select 1 / 0');
       select cron.schedule('vacuum', '1 seconds', 'vacuum public.ticks');
       select cron.schedule('slow', '1 seconds', '${insert('slow')}; commit; select pg_sleep(1.5); select public.check_alone()')`,
    );
    await withClient(app.database_url ?? '', (client) =>
      client.query(`select cron.schedule('direct', '1 seconds', '${insert('direct')}')`),
    );
  });
  afterAll(() => runSql(node, app.ref, 'select cron.unschedule(jobid) from cron.job'));

  it('runs as the owner at every due time, and its runs are recorded as pg_cron records them', async () => {
    await expect.poll(() => ticksOf('tick'), patient).toBeGreaterThan(2);
    const [run] =
      await rows(`select d.username = current_user, d.database = current_database(), d.command, status, return_message,
      start_time <= end_time, job_pid > 0 from cron.job_run_details d join cron.job j using (jobid)
      where jobname = 'tick' and end_time is not null order by runid limit 1`);
    expect(run).toEqual([
      't',
      't',
      `insert into public.ticks (job) values ('tick')`,
      'succeeded',
      'INSERT 0 1',
      't',
      't',
    ]);
    expect(await rows(`select distinct who = current_user from ticks where job = 'tick'`)).toEqual([['t']]);
  });

  it('runs as the role that it names', async () => {
    await expect.poll(() => value(`select who from ticks where job = 'as' limit 1`), patient).toBe('authenticated');
  });

  it('is recorded with its error if it fails, and runs again', async () => {
    await expect.poll(async () => (await ended('fails')).length, patient).toBeGreaterThan(1);
    expect(new Set((await ended('fails')).map(String))).toEqual(new Set(['failed,ERROR:  division by zero']));
  });

  it('may run a statement that cannot run in a transaction, like VACUUM', async () => {
    await expect.poll(async () => (await ended('vacuum'))[0], patient).toEqual(['succeeded', 'VACUUM']);
  });

  it('does not start again while it runs', async () => {
    await expect.poll(async () => (await ended('slow')).length, patient).toBeGreaterThan(1);
    expect(new Set((await ended('slow')).map(([status]) => status))).toEqual(new Set(['succeeded']));
  });

  it('does not run while inactive, and runs if it was scheduled over a direct connection', async () => {
    await expect.poll(() => ticksOf('direct'), patient).toBeGreaterThan(0);
    expect(await ticksOf('off')).toBe(0);
  });

  it('is inactive in a copy of the app', async () => {
    const copy = await createApp(node, { from: app.ref });
    const { results } = await runSql(
      node,
      copy.ref,
      `select distinct active, username = current_user, database = current_database() from cron.job where jobname <> 'as'`,
    );
    expect(results[0]?.rows).toEqual([['f', 't', 't']]);
  });
});

describe('an app on a database with its own schema cron', () => {
  it('keeps that schema, runs no jobs of it, and can still send HTTP requests', async () => {
    const database = uniqueRef('own').replaceAll('-', '_');
    await withClient(await superuserUrl(node, 'postgres'), (client) => client.query(`create database ${database}`));
    await withClient(await superuserUrl(node, database), (client) =>
      client.query(`create schema cron; create table cron.job (jobid bigint, schedule text, command text, active boolean);
        insert into cron.job values (1, '1 seconds', 'select 1 / 0', true);
        grant usage on schema cron to public; grant select on cron.job to public`),
    );
    const own = await createApp(node, { database });
    const { results } = await runSql(
      node,
      own.ref,
      `select to_regclass('ninefold.job_states'), json_array_length(ninefold.scheduled_jobs()), (select count(*) from cron.job);
       select net.http_get('${receiver.url}/own')`,
    );
    expect(results[0]?.rows).toEqual([[null, '0', '1']]);
    await expect.poll(() => receiver.requests.filter(({ url }) => url === '/own').length, patient).toBe(1);
    expect(node.logs()).not.toMatch(/division by zero|"level":"error"/);
  });
});

describe('an HTTP request from SQL', () => {
  /** Waits until all requests have a response. Returns status and error of each one, by id. */
  async function responsesTo(ids: (string | null)[][]): Promise<(string | null)[][]> {
    const stored = () =>
      rows(`select status_code, error_msg from net._http_response where id in (${ids.join(',')}) order by id`);
    await expect.poll(async () => (await stored()).length, patient).toBe(ids.length);
    return stored();
  }

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
    expect(await value(`select count(*) from net.http_request_queue where id = ${id}`)).toBe('0');
  });

  it('is never sent if its transaction is rolled back', async () => {
    await runSql(node, app.ref, `begin; select net.http_get('${receiver.url}/rolled-back'); rollback`);
    const id = await value(`select net.http_delete('${receiver.url}/after')`);
    await expect.poll(() => response(id), patient).toHaveLength(1);
    expect(receiver.requests.filter(({ url }) => url === '/rolled-back')).toEqual([]);
  });

  it('follows no redirect, stops at its timeout, and refuses a response that is too large', async () => {
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

  it('is sent by a database webhook, also when an anonymous client writes', async () => {
    await runSql(
      node,
      app.ref,
      `create trigger hook after insert or update or delete on public.ticks for each row execute function
        supabase_functions.http_request('${receiver.url}/hook', 'POST', '{"Content-Type":"application/json"}', '{}', '5000')`,
    );
    const { error } = await clientOf(app).from('ticks').insert({ job: 'hook' });
    expect(error).toBeNull();
    await expect.poll(() => receiver.requests.filter(({ url }) => url === '/hook').length, patient).toBe(1);
    const body = JSON.parse(receiver.requests.find(({ url }) => url === '/hook')?.body ?? '');
    expect(body).toMatchObject({
      type: 'INSERT',
      table: 'ticks',
      schema: 'public',
      record: { job: 'hook' },
      old_record: null,
    });
  });

  it('is not sent to addresses of this machine or of private networks', async () => {
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
    const ids = await rows(`select net.http_get(u) from unnest(array[${urls.map((url) => `'${url}'`)}]) u`);
    const stored = await responsesTo(ids);
    for (const [i, [status, error]] of stored.entries()) {
      expect([urls[i], status, error]).toEqual([
        urls[i],
        null,
        expect.stringMatching(/^(Not sent: |Couldn't resolve host name)/),
      ]);
    }
  });

  it('cannot set connection headers, nor inject a line into a header', async () => {
    const headers = [
      ...[
        '{"Host": "other"}',
        '{"Content-Length": "3"}',
        '{"Transfer-Encoding": "chunked"}',
        '{"connection": "upgrade"}',
      ],
      ...['{"X-A": "a\\r\\nX-B: b"}', '{"X A": "b"}', '{"": "x"}'],
    ];
    const ids = await rows(
      `select net.http_get('${receiver.url}/smuggled', headers := h::jsonb) from unnest(array[${headers.map((one) => `e'${one.replaceAll('\\', '\\\\')}'`)}]) h`,
    );
    for (const [status, error] of await responsesTo(ids)) {
      expect([status, error]).toEqual([null, expect.stringMatching(/^Not sent: /)]);
    }
    expect(receiver.requests.filter(({ url }) => url === '/smuggled')).toEqual([]);
  });

  it('is not sent if its body is too large, and its response contains the error', async () => {
    const id = await value(`select net.http_post('${receiver.url}/big', to_jsonb(repeat('x', 1048577)))`);
    expect((await response(id))[0]?.[4]).toBe('Not sent: the body has more than 1048576 bytes');
  });

  it('waits when its app reaches a limit, while the requests of another app are sent', async () => {
    const flood = `select id from (select net.http_post('${receiver.url}/slow', '{}', timeout_milliseconds := 60000) as id
      from generate_series(1, 10100)) posted`;
    await runSql(node, app.ref, `create table public.posted as ${flood}`);
    const refused = await rows(`select distinct error_msg from net._http_response r join public.posted using (id)
      where error_msg is not null`);
    expect(refused).toEqual([['Not sent: 10000 requests of the app wait']]);
    await expect.poll(() => receiver.open(), patient).toBe(8);
    const other = await createApp(node);
    const { results } = await runSql(node, other.ref, `select net.http_get('${receiver.url}/beside')`);
    expect(results).toHaveLength(1);
    await expect.poll(() => receiver.requests.filter(({ url }) => url === '/beside').length, patient).toBe(1);
    expect(receiver.open()).toBeLessThanOrEqual(8);
    expect(Number(await value('select count(*) from net.http_request_queue'))).toBeGreaterThan(9000);
  });
});
