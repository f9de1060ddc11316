import { limits } from '../../../../contract/limits.ts';
import type { MachineFigures } from '../../../../contract/states.ts';
import type { App } from '../../../apps/app.ts';
import { becomeServiceRole, runAsServerRole } from '../../../apps/run-as-server-role.ts';
import { entityId } from '../../../catalog/names.ts';
import type { Database } from '../../../database/database.ts';
import { DatabaseError } from '../../../database/database-error.ts';
import { firstJson } from '../../../database/statement.ts';
import { machineId } from '../../derive/chapters/states/states.ts';

/** The figures of each state machine, by its id. */
export type StateFigures = ReadonlyMap<string, MachineFigures>;

interface MachineRow {
  schema: string;
  entity: string;
  field: string;
  /** SQL that counts the machine's rows by state; null if the service role may not read them. */
  count: string | null;
  median_stay_seconds: Record<string, number>;
  state_changes: MachineFigures['state_changes'];
}

const MACHINES = `
  with recent as materialized (
    select p.entity, p.field, p.from_state, p.to_state, p.transition, p.at - p.since as stay
    from ninefold.state_changes p where p.at > pg_catalog.now() - pg_catalog.make_interval(days => ${limits.stateChangeFiguresDays.default})
  )
  select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
    'schema', n.nspname, 'entity', c.relname, 'field', m.field,
    'count', case when c.relkind = 'r' and pg_catalog.has_schema_privilege('service_role', n.oid, 'usage')
        and pg_catalog.has_column_privilege('service_role', c.oid, a.attnum, 'select') then pg_catalog.format(
      'select %s as machine, t.%I::pg_catalog.text as state, pg_catalog.count(*) as n from %I.%I t where t.%I is not null group by 2',
      number, m.field, n.nspname, c.relname, m.field) end,
    'median_stay_seconds', (select coalesce(pg_catalog.json_object_agg(s.from_state, s.median), '{}') from (
      select r.from_state, pg_catalog.percentile_cont(0.5) within group (order by extract(epoch from r.stay)::float8) as median
      from recent r where r.entity = m.entity and r.field = m.field and r.stay is not null and r.from_state is not null
      group by r.from_state) s),
    'state_changes', (select coalesce(pg_catalog.json_agg(s order by s."from" nulls first, s."to", s.transition), '[]') from (
      select r.from_state as "from", r.to_state as "to", r.transition, pg_catalog.count(*) as count
      from recent r where r.entity = m.entity and r.field = m.field group by r.from_state, r.to_state, r.transition) s)
  ) order by number), '[]')
  from (select x.*, pg_catalog.row_number() over (order by x.entity, x.field) - 1 as number from ninefold.machines x) m
  join pg_catalog.pg_class c on c.oid = m.entity
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = m.field and not a.attisdropped`;

/**
 * Reads the number of rows in each state, the median time in each state and the recent state changes.
 * @throws Errors of `Executor.run`.
 */
export async function loadStateFigures({
  database,
  serverDatabase,
}: Pick<App, 'database' | 'serverDatabase'>): Promise<StateFigures> {
  const [result] = await runAsServerRole(serverDatabase, [{ text: MACHINES, params: [] }]);
  const machines = (result && firstJson<MachineRow[]>(result)) ?? [];
  const rows = await countRows(database, machines);
  return new Map(
    machines.map(({ schema, entity, field, median_stay_seconds, state_changes }, i) => [
      machineId(entityId(schema, entity), field),
      { ...(rows?.has(i) && { rows: rows.get(i) ?? {} }), median_stay_seconds, state_changes },
    ]),
  );
}

/**
 * Counts the rows in each state, by the index of the machine, as the service role, which bypasses row-level security.
 * Returns null if PostgreSQL refuses the query: the count takes longer than the limit stateFiguresMilliseconds, or the
 * app's schema has changed.
 */
async function countRows(
  database: Database,
  machines: readonly MachineRow[],
): Promise<ReadonlyMap<number, Record<string, number>> | null> {
  const counts = machines.flatMap(({ count }) => (count === null ? [] : [count]));
  if (counts.length === 0) return null;
  const found = new Map<number, Record<string, number>>();
  machines.forEach(({ count }, i) => {
    if (count !== null) found.set(i, {});
  });
  const statements = [
    becomeServiceRole(limits.stateFiguresMilliseconds.default),
    {
      text: `select coalesce(pg_catalog.json_agg(s order by s.machine, s.state), '[]') from (${counts.join(' union all ')}) s`,
      params: [],
    },
  ];
  try {
    const [, result] = await database.run(statements);
    const counted = (result && firstJson<{ machine: number; state: string; n: number }[]>(result)) ?? [];
    for (const { machine, state, n } of counted) {
      const rows = found.get(machine);
      if (rows) rows[state] = n;
    }
    return found;
  } catch (error) {
    if (error instanceof DatabaseError) return null;
    throw error;
  }
}
