import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { createAppWith } from '../../support/apps.ts';
import { signUpMember } from '../../support/clients.ts';
import { healthDuring } from '../../support/health-watch.ts';
import { type HttpResponse, send } from '../../support/http.ts';
import { longestTurn, notingTurns } from '../../support/loop-turns.ts';
import { ownNode } from '../../support/own-node.ts';

/** Large bodies cost their sender time, but no other client. */
const turns = mkdtempSync(join(tmpdir(), 'ninefold-turns-'));
const node = ownNode('large-bodies', () => notingTurns(turns));
afterAll(() => rmSync(turns, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const BYTES = 9 * MEBIBYTE;

let app: AppConnection;
let member: string;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.things (id int, name text);
     grant select, insert, update on public.things to authenticated, anon;
     create function public.size(bytea) returns int language sql immutable as 'select octet_length($1)';
     create function public.characters("text" text) returns int language sql immutable as 'select length($1)';
     create function public.any_json(json) returns int language sql immutable as 'select 1';`,
  );
  member = (await signUpMember(app)).session.access_token;
});

type Send = (path: string, type: string, body: string | Uint8Array, method?: string) => Promise<HttpResponse>;

const sender =
  (headers: Record<string, string>): Send =>
  (path, type, body, method = 'POST') =>
    send(node.url, path, { method, headers: { ...headers, 'content-type': type }, body, ownConnection: true });
const asMember: Send = (path, type, body, method) =>
  sender({ apikey: app.publishable_key, authorization: `Bearer ${member}`, prefer: 'tx=rollback' })(
    `/apps/${app.ref}${path}`,
    type,
    body,
    method,
  );
const asAnybody: Send = (path, type, body) =>
  sender({ apikey: app.publishable_key })(`/apps/${app.ref}${path}`, type, body);

const filled = (part: string, bytes = BYTES): string => part.repeat(Math.ceil(bytes / part.length)).slice(0, bytes);
const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])));

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

/** The body, and the code of the response; a status if the request succeeds. */
const hostile: [string, path: string, type: string, () => string | Uint8Array, expected: string | number][] = [
  ['distinct keys', '/rest/v1/things', JSON_TYPE, () => keys(800_000), 'PGRST204'],
  ['empty rows, and one with a key', '/rest/v1/things', JSON_TYPE, () => `[${filled('{},')}{"a":1}]`, 'PGRST102'],
  ['open brackets', '/rest/v1/things', JSON_TYPE, () => filled('['), 'PGRST102'],
  ['distinct keys for an unnamed argument', '/rest/v1/rpc/any_json', JSON_TYPE, () => keys(800_000), 200],
  ['CSV of quotes', '/rest/v1/things', 'text/csv', () => `name\n"${filled('""')}x`, 'PGRST102'],
  ['CSV of short lines', '/rest/v1/things', 'text/csv', () => `name\n${filled('a\n')}a,b\n`, 'PGRST102'],
  ['CSV of a million columns', '/rest/v1/things', 'text/csv', () => filled('a,'), 'PGRST102'],
  ['CSV that is much longer as JSON', '/rest/v1/things', 'text/csv', () => csvThatGrows(), 'body_too_large'],
  ['a form of a million fields', '/rest/v1/rpc/characters', FORM, () => filled('a=1&'), 'PGRST102'],
  ['bytes for a binary argument', '/rest/v1/rpc/size', 'application/octet-stream', () => Buffer.alloc(BYTES, 7), 200],
  ['gzipped JSON', '/rest/v1/things', JSON_TYPE, () => gzipSync(filled('{"id":1},')), 'PGRST102'],
];

function csvThatGrows(): string {
  const names = Array.from({ length: 1000 }, (_, i) => `${'n'.repeat(50)}${i}`).join(',');
  return `${names}\n${filled(`${','.repeat(999)}\n`)}`;
}

describe('POST with eight bodies of 9 MB at once', () => {
  it.each(hostile)(
    'leaves the node responsive while it reads eight bodies of %s',
    async (_what, path, type, make, expected) => {
      const body = make();
      const answers: HttpResponse[] = [];
      const since = Date.now();
      const health = await healthDuring(node.url, async () => {
        answers.push(...(await Promise.all(Array.from({ length: 8 }, () => asMember(path, type, body)))));
      });
      for (const response of answers) {
        const context = `${response.status} ${response.body.slice(0, 300)}`;
        if (typeof expected === 'number') expect(response.status, context).toBe(expected);
        else expect((JSON.parse(response.body) as { code: string }).code, context).toBe(expected);
        expect(response.body.length).toBeLessThan(limits.authBodyBytes.default * 4);
      }
      expect((await longestTurn(turns, since)) ?? 0).toBeLessThan(200);
      // If other programs use the processors, the server waits for them as the observer does, and several processes wait
      // for one response.
      expect(health.max, JSON.stringify(health)).toBeLessThan(Math.max(500, 20 * health.noise));
    },
  );
});

describe('a caller without a session', () => {
  const rows = (bytes: number) => `[${filled('{"id":1,"name":"a name"},', bytes)}`.replace(/,?[^}]*$/, ']');

  it('gets an error for a body of 2 MB, with or without Content-Length, while a member may send it', async () => {
    const body = rows(2 * MEBIBYTE);
    const refused = await asAnybody('/rest/v1/things', JSON_TYPE, body);
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      413,
      expect.objectContaining({ code: 'anonymous_body_too_large' }),
    ]);
    expect(refused.headers.connection).toBe('close');
    const inChunks = await send(node.url, `/apps/${app.ref}/rest/v1/things`, {
      method: 'POST',
      headers: { apikey: app.publishable_key, 'content-type': JSON_TYPE },
      chunks: [Buffer.from(body)],
      ownConnection: true,
    });
    expect([inChunks.status, (JSON.parse(inChunks.body) as { code: string }).code]).toEqual([
      413,
      'anonymous_body_too_large',
    ]);
    expect((await asMember('/rest/v1/things', JSON_TYPE, body)).status).toBe(201);
    expect((await asAnybody('/rest/v1/things', JSON_TYPE, rows(MEBIBYTE - 1000))).status).toBe(201);
  });

  it('must send a valid token before the server reads a large body', async () => {
    const response = await sender({ apikey: app.publishable_key, authorization: 'Bearer ey.made.up' })(
      `/apps/${app.ref}/rest/v1/things`,
      JSON_TYPE,
      rows(2 * MEBIBYTE),
    );
    expect(response.status).toBe(401);
  });

  it('cannot send a large body to sign-up, to the management API or to the builder proxy', async () => {
    const body = `{"email":"${filled('a', 2 * MEBIBYTE)}"}`;
    for (const path of ['/auth/v1/signup', '/auth/v1/token?grant_type=password']) {
      const response = await asAnybody(path, JSON_TYPE, body);
      expect([response.status, response.body]).toEqual([413, expect.stringContaining('request_entity_too_large')]);
    }
    for (const path of [
      '/admin/v1/apps',
      `/admin/v1/apps/${app.ref}/sql`,
      `/admin/v1/apps/${app.ref}/rest/v1/things`,
    ]) {
      expect((await sender({})(path, JSON_TYPE, body)).status, path).toBe(401);
    }
  });
});
