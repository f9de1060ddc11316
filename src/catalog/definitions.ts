import { isOfExtension } from './entities.ts';
import type { CatalogQueries } from './read-catalog.ts';
import { FIRST_NORMAL_OID, isOwnSchema, list } from './sql-fragments.ts';

/** Objects that functions, expressions and statements use and that no other chapter describes. */
export interface DefinitionFacts {
  /** Objects of extensions are left out, because the version of the extension identifies them. */
  definitions: DefinitionFact[];
}

/** The definition of one object. */
export interface DefinitionFact {
  kind: string;
  /** Schema of the object; null for an object without a schema. */
  schema: string | null;
  /** Name of the object, unique among objects of the same kind. */
  name: string;
  /** The parts of the definition that affect results of statements, in the form that PostgreSQL prints. */
  sql: string;
}

/** Returns SQL that is true for objects that belong neither to PostgreSQL itself nor to an extension. */
const isOwn = (catalog: string, oid: string): string =>
  `${oid} >= ${FIRST_NORMAL_OID} and not ${isOfExtension(`pg_catalog.${catalog}`, oid)}`;

const ownSchema = (oid: string): string => `join pg_catalog.pg_namespace n on n.oid = ${oid} and ${isOwnSchema('n')}`;

/**
 * The roles, and the owner of the database under the name that is the same in every app. All parts of the query share
 * them: pg_roles and pg_database are views, and planning these views for each part took most of the query's time.
 */
const roles = `roles as materialized (
    select r.oid, case when r.oid = d.datdba then 'pg_database_owner' else r.rolname end as name, r.oid = d.datdba as is_owner
    from pg_catalog.pg_roles r join pg_catalog.pg_database d on d.datname = current_database())`;

/** Returns SQL with the privileges of an access control list as text. */
const grantWords = (acl: string): string => `(select string_agg(g.who || ': ' || g.may, '; ' order by g.who) from (
    select case when x.grantee = 0 then 'public' else r.name end as who,
      string_agg(lower(x.privilege_type), ', ' order by x.privilege_type) as may
    from aclexplode(${acl}) x left join roles r on r.oid = x.grantee group by 1) g)`;

/**
 * Returns SQL with the options of a foreign object. An option may contain a secret, so only values that name a location
 * are shown. In place of hidden values, the SQL shows the transaction that last wrote the object. It changes whenever a
 * value changes, and does not reveal the values.
 */
const optionWords = (options: string, row: string): string => `(select format('options (%s)', string_agg(
      case when o.option_name in ('host', 'hostaddr', 'port', 'dbname', 'schema_name', 'table_name', 'column_name', 'format', 'filename', 'updatable')
        then format('%I %L', o.option_name, o.option_value) else format('%I (hidden)', o.option_name) end, ', ' order by o.option_name))
      || case when bool_or(o.option_name not in ('host', 'hostaddr', 'port', 'dbname', 'schema_name', 'table_name', 'column_name', 'format', 'filename', 'updatable'))
        then ', written by transaction ' || ${row}.xmin::text else '' end
    from pg_options_to_table(${options}) o)`;

const collation = (own: string, usual: string): string =>
  `case when ${own} not in (0, ${usual}) then 'collate ' || ${own}::regcollation::text end`;

/** Returns SQL with the comment on an object in the form of the last part of its definition. */
const commentWords = (oid: string, catalog: string): string =>
  `coalesce(' described as ' || quote_literal(obj_description(${oid}, '${catalog}')), '')`;

const typeKinds = `case y.typtype when 'd' then 'domain' when 'e' then 'enum' when 'c' then 'composite type' when 'r' then 'range type' else 'base type' end`;

