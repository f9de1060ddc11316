import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createApp, createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { readShared, shareSpecification } from '../support/shared.ts';

/** A link gives access to the export and to nothing else. A link that shows nothing does not give the reason. */
const node = inject('node');
const hostile = '</style></title><script>alert(1)</script><img src=x onerror=alert(1)><meta http-equiv=refresh>';
let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.notes (id int, "<img src=x onerror=alert(2)>" text);
     comment on table public.notes is '${hostile}';
     insert into public.notes values (1, 'row-of-a-member');
     select ninefold.describe_app(name => '${hostile}', purpose => '${hostile}')`,
  );
});

const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
const onConsole = (sql: string, params: unknown[]) =>
  superuserUrl(node, 'app_console').then((url) => withClient(url, (client) => client.query(sql, params)));

/** The parts of a response that do not name the request. */
const parts = ({ status, headers, body }: HttpResponse) => {
  const { date, 'x-request-id': id, ...rest } = headers;
  expect([date, id]).not.toContain(undefined);
  return { status, headers: rest, body };
};

describe('a shared specification', () => {
  it('is an inert document that browsers neither index, frame nor cache', async () => {
    const path = pathOf(await shareSpecification(node, app.ref));
    const { status, headers, body } = await readShared(node, path);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow, noarchive',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(body).toContain('&lt;script&gt;');
    expect(body).not.toMatch(/<script|<img|<meta http-equiv=refresh|onerror=alert\(1\)>/);
    expect(body.match(/<\/style>/g)).toHaveLength(1);
  });

  it('contains no row, key, figure or address of the node, in no format', async () => {
    await fetch(`${app.url}/rest/v1/notes`, { headers: { apikey: app.publishable_key } });
    const path = pathOf(await shareSpecification(node, app.ref));
    for (const format of ['html', 'md', 'json']) {
      const { status, body } = await readShared(node, `${path}?format=${format}`);
      expect(status).toBe(200);
      for (const secret of ['row-of-a-member', app.publishable_key, '"figures"', 'figures_at', node.operatorToken]) {
        expect(body, format).not.toContain(secret);
      }
    }
    const odd = await readShared(node, `${path}?format=__proto__`);
    expect([odd.status, JSON.parse(odd.body).code]).toEqual([400, 'validation_invalid']);
  });

  it('is read only by GET and HEAD on the node’s own origin', async () => {
    const path = pathOf(await shareSpecification(node, app.ref));
    const head = await readShared(node, path, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await readShared(node, path, { method })).status, method).toBe(404);
    }
    const host = `${app.ref}.localhost:${new URL(node.url).port}`;
    expect((await readShared(node, path, { headers: { host } })).body).not.toContain('notes');
    expect((await readShared(node, path, { headers: { host: 'evil.example' } })).status).toBe(421);
  });
});

describe('a link that shows nothing', () => {
  it('gets the same response whether it is unknown, malformed, ended or withdrawn, or its app was deleted', async () => {
    const gone = await createApp(node);
    const [ended, withdrawn, deleted, ofVersion] = [
      await shareSpecification(node, app.ref, { days: 7 }),
      await shareSpecification(node, app.ref),
      await shareSpecification(node, gone.ref),
      await shareSpecification(node, app.ref),
    ];
    await onConsole('update node.specification_links set expires_at = now() where id = $1', [ended.id]);
    await onConsole('delete from node.specification_links where id = $1', [withdrawn.id]);
    await onConsole('update node.specification_links set version = 4000000 where id = $1', [ofVersion.id]);
    await deleteApp(node, gone.ref);
    await createApp(node, { ref: gone.ref });
    const expected = parts(await readShared(node, `/shared/${'A'.repeat(43)}`));
    expect(expected).toMatchObject({ status: 404, headers: { 'x-robots-tag': 'noindex, nofollow, noarchive' } });
    for (const { url } of [ended, withdrawn, deleted, ofVersion]) {
      expect(parts(await readShared(node, new URL(url).pathname))).toEqual(expected);
    }
    for (const secret of ["'", '%00', 'A'.repeat(4000), '%2e%2e', app.ref, app.publishable_key]) {
      expect(parts(await readShared(node, `/shared/${secret}`)), secret).toEqual(expected);
    }
    await deleteApp(node, gone.ref);
  });

  it('is every link of an app in a copy of the app', async () => {
    await shareSpecification(node, app.ref);
    const copy = await createApp(node, { from: app.ref });
    const { rows } = await onConsole('select count(*)::int as n from node.specification_links where app = $1', [
      copy.ref,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
    await deleteApp(node, copy.ref);
  });
});

it('the node stores no secret of a link, and no role of the console reads the hashes', async () => {
  const { url } = await shareSpecification(node, app.ref);
  const { rows } = await onConsole('select l::text as line from node.specification_links l where app = $1', [app.ref]);
  expect(rows.some(({ line }) => line.includes(url.split('/').at(-1)))).toBe(false);
  const { rows: rights } = await onConsole(
    `select r from unnest(array['anon', 'authenticated', 'service_role']) r
     where has_table_privilege(r, 'node.specification_links', 'select') and has_schema_privilege(r, 'node', 'usage')`,
    [],
  );
  expect(rights).toEqual([]);
  const owner = await runSql(node, app.ref, `select to_regclass('node.specification_links') is null`);
  expect(owner.results[0]?.rows).toEqual([['t']]);
});

it('an address that reads without a pause is told to wait', async () => {
  const path = `/shared/${'B'.repeat(43)}`;
  const answers = await Promise.all(
    Array.from({ length: limits.sharedReadsPerSecond.default * 8 }, () =>
      send(node.url, path, { ownConnection: true }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers['retry-after']).toBe('1');
  expect(JSON.parse(refused[0]?.body ?? '').code).toBe('too_many_requests');
});
