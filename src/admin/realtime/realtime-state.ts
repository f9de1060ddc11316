import type { RealtimeState, RealtimeTable } from '../../../contract/realtime.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { firstJson } from '../../database/statement.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

/** Published tables, and the tables of the app's owner outside the schemas of the platform. */
const TABLES = `
  with listed as (
    select t.relation, exists (
      select from pg_catalog.pg_publication_rel r join pg_catalog.pg_publication b on b.oid = r.prpubid
      where b.pubname = 'supabase_realtime' and r.prrelid = t.relation) as switchable
    from ninefold.published_tables() t
  )
  select json_agg(json_build_object(
    'schema', n.nspname, 'name', c.relname, 'published', l.relation is not null,
    'switchable', coalesce(l.switchable, true)) order by n.nspname, c.relname)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join listed l on l.relation = c.oid
  where l.relation is not null or c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
    and n.nspname !~ '^(pg_|ninefold)' and n.nspname not in ('information_schema', 'auth', 'storage', 'realtime', 'cron', 'net', 'vault', 'extensions', 'supabase_migrations')
    and (c.relowner = 'pg_database_owner'::pg_catalog.regrole
      or c.relowner = (select d.datdba from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()))`;

const showRealtime = adminCall({
  route: 'GET /apps/:ref/realtime',
  least: 'developer',
  summary:
    'Returns the open sockets, the channels by topic, the messages a second and the delay of changes over all workers, and the tables that realtime can report.',
  returns: 'RealtimeState',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const [usage, [tables], { realtime }] = await Promise.all([
      context.realtimeUsage(ref),
      runAsServerRole(app.serverDatabase, [{ text: TABLES, params: [] }]),
      app.settings(),
    ]);
    return json({
      usage,
      tables: (tables && firstJson<RealtimeTable[] | null>(tables)) ?? [],
      private_only: realtime.realtime_private_only,
      limits: {
        sockets: realtime.realtime_sockets,
        channels_of_socket: realtime.realtime_channels,
        messages_per_second: realtime.realtime_messages_per_second,
        joins_per_second: realtime.realtime_joins_per_second,
      },
    } satisfies RealtimeState);
  },
});

export const realtimeCalls: readonly AdminCall[] = [showRealtime];