const types = `
  select ${typeKinds} as kind, n.nspname as schema, format_type(y.oid, null) as name,
    case y.typtype
      when 'd' then concat_ws(' ', format_type(y.typbasetype, y.typtypmod), ${collation('y.typcollation', 'b.typcollation')},
        'default ' || pg_get_expr(y.typdefaultbin, 0), case when y.typnotnull then 'not null' end,
        (select string_agg(format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) || ${commentWords('k.oid', 'pg_constraint')}, ' ' order by k.conname)
          from pg_catalog.pg_constraint k where k.contypid = y.oid and k.contype = 'c'))
      when 'e' then (select format('enum (%s)', string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder))
        from pg_catalog.pg_enum e where e.enumtypid = y.oid)
      when 'c' then (select format('(%s)', string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
            ${collation('a.attcollation', 'at.typcollation')}), ', ' order by a.attnum))
        from pg_catalog.pg_attribute a join pg_catalog.pg_type at on at.oid = a.atttypid
        where a.attrelid = y.typrelid and a.attnum > 0 and not a.attisdropped)
      when 'r' then (select concat_ws(' ', 'range of ' || format_type(g.rngsubtype, null), 'operator class ' || oc.opcname,
            ${collation('g.rngcollation', '0')}, 'canonical ' || nullif(g.rngcanonical, 0)::regproc::text,
            'subtype_diff ' || nullif(g.rngsubdiff, 0)::regproc::text)
        from pg_catalog.pg_range g left join pg_catalog.pg_opclass oc on oc.oid = g.rngsubopc where g.rngtypid = y.oid)
      else concat_ws(' ', 'input ' || y.typinput::regproc::text, 'output ' || y.typoutput::regproc::text)
    end || case when ${grantWords('y.typacl')} is distinct from ${grantWords("acldefault('T', y.typowner)")} and y.typacl is not null
      then '; ' || coalesce(${grantWords('y.typacl')}, 'granted to nobody') else '' end || ${commentWords('y.oid', 'pg_type')} as sql
  from pg_catalog.pg_type y ${ownSchema('y.typnamespace')}
  left join pg_catalog.pg_type b on b.oid = y.typbasetype
  left join pg_catalog.pg_class c on c.oid = y.typrelid
  where (y.typtype in ('d', 'e', 'r') or y.typtype = 'c' and c.relkind = 'c' or y.typtype = 'b' and y.typcategory <> 'A')
    and ${isOwn('pg_type', 'y.oid')}`;

const sequences = `
  select 'sequence', n.nspname, c.oid::regclass::text, concat_ws(' ', format_type(q.seqtypid, null), 'start ' || q.seqstart,
      'increment ' || q.seqincrement, 'from ' || q.seqmin, 'to ' || q.seqmax, 'cache ' || q.seqcache, case when q.seqcycle then 'cycle' end)
    || coalesce('; ' || ${grantWords(`coalesce(c.relacl, acldefault('s', c.relowner))`)}, '')
  from pg_catalog.pg_sequence q join pg_catalog.pg_class c on c.oid = q.seqrelid ${ownSchema('c.relnamespace')}
  where ${isOwn('pg_class', 'c.oid')} and not exists (select from pg_catalog.pg_depend u where u.classid = 'pg_catalog.pg_class'::regclass
    and u.objid = c.oid and u.refclassid = 'pg_catalog.pg_class'::regclass and u.deptype in ('a', 'i'))`;

const operators = `
  select 'operator', n.nspname, o.oid::regoperator::text, concat_ws(' ', 'function ' || nullif(o.oprcode, 0)::regprocedure::text,
    'commutator ' || nullif(o.oprcom, 0)::regoperator::text, 'negator ' || nullif(o.oprnegate, 0)::regoperator::text,
    'restrict ' || nullif(o.oprrest, 0)::regproc::text, 'join ' || nullif(o.oprjoin, 0)::regproc::text,
    case when o.oprcanhash then 'hashes' end, case when o.oprcanmerge then 'merges' end)
  from pg_catalog.pg_operator o ${ownSchema('o.oprnamespace')} where ${isOwn('pg_operator', 'o.oid')}
  union all
  select 'operator class', n.nspname, format('%I.%I using %I', n.nspname, x.opcname, m.amname), concat_ws(' ',
    case when x.opcdefault then 'default' end, 'for ' || format_type(x.opcintype, null), 'family ' || quote_ident(f.opfname),
    'storage ' || format_type(nullif(x.opckeytype, 0), null))
  from pg_catalog.pg_opclass x ${ownSchema('x.opcnamespace')}
  join pg_catalog.pg_am m on m.oid = x.opcmethod join pg_catalog.pg_opfamily f on f.oid = x.opcfamily where ${isOwn('pg_opclass', 'x.oid')}
  union all
  select 'operator family', n.nspname, format('%I.%I using %I', n.nspname, f.opfname, m.amname), concat_ws(', ',
    (select string_agg(format('operator %s %s', o.amopstrategy, o.amopopr::regoperator), ', ' order by o.amopstrategy, o.amopopr::regoperator::text)
      from pg_catalog.pg_amop o where o.amopfamily = f.oid),
    (select string_agg(format('function %s %s', o.amprocnum, o.amproc::regprocedure), ', ' order by o.amprocnum, o.amproc::regprocedure::text)
      from pg_catalog.pg_amproc o where o.amprocfamily = f.oid))
  from pg_catalog.pg_opfamily f ${ownSchema('f.opfnamespace')} join pg_catalog.pg_am m on m.oid = f.opfmethod where ${isOwn('pg_opfamily', 'f.oid')}`;

