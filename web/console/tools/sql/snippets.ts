import type { Entity } from '../../../../contract/specification-entities.ts';
import { firstTable } from '../../overview/first-table.ts';

/** A statement to begin with. */
export interface Snippet {
  readonly name: string;
  readonly sql: string;
}

/** Returns statements to begin with, about the first table of the app if it has one. Pure. */
export function snippets(entities: readonly Pick<Entity, 'id' | 'schema' | 'kind'>[]): Snippet[] {
  const table = entities.find(({ schema, kind }) => schema === 'public' && kind === 'table')?.id ?? 'public.notes';
  return [
    { name: 'Create a table', sql: firstTable },
    { name: 'Read rows', sql: `select *\nfrom ${table}\nlimit 100;` },
    {
      name: 'Rows of each table',
      sql: `select relname as "table", n_live_tup as rows, pg_size_pretty(pg_total_relation_size(relid)) as size
from pg_stat_user_tables
where schemaname = 'public'
order by pg_total_relation_size(relid) desc;`,
    },
    {
      name: 'Define a role of members',
      sql: `select ninefold.define_role('agent', 'Answers tickets.');`,
    },
    {
      name: 'Try as a member',
      sql: `begin;
set local role authenticated;
select set_config('request.jwt.claims', json_build_object('sub', (select id from auth.users limit 1))::text, true);
select * from ${table} limit 10;
rollback;`,
    },
    {
      name: 'Schedule a job',
      sql: `select cron.schedule('nightly', '0 3 * * *', $$
  select 1
$$);`,
    },
    { name: 'Slowest statements now', sql: slowest },
  ];
}

const slowest = `select pid, now() - query_start as running, state, left(query, 120) as statement
from pg_stat_activity
where datname = current_database() and state <> 'idle'
order by query_start;`;
