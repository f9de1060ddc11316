import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { QueueEntry, QueueList } from '../../../contract/queues.ts';
import type { App } from '../../apps/app.ts';
import { firstJson, quoteIdentifier } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { findQueue, hasQueues, runAsOwner, runOnQueues, TABLES_OF_QUEUE } from './queue-sql.ts';

/** The figures of the messages of a queue, which each need a statement on its own tables. */
type Figures = Pick<QueueEntry, 'length' | 'visible' | 'read' | 'archived' | 'sent' | 'oldest_at'>;

/** The parts of a queue that catalogs have. */
type Described = Omit<QueueEntry, keyof Figures | 'tables'> & { queue: string | null; archive: string | null };

const LIST = `
  with listed as (
    select m.queue_name as name, m.is_unlogged as unlogged, m.created_at, q.oid as relation, q.relname as queue, a.relname as archive,
      coalesce(q.relrowsecurity, false) as row_security
    from pgmq.meta m ${TABLES_OF_QUEUE} order by m.queue_name limit ${limits.queuesListed.default}
  )
  select pg_catalog.json_build_object('total', (select pg_catalog.count(*) from pgmq.meta), 'queues', coalesce(pg_catalog.json_agg(
    pg_catalog.json_build_object('name', l.name, 'unlogged', l.unlogged, 'created_at', l.created_at, 'queue', l.queue, 'archive', l.archive,
      'row_security', l.row_security,
      'policies', coalesce((select pg_catalog.json_agg(p.polname order by p.polname) from pg_catalog.pg_policy p where p.polrelid = l.relation), '[]'),
      'grants', coalesce((
        select pg_catalog.json_agg(pg_catalog.json_build_object('role', g.role, 'privileges', g.privileges) order by g.role)
        from (
          select r.role, pg_catalog.array_agg(k.kind order by k.place) as privileges
          from (values ('anon'), ('authenticated')) r (role), pg_catalog.unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) with ordinality k (kind, place)
          where case when k.kind = 'DELETE' then pg_catalog.has_table_privilege(r.role, l.relation, k.kind)
            else pg_catalog.has_any_column_privilege(r.role, l.relation, k.kind) end
          group by r.role
        ) g), '[]')) order by l.name), '[]'))
  from listed l`;

const figuresOf = (queue: string, archive: string, place: number): string => `
  select ${place} as place, pg_catalog.count(*) as length, pg_catalog.count(*) filter (where q.vt <= pg_catalog.clock_timestamp()) as visible,
    pg_catalog.count(*) filter (where q.read_ct > 0) as read, pg_catalog.min(q.enqueued_at) as oldest_at,
    (select pg_catalog.count(*) from pgmq.${quoteIdentifier(archive)}) as archived,
    (select case when s.is_called then s.last_value else 0 end from pgmq.${quoteIdentifier(`${queue}_msg_id_seq`)} s) as sent
  from pgmq.${quoteIdentifier(queue)} q`;

/** Counts the messages of all queues that have their tables. */
async function countMessages(app: App, queues: readonly Described[]): Promise<Map<number, Figures>> {
  const parts = queues.flatMap(({ queue, archive }, place) =>
    queue !== null && archive !== null ? [figuresOf(queue, archive, place)] : [],
  );
  if (parts.length === 0) return new Map();
  const text = `select pg_catalog.json_agg(f) from (${parts.join(' union all ')}) f`;
  const result = await runOnQueues(app, { text, params: [] });
  const counted = (result && firstJson<(Figures & { place: number })[]>(result)) ?? [];
  return new Map(counted.map(({ place, ...figures }) => [place, figures]));
}

const none: Figures = { length: 0, visible: 0, read: 0, archived: 0, sent: 0, oldest_at: null };

const listQueues = adminCall({
  route: 'GET /apps/:ref/queues',
  least: 'developer',
  summary:
    'Returns the queues of the app with the numbers of their messages, and whether clients may use them: the exposed schema, the privileges and the policies.',
  returns: 'QueueList',
  errors: ['sql_failed'],
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const { rest } = await app.settings();
    const exposed = rest.db_schemas.includes('pgmq_public');
    if (!(await hasQueues(app))) return json({ installed: false, exposed, total: 0, queues: [] } satisfies QueueList);
    const result = await runOnQueues(app, { text: LIST, params: [] });
    const { total, queues } = (result && firstJson<{ total: number; queues: Described[] }>(result)) ?? {
      total: 0,
      queues: [],
    };
    const figures = await countMessages(app, queues);
    return json({
      installed: true,
      exposed,
      total,
      queues: queues.map(({ queue, archive, ...described }, place) => ({
        ...described,
        ...(queue !== null && archive !== null && { tables: { queue, archive } }),
        ...(figures.get(place) ?? none),
      })),
    } satisfies QueueList);
  },
});

const queueName = line(limits.queueNameCharacters.default).regex(
  /^(?!.*--)[^$;']*$/,
  "holds one of the characters $, ; or ', or two hyphens",
);

const createQueue = adminCall({
  route: 'POST /apps/:ref/queues',
  least: 'developer',
  audit: { action: 'queue_created', details: ({ name, unlogged }) => ({ name, unlogged }) },
  summary: 'Creates a queue. PostgreSQL empties an unlogged queue after a crash.',
  errors: ['sql_failed', 'queue_exists', 'server_for_one_team'],
  body: z.strictObject({ name: queueName, unlogged: z.boolean().optional() }),
  handle: async ({ context, caller, ref, body: { name, unlogged = false } }) => {
    const app = await openApp(context, ref);
    // The names of the tables are in lower case, so two queues differ in more than that.
    const result = await runAsOwner(context, caller, app, {
      text: `select pg_catalog.to_json(pg_catalog.count(n.made)) from (
          select case when $2::boolean then pgmq.create_unlogged($1)::text else pgmq.create($1)::text end as made
          where not exists (select from pgmq.meta m where pg_catalog.lower(m.queue_name) = pg_catalog.lower($1))) n`,
      params: [name, String(unlogged)],
    });
    if (!result || firstJson<number>(result) !== 1) throw new NinefoldError('queue_exists', { details: { name } });
    return noContent();
  },
});

const dropQueue = adminCall({
  route: 'DELETE /apps/:ref/queues/:queue',
  least: 'developer',
  audit: { action: 'queue_dropped', details: (_, { queue }) => ({ name: queue }) },
  summary: 'Drops a queue with its messages and its archive.',
  errors: ['not_found', 'sql_failed', 'server_for_one_team'],
  handle: async ({ context, caller, ref, queue }) => {
    const app = await openApp(context, ref);
    const { name } = await findQueue(app, queue);
    await runAsOwner(context, caller, app, { text: 'select pgmq.drop_queue($1)', params: [name] });
    return noContent();
  },
});

const purgeQueue = adminCall({
  route: 'POST /apps/:ref/queues/:queue/purge',
  least: 'developer',
  audit: { action: 'queue_purged', details: (_, { queue }) => ({ name: queue }) },
  summary: 'Deletes all messages of a queue. The archive stays.',
  returns: '{ deleted: number }',
  errors: ['not_found', 'sql_failed'],
  handle: async ({ context, ref, queue }) => {
    const app = await openApp(context, ref);
    const { name } = await findQueue(app, queue);
    const text = 'select pg_catalog.to_json(pgmq.purge_queue($1))';
    const result = await runOnQueues(app, { text, params: [name] });
    return json({ deleted: (result && firstJson<number>(result)) ?? 0 });
  },
});

export const queueCalls: readonly AdminCall[] = [listQueues, createQueue, dropQueue, purgeQueue];