const conversions = `
  select 'cast', null, format('%s as %s', format_type(k.castsource, null), format_type(k.casttarget, null)), concat_ws(' ',
    case k.castmethod when 'f' then 'with function ' || k.castfunc::regprocedure::text when 'i' then 'with inout' else 'without function' end,
    case k.castcontext when 'i' then 'as implicit' when 'a' then 'as assignment' end)
  from pg_catalog.pg_cast k where ${isOwn('pg_cast', 'k.oid')}
  union all
  select 'conversion', n.nspname, format('%I.%I', n.nspname, v.conname), format('%s from %s to %s%s', v.conproc::regproc,
    pg_encoding_to_char(v.conforencoding), pg_encoding_to_char(v.contoencoding), case when v.condefault then ', default' else '' end)
  from pg_catalog.pg_conversion v ${ownSchema('v.connamespace')} where ${isOwn('pg_conversion', 'v.oid')}
  union all
  select 'collation', n.nspname, format('%I.%I', n.nspname, l.collname), concat_ws(' ', 'provider ' || l.collprovider::text,
    'locale ' || coalesce(to_jsonb(l) ->> 'colllocale', to_jsonb(l) ->> 'colliculocale', l.collcollate), 'ctype ' || l.collctype,
    case when not l.collisdeterministic then 'not deterministic' end, 'rules ' || quote_literal(to_jsonb(l) ->> 'collicurules'))
  from pg_catalog.pg_collation l ${ownSchema('l.collnamespace')} where ${isOwn('pg_collation', 'l.oid')}`;

const textSearch = `
  select 'text search configuration', n.nspname, t.oid::regconfig::text, concat_ws('; ', format('parser %I', p.prsname),
    (select string_agg(format('%s: %s', m.alias, m.dictionaries), '; ' order by m.alias) from (
      select k.alias, string_agg(w.mapdict::regdictionary::text, ', ' order by w.mapseqno) as dictionaries
      from pg_catalog.pg_ts_config_map w join ts_token_type(t.cfgparser) k on k.tokid = w.maptokentype
      where w.mapcfg = t.oid group by k.alias) m))
  from pg_catalog.pg_ts_config t ${ownSchema('t.cfgnamespace')} join pg_catalog.pg_ts_parser p on p.oid = t.cfgparser
  where ${isOwn('pg_ts_config', 't.oid')}
  union all
  select 'text search dictionary', n.nspname, t.oid::regdictionary::text, concat_ws(' ', 'template ' || quote_ident(p.tmplname), t.dictinitoption)
  from pg_catalog.pg_ts_dict t ${ownSchema('t.dictnamespace')} join pg_catalog.pg_ts_template p on p.oid = t.dicttemplate
  where ${isOwn('pg_ts_dict', 't.oid')}`;

/** Ninefold's own event triggers are the same in every app, so they are included only if they are disabled. */
const eventTriggers = `
  select 'event trigger', null, quote_ident(e.evtname), concat_ws(' ', 'on ' || e.evtevent, 'when tag in (' || array_to_string(e.evttags, ', ') || ')',
    'execute ' || e.evtfoid::regprocedure::text,
    case e.evtenabled when 'D' then ', switched off' when 'R' then ', in replicas only' when 'A' then ', in replicas too' end)
  from pg_catalog.pg_event_trigger e join pg_catalog.pg_proc p on p.oid = e.evtfoid
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where ${isOwn('pg_event_trigger', 'e.oid')} and (n.nspname <> 'ninefold' or e.evtenabled = 'D')`;

/**
 * Chapter 6 describes default privileges of the owner for tables, functions and sequences; this query reads all other
 * default privileges.
 */
const defaultPrivileges = `
  select 'default privileges', n.nspname, format('%s%s, made by %s',
      case a.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' when 'n' then 'schemas'
        else 'large objects' end,
      ' in ' || quote_ident(n.nspname), quote_ident(r.name)),
    coalesce(${grantWords('a.defaclacl')}, 'none')
  from pg_catalog.pg_default_acl a join roles r on r.oid = a.defaclrole
  left join pg_catalog.pg_namespace n on n.oid = a.defaclnamespace
  where not r.is_owner or a.defaclobjtype not in ('r', 'S', 'f')`;

