import type { CatalogQueries } from './read-catalog.ts';
import { list, relationsOf } from './sql-fragments.ts';

export interface PublicationFacts {
  /** Writes that PostgreSQL rejects because a publication could not replicate them. */
  unreplicated: UnreplicatedFact[];
  /** The tables of the publication supabase_realtime, by schema and name. */
  published: PublishedFact[];
}

/** A table whose changes realtime reports. If a partitioned table is published, its partitions are not listed. */
export interface PublishedFact {
  relation: number;
  /** Numbers of the published fields; null for all. */
  fields: number[] | null;
  /** The condition of the publication for the rows; null for all rows. */
  filter: string | null;
  events: PublishedEvent[];
}

export type PublishedEvent = 'INSERT' | 'UPDATE' | 'DELETE';

/** A relation whose updates or deletes PostgreSQL rejects for a publication. */
export interface UnreplicatedFact {
  /** A table or a partition. */
  relation: number;
  publication: string;
  operations: ('update' | 'delete')[];
  /**
   * Why PostgreSQL rejects the operations. `none`: the relation has no replica identity. `filter`: the row filter of
   * the publication uses fields outside the replica identity. `fields`: the column list of the publication lacks fields
   * of the replica identity.
   */
  why: 'none' | 'filter' | 'fields';
}

/** SQL with the fields of the replica identity; null if there is none. It is not used for REPLICA IDENTITY FULL. */
const identity = `(select i.indkey::int2[] from pg_catalog.pg_index i
  where i.indrelid = c.oid and i.indisvalid and i.indimmediate
    and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident))`;

const named = (text: string): string => `array(select (regexp_matches(${text}, ':varattno (\\d+)', 'g'))[1]::int2)`;

/** Query of PublicationFacts. */
export const publicationQueries: CatalogQueries<PublicationFacts> = {
  // The conditions are those of PostgreSQL before an update or delete (execReplication.c, CheckCmdReplicaIdentity). For
  // partitions, publications of their partitioned tables count too.
  unreplicated: list(`
    select distinct x.relation, x.publication, x.operations, x.why from (
      select c.oid::int8 as relation, b.pubname as publication,
        array_remove(array[case when b.pubupdate then 'update' end, case when b.pubdelete then 'delete' end], null) as operations,
        case when c.relreplident <> 'f' and k.fields is null then 'none'
          when c.relreplident <> 'f' and l.prqual is not null and not ${named('l.prqual::text')} <@ k.fields then 'filter'
          when l.prattrs is not null and (c.relreplident = 'f' or not k.fields <@ l.prattrs::int2[]) then 'fields' end as why
      from pg_catalog.pg_publication b join ${relationsOf('c')} on c.relkind = 'r' and c.relpersistence = 'p'
      cross join lateral (select c.oid union select a.relid from pg_partition_ancestors(c.oid) a(relid) where c.relispartition) u(oid)
      join pg_catalog.pg_class w on w.oid = u.oid
      left join pg_catalog.pg_publication_rel l on l.prpubid = b.oid and l.prrelid = u.oid
      cross join lateral (select ${identity} as fields) k
      where (b.pubupdate or b.pubdelete) and (b.puballtables or l.oid is not null or exists (
        select from pg_catalog.pg_publication_namespace s where s.pnpubid = b.oid and s.pnnspid = w.relnamespace))) x
    where x.why is not null order by x.relation, x.publication, x.why`),
  published: list(`
    with listed as (
      select b.oid as publication, r.prrelid as relation, r.prattrs::int2[] as fields, pg_get_expr(r.prqual, r.prrelid) as filter
      from pg_catalog.pg_publication b join pg_catalog.pg_publication_rel r on r.prpubid = b.oid where b.pubname = 'supabase_realtime'
      union all
      select b.oid, c.oid, null, null from pg_catalog.pg_publication b
      join ${relationsOf('c')} on n.nspname <> 'ninefold' and c.relkind in ('r', 'p') and c.relpersistence = 'p' and (b.puballtables or exists (
        select from pg_catalog.pg_publication_namespace s where s.pnpubid = b.oid and s.pnnspid = c.relnamespace))
      where b.pubname = 'supabase_realtime')
    select distinct on (o.nspname, c.relname) l.relation::int8 as relation, l.fields, l.filter, array_remove(array[
      case when b.pubinsert then 'INSERT' end, case when b.pubupdate then 'UPDATE' end, case when b.pubdelete then 'DELETE' end], null) as events
    from listed l join pg_catalog.pg_class c on c.oid = l.relation join pg_catalog.pg_namespace o on o.oid = c.relnamespace
    join pg_catalog.pg_publication b on b.oid = l.publication
    where not exists (select from pg_partition_ancestors(l.relation) a join listed u on u.relation = a.relid where a.relid <> l.relation)
    order by o.nspname, c.relname, l.filter nulls last`),
};
