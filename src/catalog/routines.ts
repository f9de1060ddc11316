import { type GrantFact, isOfExtension } from './entities.ts';
import type { CatalogQueries } from './read-catalog.ts';
import { commentOf, functionGrants, isOwnSchema, list } from './sql-fragments.ts';

/** Functions and procedures of the app's schemas. Those of extensions are only counted. */
export interface RoutineFacts {
  routines: RoutineFact[];
  extension_routines: { extension: string; schema: string; functions: number }[];
  /**
   * Domain representations of PostgREST: implicit casts by which requests read and write values of a domain (PostgREST
   * docs, "Domain Representations").
   */
  representations: RepresentationFact[];
  /**
   * Functions that other objects use: a trigger, a policy, a default, a check, a view, a cast, a SQL-standard function
   * body.
   */
  used_routines: number[];
}

/** An implicit cast of a domain to json, or of json or text to a domain, with its function. */
export interface RepresentationFact {
  from: string;
  to: string;
  /** The domain: the source type or the target type of the cast. */
  domain: string;
  /** Value of pg_proc.oid. */
  routine: number;
  /** Signature as PostgreSQL prints it: `public.color_json(public.color)`. */
  function: string;
}

/** A function, procedure or aggregate (pg_proc). */
export interface RoutineFact {
  oid: number;
  schema: string;
  name: string;
  /** Value of pg_proc.prokind: f function, p procedure, a aggregate, w window function. */
  kind: 'f' | 'p' | 'a' | 'w';
  /** Input arguments in order; `mode` is the value of pg_proc.proargmodes: i in, b inout, v variadic. */
  inputs: { name: string; type: string; type_oid: number; mode: 'i' | 'b' | 'v'; has_default: boolean }[];
  /** List of the parse trees of the defaults, which belong to the last arguments; null if there are none. */
  defaults: string | null;
  /** Result type as PostgreSQL prints it: `SETOF public.tickets`, `TABLE(id uuid)`. */
  result: string;
  /** All arguments with their defaults, as PostgreSQL prints them. */
  arguments: string;
  owner: number;
  /** True for RETURNS NULL ON NULL INPUT. */
  strict: boolean;
  /**
   * Body of the function: a SQL-standard body as PostgreSQL prints it, any other body as it was written. For an
   * aggregate: its functions, types and values.
   */
  body: string;
  returns_set: boolean;
  /** True for a set with ROWS 1: requests embed it as one row. */
  one_row: boolean;
  volatility: 'i' | 's' | 'v';
  security_definer: boolean;
  /** Value of pg_proc.proparallel: s safe, r restricted, u unsafe. */
  parallel: 's' | 'r' | 'u';
  leakproof: boolean;
  language: string;
  /** Settings of ALTER FUNCTION … SET, as `name=value`. */
  settings: string[];
  /** True for a SQL-standard body: PostgreSQL resolved its names when the function was created. */
  bound: boolean;
  comment: string | null;
  grants: GrantFact[];
}

/** SQL with the definition of an aggregate: its functions, types and values. */
const aggregateParts = `(select concat_ws(', ', 'sfunc = ' || g.aggtransfn::regprocedure::text,
    'stype = ' || format_type(g.aggtranstype, null), 'initcond = ' || quote_literal(g.agginitval),
    'finalfunc = ' || nullif(g.aggfinalfn, 0)::regprocedure::text, case when g.aggfinalextra then 'finalfunc_extra' end,
    'combinefunc = ' || nullif(g.aggcombinefn, 0)::regprocedure::text, 'msfunc = ' || nullif(g.aggmtransfn, 0)::regprocedure::text,
    'minvfunc = ' || nullif(g.aggminvtransfn, 0)::regprocedure::text, 'mfinalfunc = ' || nullif(g.aggmfinalfn, 0)::regprocedure::text,
    'minitcond = ' || quote_literal(g.aggminitval), 'sortop = ' || nullif(g.aggsortop, 0)::regoperator::text,
    case g.aggkind when 'o' then 'ordered set' when 'h' then 'hypothetical' end)
  from pg_catalog.pg_aggregate g where g.aggfnoid = p.oid)`;

/** Queries of RoutineFacts. */
export const routineQueries: CatalogQueries<RoutineFacts> = {
  routines: list(`
    select p.oid::int8 as oid, n.nspname as schema, p.proname as name, p.prokind as kind,
      (select coalesce(json_agg(json_build_object('name', coalesce(a.name, ''), 'type', format_type(a.type, null),
          'type_oid', a.type::int8, 'mode', a.mode, 'has_default', a.place > p.pronargs - p.pronargdefaults) order by a.place), '[]')
        from (select i.name, i.type, coalesce(i.mode, 'i') as mode,
            row_number() over (order by i.at) as place
          from rows from (unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])), unnest(p.proargnames),
            unnest(p.proargmodes)) with ordinality as i(type, name, mode, at)
          where coalesce(i.mode, 'i') in ('i', 'b', 'v')) a) as inputs,
      p.proargdefaults::text as defaults, pg_get_function_arguments(p.oid) as arguments, p.proowner::int8 as owner, p.proisstrict as strict,
      case when p.prokind = 'a' then ${aggregateParts} when p.prokind = 'w' then '' when p.prosqlbody is null then p.prosrc
        else pg_get_function_sqlbody(p.oid) end as body,
      pg_get_function_result(p.oid) as result, p.proretset as returns_set, p.proretset and p.prorows = 1 as one_row, p.provolatile as volatility,
      p.prosecdef as security_definer, p.proparallel as parallel, p.proleakproof as leakproof, l.lanname as language,
      coalesce(to_json(p.proconfig), '[]') as settings,
      p.prosqlbody is not null as bound, m.description as comment,
      ${functionGrants} as grants
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_language l on l.oid = p.prolang
    ${commentOf('pg_proc', 'p.oid')}
    where not ${isOfExtension('pg_catalog.pg_proc', 'p.oid')}
    order by n.nspname, p.proname, p.oid`),

  extension_routines: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select e.extname as extension, n.nspname as schema, count(*) as functions
    from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on e.oid = d.refobjid
    join pg_catalog.pg_proc p on p.oid = d.objid and p.prokind = 'f'
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${isOwnSchema('n')}
    where d.classid = 'pg_catalog.pg_proc'::regclass and d.refclassid = 'pg_catalog.pg_extension'::regclass
      and d.deptype = 'e' and p.prorettype <> 'pg_catalog.trigger'::regtype
    group by 1, 2 order by 1, 2) t`,

  representations: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select format_type(k.castsource, null) as "from", format_type(k.casttarget, null) as "to",
      format_type(case when s.typtype = 'd' then s.oid else y.oid end, null) as domain,
      k.castfunc::int8 as routine, k.castfunc::regprocedure::text as function
    from pg_catalog.pg_cast k
    join pg_catalog.pg_type s on s.oid = k.castsource
    join pg_catalog.pg_type y on y.oid = k.casttarget
    where k.castcontext = 'i' and k.castmethod = 'f'
      and ((s.typtype = 'd' and y.oid = 'json'::regtype)
        or (y.typtype = 'd' and s.oid in ('json'::regtype, 'text'::regtype)))
    order by 3, 1, 2) t`,

  used_routines: `select coalesce(json_agg(distinct d.refobjid::int8), '[]') from pg_catalog.pg_depend d
    join pg_catalog.pg_proc p on p.oid = d.refobjid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${isOwnSchema('n')}
    where d.refclassid = 'pg_catalog.pg_proc'::regclass`,
};
