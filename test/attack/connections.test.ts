import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { overSocket, superuserUrl, withClient } from '../support/database.ts';
import {
  adminCalls,
  appCalls,
  type Call,
  callAdmin,
  callApp,
  files,
  json,
  notesAndPing,
} from '../support/every-call.ts';
import { hostileCalls } from '../support/hostile.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { ownNode } from '../support/own-node.ts';
import { uniqueRef } from '../support/unique.ts';

/**
 * PostgreSQL accepts no further connections. The responses must blame neither the client's request nor a defect of the
 * server.
 */
const node = ownNode('connections');
let hostile: ReturnType<typeof hostileCalls>;

let app: AppConnection;
let neighbour: AppConnection;
let superuser: string;
let member: string;
beforeAll(async () => {
  hostile = hostileCalls(node);
  superuser = await overSocket(node, await superuserUrl(node, 'postgres'));
  neighbour = await hostile.makeNeighbour();
  app = await createAppWith(node, notesAndPing);
  member = (await signUpMember(app)).session.access_token;
});

const asAdmin = (call: Call) => callAdmin(node, app, call);
const asMember = (call: Call) => callApp(node, app, member, call);

/** PGRST002 if the schema would have to be read first. */
const codes = ['database_unavailable', '53300', 'PGRST002'];

/** A write outside of /rest/v1 may have committed an earlier step, so its response may come without Retry-After. */
function expectFull(response: HttpResponse, isRepeatable: boolean): void {
  const context = `${response.status} ${response.body}`;
  expect(response.status, context).toBe(503);
  expect(isRepeatable ? ['1'] : ['1', undefined], context).toContain(response.headers['retry-after']);
  const { code, error_code = code } = JSON.parse(response.body) as { code: unknown; error_code?: unknown };
  expect(codes, context).toContain(error_code);
  expect(response.body).not.toContain('select ');
}

/** Ends the connections of the app's own roles, except those whose last statement begins with `but`. */
const endConnections = (client: pg.Client, but: string) =>
  client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where usename in ($1, $2, $3) and query not ilike $4`,
    [`app_${app.ref}`, `app_${app.ref}_authenticator`, `app_${app.ref}_server`, but],
  );

async function allow(client: pg.Client, owner: number, ofServer: number): Promise<void> {
  await client.query(`alter role "app_${app.ref}" connection limit ${owner}`);
  for (const role of ['authenticator', 'server'])
    await client.query(`alter role "app_${app.ref}_${role}" connection limit ${ofServer}`);
}

describe.each([
  { which: 'that was closed', but: '-', remembers: false },
  { which: 'whose listener is still connected', but: 'listen%', remembers: true },
])('an app $which and whose roles get no connection', ({ but, remembers }) => {
  afterEach(() => withClient(superuser, (client) => allow(client, 20, 100)));

  it('answers every call with 503, reads and data requests with Retry-After, and serves calls when connections are free', async () => {
    expect((await asMember(['/rest/v1/notes'])).status).toBe(200);
    await withClient(superuser, async (client) => {
      await allow(client, 0, 0);
      for (const [calls, call] of [
        [adminCalls, asAdmin],
        [appCalls, asMember],
      ] as const) {
        for (const one of calls) {
          await endConnections(client, but);
          const response = await call(one);
          // A cached value, such as a setting, is used as long as the worker listens for its changes.
          const [path, { method = 'GET' } = {}] = one;
          const isRepeatable = path.startsWith('/rest/v1') || (method === 'GET' && !path.startsWith('/auth/v1'));
          if (!remembers || response.status !== 200) expectFull(response, isRepeatable);
        }
      }
      await hostile.expectServed(neighbour);
      await allow(client, 20, 100);
    });
    await expect.poll(async () => (await asMember(['/rest/v1/notes'])).status, { timeout: 15_000 }).toBe(200);
    await runSql(node, app.ref, 'select 1');
  });
});

describe('a server without a free connection', () => {
  const held: pg.Client[] = [];
  afterEach(async () => {
    await Promise.all(held.splice(0).map((client) => client.end()));
  });

  /**
   * Ends all other connections and takes each connection that becomes free, until several rounds in a row find neither:
   * PostgreSQL frees the place of a connection a moment after it has ended.
   */
  async function takeAll(): Promise<void> {
    for (let quiet = 0; quiet < 5; ) {
      const some = await Promise.allSettled(
        Array.from({ length: 20 }, async () => {
          const client = new pg.Client(superuser);
          client.on('error', () => undefined);
          await client.connect();
          held.push(client);
        }),
      );
      if (some.every(({ status }) => status === 'fulfilled')) continue;
      const ended = await held[0]?.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and pid <> all ($1::int[])`,
        [held.map((client) => (client as unknown as { processID: number }).processID)],
      );
      const isQuiet = ended?.rowCount === 0 && some.every(({ status }) => status === 'rejected');
      quiet = isQuiet ? quiet + 1 : 0;
    }
  }

  it('answers every call with 503, and serves calls when a connection is free', async () => {
    await takeAll();
    const full = [
      await asAdmin(['/sql', json('POST', { sql: 'select 1' })]),
      await asAdmin(['/entities']),
      await asAdmin(['/migrations', json('POST', files)]),
      await asAdmin(['/clone', json('POST', { ref: uniqueRef('full') })]),
      await send(node.url, '/admin/v1/status', { headers: hostile.operator }),
      await send(node.url, '/admin/v1/apps', { headers: hostile.operator }),
      await send(node.url, '/admin/v1/apps', {
        ...json('POST', { ref: uniqueRef('full') }),
        headers: { ...hostile.operator, 'content-type': 'application/json' },
      }),
      await asMember(['/auth/v1/settings']),
      await asMember(['/rest/v1/notes']),
    ];
    for (const response of full) expectFull(response, false);
    await Promise.all(held.splice(0).map((client) => client.end()));
    await hostile.expectServed(neighbour);
    await runSql(node, app.ref, 'select 1');
    await deleteApp(node, (await createApp(node, { from: app.ref })).ref);
  });
});
