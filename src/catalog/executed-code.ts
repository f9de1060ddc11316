import { extensionOf, isUnserved } from './entities.ts';
import type { CatalogQueries } from './read-catalog.ts';
import { codeText, isNoChangeTrigger, isOwnSchema } from './sql-fragments.ts';

/** Code that PostgreSQL runs when statements use the app's relations. */
export interface CodeFacts {
  code: CodeFact[];
  /**
   * Computed fields of views, with the statements that must not set them. Statements that a trigger or rule handles are
   * not included.
   */
  computed: { relation: number; number: number; refused: ('insert' | 'update')[] }[];
  /** Enabled triggers, and rewrite rules for writes. */
  fired: {
    relation: number;
    events: ('insert' | 'update' | 'delete')[];
    before_row: boolean;
    /** Numbers of the fields whose UPDATE fires the trigger; empty if every UPDATE does. */
    fields: number[];
    function: number;
    rule: string;
  }[];
}

/** A function or procedure of the app. */
export interface CodeFact {
  oid: number;
  name: string;
  language: string;
  extension: string | null;
  /** Source of functions in SQL and PL/pgSQL; empty for other languages. */
  source: string;
}

/**
 * Returns SQL that is true if an INSTEAD OF trigger or a rewrite rule handles writes of an event to view `c`.
 * @param event Bit of pg_trigger.tgtype.
 * @param ruleEvent Value of pg_rewrite.ev_type.
 */
const isTaken = (event: number, ruleEvent: string): string =>
  `(exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0 and g.tgtype & ${event} <> 0)
    or exists (select from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type = '${ruleEvent}' and r.is_instead))`;

/** Queries of CodeFacts. */
export const codeQueries: CatalogQueries<CodeFacts> = {
  code: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select p.oid::int8 as oid, p.proname as name, l.lanname as language, ${extensionOf('pg_catalog.pg_proc', 'p.oid')} as extension,
      ${codeText} as source
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_language l on l.oid = p.prolang
    order by p.oid) t`,

  computed: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select c.oid::int8 as relation, a.attnum as number,
      array_remove(array[case when not ${isTaken(4, '3')} then 'insert' end, case when not ${isTaken(16, '2')} then 'update' end], null) as refused
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where case when c.relkind = 'v' and not ${isUnserved('c')} then not pg_column_is_updatable(c.oid, a.attnum, false) else false end) t`,

  fired: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select g.tgrelid::int8 as relation, array_remove(array[case when g.tgtype & 4 > 0 then 'insert' end,
        case when g.tgtype & 16 > 0 then 'update' end, case when g.tgtype & 8 > 0 then 'delete' end], null) as events,
      g.tgtype & 3 = 3 as before_row, g.tgattr::int2[] as fields, g.tgfoid::int8 as function, '' as rule
    from pg_catalog.pg_trigger g where not g.tgisinternal and g.tgenabled in ('O', 'A') and ${isNoChangeTrigger('g')}
    union all
    select r.ev_class::int8, array[case r.ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end], false, '{}', 0,
      pg_get_ruledef(r.oid)
    from pg_catalog.pg_rewrite r join pg_catalog.pg_class c on c.oid = r.ev_class
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    where r.ev_type <> '1') t`,
};
