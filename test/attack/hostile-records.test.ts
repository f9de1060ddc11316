import { expect, inject, it } from 'vitest';
import { createAppWith, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';

const node = inject('node');
const operator = { authorization: `Bearer ${node.operatorToken}` };

it('no code of an app writes records of the server, and pages are shown although records are invalid', async () => {
  const app = await createAppWith(
    node,
    `create function public.run(statement text) returns void language plpgsql as $$ begin
       execute 'set role ninefold_server'; execute statement; execute 'reset role'; end $$`,
  );
  const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
  const big = '9223372036854775807';
  const rows = [
    `ninefold.error_statistics values ('error', repeat('x', 100000), '', now(), ${big}, 'infinity', repeat('y', 100000), array_fill('z'::text, array[2,3]))`,
    `ninefold.error_statistics values ('limit', 'bodyBytes', '', now(), -${big}, '-infinity', null, '{}')`,
    `ninefold.error_statistics values ('limit', 'toString', '', now(), ${big}, now(), null, '{null}')`,
    `ninefold.call_statistics (span, bucket, call, calls, failed, histogram, last_at) values ('minute', now(), '__proto__', ${big}, -1, '{{1,2},{3,4}}', 'infinity')`,
    `ninefold.call_statistics (span, bucket, call, calls, failed, histogram) values ('hour', now(), 'rest.public.t.select', 0, 5, '{null,-3}')`,
    `ninefold.request_traces values ('mine', now(), 'x', 200, null, null, '[1,2]')`,
    `ninefold.request_log (request_id, at, area, call, method, path, query, status, milliseconds, left_out) values ('a', 'infinity', 'x', '', '', repeat('p', 100000), repeat('q', 100000), -7, 'NaN', 2147483647)`,
    `ninefold.request_log (request_id, at, area, call, method, path, query, status, milliseconds) values ('b', now(), 'rest', '', '', '/rpc', '', 99999, 'infinity')`,
    `ninefold.request_traces values ('theirs', now(), 'x', 500, 'y', null, '{"request_id":"theirs","steps":"many"}')`,
  ];
  for (const row of rows) {
    const made = await fetch(`${app.url}/rest/v1/rpc/run`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ statement: `insert into ${row}` }),
    });
    expect([row.slice(0, 60), made.status]).toEqual([row.slice(0, 60), 401]);
  }
  await withClient(await superuserUrl(node, `app_${app.ref}`), async (client) => {
    for (const row of rows) await client.query(`insert into ${row}`);
  });
  const forged = JSON.stringify({ type: 'trace-wanted', id: 'x'.repeat(100) });
  for (const payload of [
    forged,
    '{"type":"log-wanted","lines":[{}]}',
    '{"type":"trace-wanted","id":7}',
    '{"type":"trace-stored"}',
  ]) {
    await runSql(node, app.ref, `select pg_notify('ninefold', '${payload}')`);
  }
  const paths = [
    'activity',
    'statistics/calls',
    'statistics/calls?window=week',
    'errors',
    'logs',
    'logs/summary',
    'specification',
    'specification?format=markdown',
  ];
  for (const path of paths) {
    const answer = await fetch(`${node.url}/admin/v1/apps/${app.ref}/${path}`, { headers: operator });
    expect([path, answer.status]).toEqual([path, 200]);
  }
  for (const id of ['mine', 'theirs']) {
    const answer = await fetch(`${node.url}/admin/v1/apps/${app.ref}/traces/${id}`, { headers: operator });
    expect(answer.status).toBe(404);
  }
});
