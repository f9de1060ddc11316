import { limits } from '../../../../contract/limits.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { entityId } from '../../../catalog/names.ts';
import { readCatalog } from '../../../catalog/read-catalog.ts';
import { isOwnSchema } from '../../../catalog/sql-fragments.ts';
import type { Executor } from '../../../database/database.ts';

/** The figures of each entity, by the id of the entity. A partitioned table has the sum of its partitions. */
export type EntityFigures = ReadonlyMap<string, NonNullable<Entity['figures']>>;

interface Row {
  schema: string;
  name: string;
  rows: number;
  bytes: number;
}

const QUERY = `select coalesce(json_agg(row_to_json(t)), '[]') from (
  select n.nspname as schema, e.relname as name, sum(case
      when pg_stat_get_live_tuples(c.oid) > 0 or pg_stat_get_tuples_deleted(c.oid) > 0 then pg_stat_get_live_tuples(c.oid)
      else greatest(c.reltuples, 0)::int8 end) as rows,
    sum(coalesce(pg_total_relation_size(c.oid), 0)) as bytes
  from pg_catalog.pg_class c
  join pg_catalog.pg_class e on e.oid = case when c.relispartition then pg_partition_root(c.oid)::oid else c.oid end
  join pg_catalog.pg_namespace n on n.oid = e.relnamespace and ${isOwnSchema('n')}
  where c.relkind in ('r', 'm') group by e.oid, e.relname, n.nspname) t`;

/**
 * Reads the estimated number of rows of each table and its size on disk with indexes.
 * @throws Errors of `readCatalog`.
 */
export async function loadEntityFigures(executor: Executor): Promise<EntityFigures> {
  const { figures } = await readCatalog<{ figures: Row[] }>(
    executor,
    { figures: QUERY },
    limits.catalogLockMilliseconds.default,
  );
  return new Map(
    figures.map(({ schema, name, rows, bytes }) => [
      entityId(schema, name),
      { rows_estimate: rows, size_bytes: bytes },
    ]),
  );
}