const foreign = `
  select 'foreign data wrapper', null, quote_ident(w.fdwname), concat_ws(' ', 'handler ' || nullif(w.fdwhandler, 0)::regproc::text,
    'validator ' || nullif(w.fdwvalidator, 0)::regproc::text, ${optionWords('w.fdwoptions', 'w')})
  from pg_catalog.pg_foreign_data_wrapper w where ${isOwn('pg_foreign_data_wrapper', 'w.oid')}
  union all
  select 'foreign server', null, quote_ident(s.srvname), concat_ws(' ', 'type ' || quote_literal(s.srvtype),
    'version ' || quote_literal(s.srvversion), 'foreign data wrapper ' || quote_ident(w.fdwname), ${optionWords('s.srvoptions', 's')},
    'usage: ' || ${grantWords(`coalesce(s.srvacl, acldefault('S', s.srvowner))`)})
  from pg_catalog.pg_foreign_server s join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw where ${isOwn('pg_foreign_server', 's.oid')}
  union all
  select 'user mapping', null, format('%s on %I', coalesce(quote_ident(r.name), quote_ident(m.usename)), m.srvname),
    'the name and the password are hidden, written by transaction ' || w.transaction
  from pg_catalog.pg_user_mappings m left join roles r on r.oid = m.umuser and r.is_owner
  join ninefold.user_mapping_writes() w on w.mapping = m.umid
  union all
  select 'foreign table', n.nspname, c.oid::regclass::text, concat_ws('; ', format('server %I', s.srvname), ${optionWords('f.ftoptions', 'f')},
    (select string_agg(format('%I %s', a.attname, ${optionWords('a.attfdwoptions', 'a')}), ', ' order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and a.attfdwoptions is not null))
  from pg_catalog.pg_foreign_table f join pg_catalog.pg_class c on c.oid = f.ftrelid ${ownSchema('c.relnamespace')}
  join pg_catalog.pg_foreign_server s on s.oid = f.ftserver where ${isOwn('pg_class', 'c.oid')}`;

/** Every app has this publication. It is left out while it publishes nothing. */
const publications = `
  select 'publication', null, quote_ident(b.pubname), concat_ws('; ', case when b.puballtables then 'all tables' end,
    'schemas ' || (select string_agg(quote_ident(n.nspname), ', ' order by n.nspname) from pg_catalog.pg_publication_namespace s
      join pg_catalog.pg_namespace n on n.oid = s.pnnspid where s.pnpubid = b.oid),
    'tables ' || (select string_agg(concat_ws(' ', l.prrelid::regclass::text, '(' || (
          select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
          where a.attrelid = l.prrelid and a.attnum = any (l.prattrs::int2[])) || ')', 'where ' || pg_get_expr(l.prqual, l.prrelid)),
        ', ' order by l.prrelid::regclass::text)
      from pg_catalog.pg_publication_rel l where l.prpubid = b.oid),
    'publishes ' || nullif(concat_ws(', ', case when b.pubinsert then 'insert' end, case when b.pubupdate then 'update' end,
      case when b.pubdelete then 'delete' end, case when b.pubtruncate then 'truncate' end), ''),
    case when b.pubviaroot then 'partitions as their table' end,
    'generated columns ' || nullif(coalesce(to_jsonb(b) ->> 'pubgencols', 'n'), 'n'))
  from pg_catalog.pg_publication b
  where ${isOwn('pg_publication', 'b.oid')} and (b.pubname <> 'supabase_realtime' or b.puballtables
    or exists (select from pg_catalog.pg_publication_rel l where l.prpubid = b.oid)
    or exists (select from pg_catalog.pg_publication_namespace s where s.pnpubid = b.oid))`;

/** Extended statistics affect how fast a request is. They are included, because a slow request is cancelled. */
const statistics = `
  select 'extended statistics', n.nspname, format('%I.%I', n.nspname, s.stxname), concat_ws(' ',
    regexp_replace(pg_get_statisticsobjdef(s.oid), '^CREATE STATISTICS \\S+ ', ''),
    'target ' || nullif(coalesce(s.stxstattarget, -1), -1))
  from pg_catalog.pg_statistic_ext s ${ownSchema('s.stxnamespace')} where ${isOwn('pg_statistic_ext', 's.oid')}`;

/**
 * An extension that every app gets from the template has the same definition in every app until its version changes.
 */
const extensions = `
  select 'extension', null, quote_ident(e.extname), format('version %s in %I', e.extversion, n.nspname)
  from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.oid >= ${FIRST_NORMAL_OID}
  union all
  select 'language', null, quote_ident(l.lanname), concat_ws(' ', case when l.lanpltrusted then 'trusted' end,
    'handler ' || nullif(l.lanplcallfoid, 0)::regproc::text)
  from pg_catalog.pg_language l where ${isOwn('pg_language', 'l.oid')}`;

/** Query of DefinitionFacts. */
export const definitionQueries: CatalogQueries<DefinitionFacts> = {
  definitions: list(`with ${roles} select * from (
    ${[types, sequences, operators, conversions, textSearch, eventTriggers, defaultPrivileges, foreign, publications, statistics, extensions].join('\nunion all\n')}
    ) a order by kind, name`),
};
