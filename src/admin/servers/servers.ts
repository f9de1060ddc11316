import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { AddServerRequest, AppMove, ServerSummary } from '../../../contract/servers.ts';
import { addServer } from '../../apps/provisioning/add-server.ts';
import { moveApp } from '../../apps/provisioning/move-app.ts';
import { type OpenServer, OWN } from '../../apps/provisioning/server-pools.ts';
import { REF } from '../../apps/registry/app-record.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { json, noContent } from '../reply.ts';

/** SQLSTATE of a row that others refer to. */
const REFERENCED = '23503';

const serverRef = z.string().regex(REF, 'must be 3 to 40 lower-case letters, digits and hyphens, the first a letter');

const showServers = adminCall({
  route: 'GET /servers',
  least: 'node owner',
  summary:
    'Returns the PostgreSQL servers of the node with their apps, connections and size. The first one has the console.',
  returns: 'ServerSummary[]',
  handle: async ({ context: { servers, registry } }) => {
    const further = await registry.servers.list();
    const others = further.reduce((sum, { apps }) => sum + apps, 0);
    // The console is no app of its own.
    const own = (await registry.list()).length - others - 1;
    const rows = await Promise.all([
      summaryOf({ ref: OWN, state: 'active', apps: own }, servers.own),
      ...further.map(({ ref, state, apps, host }) => summaryOf({ ref, state, apps }, servers.of({ host }))),
    ]);
    return json(rows);
  },
});

const FIGURES = `select current_setting('server_version') as version, current_setting('max_connections') as max,
  (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'client backend') as used,
  (select sum(pg_catalog.pg_database_size(d.oid)) from pg_catalog.pg_database d where d.datallowconn
    and pg_catalog.has_database_privilege(d.oid, 'CONNECT')) as bytes`;

async function summaryOf(
  known: Pick<ServerSummary, 'ref' | 'state' | 'apps'>,
  { server, maintenance }: OpenServer,
): Promise<ServerSummary> {
  const [result] = await maintenance.run([{ text: FIGURES, params: [] }]).catch(() => []);
  const row = result && rowsAsText(result)[0];
  return {
    ...known,
    is_up: row !== undefined,
    version: row?.version ?? null,
    connections: row ? Number(row.used) : null,
    max_connections: row ? Number(row.max) : null,
    size_bytes: row ? Number(row.bytes) : null,
    missing_rights: server.missingRights,
  };
}

const add = adminCall({
  route: 'POST /servers',
  least: 'node owner',
  sensitive: 'give the node a further PostgreSQL server',
  audit: { action: 'server_added', details: ({ ref }) => ({ server: String(ref ?? '') }) },
  summary: 'Adds a PostgreSQL server on which apps can live, and creates the roles and the template there.',
  returns: '201: empty object',
  errors: ['server_exists', 'server_unfit'],
  body: z.strictObject({
    ref: serverRef,
    url: line(limits.nameBytes.default * 8),
  }) satisfies z.ZodType<AddServerRequest>,
  handle: async ({ context: { servers, registry }, body }) => {
    if (body.ref === OWN) throw new NinefoldError('server_exists');
    await addServer(servers, registry, body.ref, body.url);
    return json({}, 201);
  },
});

const changeState = adminCall({
  route: 'PATCH /servers/:server',
  least: 'node owner',
  audit: { action: 'server_changed', details: ({ state }) => ({ state: String(state ?? '') }) },
  summary: 'Stops or allows new apps on a server. Its apps stay.',
  errors: ['server_unknown'],
  body: z.strictObject({ state: z.enum(['active', 'draining']) }),
  handle: async ({ context: { registry }, server, body }) => {
    if (!(await registry.servers.setState(server, body.state))) throw new NinefoldError('server_unknown');
    return noContent();
  },
});

const remove = adminCall({
  route: 'DELETE /servers/:server',
  least: 'node owner',
  sensitive: 'take a PostgreSQL server away from the node',
  audit: { action: 'server_removed' },
  summary: 'Removes a server without apps from the node. Its databases stay as they are.',
  errors: ['server_in_use'],
  handle: async ({ context: { registry }, server }) => {
    await registry.servers.remove(server).catch((error: unknown) => {
      if (error instanceof DatabaseError && error.sqlstate === REFERENCED) throw new NinefoldError('server_in_use');
      throw error;
    });
    return noContent();
  },
});

const move = adminCall({
  route: 'POST /servers/:server/apps',
  least: 'node owner',
  sensitive: 'move the app to another PostgreSQL server',
  audit: { action: 'app_moved', details: ({ ref }) => ({ app: String(ref ?? '') }) },
  summary: 'Moves an app to this PostgreSQL server. Its calls get app_moving until the copy is complete.',
  returns: 'AppMove',
  errors: ['app_unknown', 'server_unknown', 'app_busy', 'app_move_failed', 'app_session_stuck'],
  body: z.strictObject({ ref: z.string().regex(REF) }),
  handle: async ({ context, server, body }) => {
    const { servers, registry, lifecycle, events, everyWorker, dumpTools: tools } = context;
    const parts = { servers, registry, lifecycle, events, tools, everyWorker };
    const result = await moveApp(parts, body.ref, server);
    const answer: AppMove = {
      moved: result !== null,
      tables: result?.tables ?? 0,
      rows: result?.rows ?? 0,
      closed_ms: Math.round(result?.closedMilliseconds ?? 0),
    };
    return json(answer);
  },
});

export const serverCalls: readonly AdminCall[] = [showServers, add, changeState, remove, move];
