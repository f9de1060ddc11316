import type { GrantFact } from './entities.ts';
import type { CatalogQueries } from './read-catalog.ts';
import {
  callsFunction,
  commentOf,
  functionNamed,
  grants,
  hasQueries,
  isOwnSchema,
  joinsOutside,
  list,
  locksRows,
  relationGrants,
  relationsReadBy,
  targets,
} from './sql-fragments.ts';

/**
 * Roles, privileges and policies of an app's database, read from the system catalog. Object identifiers are numbers.
 */
export interface AccessFacts {
  /**
   * `incarnation` identifies the database as it was created or restored: in a restored database, the same objects have
   * other object identifiers.
   */
  database: { name: string; owner: number; version: number; incarnation: string; grants: GrantFact[] };
  roles: RoleFact[];
  memberships: MembershipFact[];
  schemas: { oid: number; name: string; owner: number; comment: string | null; grants: GrantFact[] }[];
  policies: PolicyFact[];
  /**
   * Relations, fields and functions that the queries of views use. Field 0 means that no specific field is used,
   * WHOLE_ROW that the whole row is used.
   */
  view_uses: ViewUseFact[];
  sequences: { oid: number; schema: string; name: string; grants: GrantFact[] }[];
  /** Functions of all schemas whose privileges differ from the default (EXECUTE for PUBLIC). */
  restricted_functions: { oid: number; name: string; grants: GrantFact[] }[];
  /** Privileges on future objects of the database's owner, by schema (ALTER DEFAULT PRIVILEGES). */
  default_grants: { schema: string; of: 'tables' | 'functions' | 'sequences'; grants: GrantFact[] }[];
  /** Materialized views without data: created or refreshed WITH NO DATA. */
  unpopulated: number[];
  /** Views whose queries lock rows (FOR UPDATE, FOR SHARE). */
  locking_views: number[];
  /** The roles that members can have. */
  member_roles: { id: number; name: string; description: string | null }[];
}

/** A relation, field or function that the query of a view uses. */
export interface ViewUseFact {
  view: number;
  relation: number;
  field: number;
  function: number;
  /**
   * For functions: true if the query calls the function outside its target list. For a query with subqueries, the parse
   * tree does not show this, so the value is false.
   */
  anyway: boolean;
  /** For functions: true if each SELECT from the view calls the function, whichever columns it reads. */
  read: boolean;
}

/** A role of the server (pg_roles). */
export interface RoleFact {
  oid: number;
  name: string;
  superuser: boolean;
  bypasses_row_security: boolean;
  can_login: boolean;
  comment: string | null;
}

/** A membership of one role in another (pg_auth_members). */
export interface MembershipFact {
  role: number;
  member: number;
  /** True if the member has the role's privileges without SET ROLE. */
  inherit: boolean;
  /** True if the member may switch to the role with SET ROLE. */
  set: boolean;
}

/** A row-level security policy (pg_policy). */
export interface PolicyFact {
  oid: number;
  relation: number;
  name: string;
  permissive: boolean;
  /** Value of pg_policy.polcmd. */
  command: '*' | 'r' | 'a' | 'w' | 'd';
  /** Object identifiers of the roles; 0 is PUBLIC. */
  roles: number[];
  using: string | null;
  check: string | null;
  comment: string | null;
  /** True if a subquery of `using` locks rows. */
  locks: boolean;
  /**
   * Functions that each expression of the policy calls, also through operators and casts, without PostgreSQL's own
   * functions.
   */
  functions: { oid: number; using: boolean; check: boolean }[];
  /**
   * Relations that subqueries of each expression read, with the numbers of the fields that they need (or WHOLE_ROW).
   */
  reads: { relation: number; fields: number[]; clause: 'using' | 'check' }[];
  /**
   * The expressions that contain a subquery of any kind, also one that reads no table, such as `(select auth.uid())`.
   */
  subqueries: ('using' | 'check')[];
}

/** Returns SQL that is true if a node tree has a subquery. */
const hasSubquery = (tree: string): string => `strpos(${tree}, '{SUBLINK ') > 0`;

/**
 * Returns SQL that is true if a node tree has EXISTS. PostgreSQL never evaluates the target list of the subquery in
 * EXISTS.
 */
const asksWhetherExists = (tree: string): string => `position(':subLinkType 0 ' in ${tree}) > 0`;

/**
 * Returns SQL that is true if a node tree has a CASE or COALESCE with a constant condition. PostgreSQL then removes the
 * branches that cannot be chosen while it plans the query.
 */
const choosesByConstant = (tree: string): string =>
  `${tree} ~ '\\{(CASEWHEN :expr|COALESCE[^{}]*:args \\()\\s*\\{CONST '`;

/**
 * Returns SQL that is true if a view's query calls the function `p` outside its target list. For a query with
 * subqueries, the text of its tree does not show this, so the result is false.
 */
const callsOutsideTargets = (tree: string): string => `not ${hasQueries(tree)} and not ${joinsOutside(tree)}
        and (position(':distinctClause <>' in ${tree}) = 0 or ${callsFunction(`overlay(${tree} placing '' from position(' :targetList ' in ${tree}) for position(' :override ' in ${tree}) - position(' :targetList ' in ${tree}))`)})`;

/**
 * Returns SQL that is true if each SELECT from the view calls the function `p`, whichever columns it reads: PostgreSQL
 * does not remove volatile or set-returning functions.
 */
const callsWhenRead = (tree: string): string =>
  `(p.provolatile = 'v' or p.proretset) and position(':cterefcount 0 ' in ${tree}) = 0 and not ${choosesByConstant(tree)}
        and case when ${hasQueries(tree)} then not ${joinsOutside(tree)} and not ${asksWhetherExists(tree)}
          else not ${joinsOutside(tree)} or ${callsFunction(targets(tree))} end`;

export const accessQueries: CatalogQueries<AccessFacts> = {
  database: `select json_build_object('name', d.datname, 'owner', d.datdba::int8, 'version', current_setting('server_version_num')::int,
      'incarnation', concat(d.oid, '.', 'ninefold.versions'::regclass::oid),
      'grants', ${grants(`coalesce(d.datacl, acldefault('d', d.datdba))`)})
    from pg_catalog.pg_database d where d.datname = current_database()`,

  roles: list(`
    select r.oid::int8 as oid, r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as bypasses_row_security,
      r.rolcanlogin as can_login, shobj_description(r.oid, 'pg_authid') as comment
    from pg_catalog.pg_roles r order by r.rolname`),

  // Before PostgreSQL 16, memberships have no options: the member's INHERIT attribute decided about inheritance, and
  // every member could SET ROLE.
  memberships: list(`
    select m.roleid::int8 as role, m.member::int8 as member,
      bool_or(coalesce((to_jsonb(m) ->> 'inherit_option')::bool, r.rolinherit)) as inherit,
      bool_or(coalesce((to_jsonb(m) ->> 'set_option')::bool, true)) as set
    from pg_catalog.pg_auth_members m join pg_catalog.pg_roles r on r.oid = m.member
    group by m.roleid, m.member
    union all
    select o.oid::int8, d.datdba::int8,
      case when current_setting('server_version_num')::int >= 160000 then true else r.rolinherit end, true
    from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
    join pg_catalog.pg_roles o on o.rolname = 'pg_database_owner'
    where d.datname = current_database()`),

  schemas: list(`
    select n.oid::int8 as oid, n.nspname as name, n.nspowner::int8 as owner, m.description as comment,
      ${grants(`coalesce(n.nspacl, acldefault('n', n.nspowner))`)} as grants
    from pg_catalog.pg_namespace n ${commentOf('pg_namespace', 'n.oid')} where ${isOwnSchema('n')} order by n.nspname`),

  // Most policies read no relation. For them, `strpos` saves the regular expression, which takes longer than the rest.
  // OFFSET 0 makes PostgreSQL decompress the text of each tree only once.
  policies: list(`
    select p.oid::int8 as oid, p.polrelid::int8 as relation, p.polname as name, p.polpermissive as permissive, p.polcmd as command,
      p.polroles::int8[] as roles, pg_get_expr(p.polqual, p.polrelid) as using,
      pg_get_expr(p.polwithcheck, p.polrelid) as "check", m.description as comment,
      ${locksRows('x.using')} as locks, coalesce(f.functions, '[]') as functions,
      (select coalesce(json_agg(json_build_object('relation', r.relation, 'fields', to_json(r.fields), 'clause', t.clause)
          order by t.clause, r.relation, r.fields), '[]')
        from (values ('using', x.using), ('check', x."check")) t (clause, tree)
        cross join lateral ${relationsReadBy('t.tree')} r where strpos(t.tree, ':relid ') > 0) as reads,
      array_remove(array[case when ${hasSubquery('x.using')} then 'using' end,
        case when ${hasSubquery('x.check')} then 'check' end], null) as subqueries
    from pg_catalog.pg_policy p cross join lateral (select p.polqual::text as using, p.polwithcheck::text as "check" offset 0) x
    join pg_catalog.pg_class c on c.oid = p.polrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    left join (
      select c.of, json_agg(json_build_object('oid', c.oid, 'using', c.using, 'check', c."check") order by c.oid) as functions from (
        select distinct d.objid as of, p.oid::int8 as oid, ${callsFunction('l.using')} as using, ${callsFunction('l.check')} as "check"
        from pg_catalog.pg_depend d ${functionNamed('join')}
        join (select l.oid, l.polqual::text as using, l.polwithcheck::text as "check" from pg_catalog.pg_policy l offset 0) l on l.oid = d.objid
        where d.classid = 'pg_catalog.pg_policy'::regclass) c
      group by c.of) f on f.of = p.oid
    ${commentOf('pg_policy', 'p.oid')}
    order by p.polrelid, p.polpermissive desc, p.polname`),

  view_uses: list(`
    select r.ev_class::int8 as view, u.relation, u.field, 0 as function, false as anyway, false as read
    from pg_catalog.pg_rewrite r
    join pg_catalog.pg_class v on v.oid = r.ev_class and v.relkind = 'v'
    join pg_catalog.pg_namespace n on n.oid = v.relnamespace and ${isOwnSchema('n')}
    cross join lateral (
      select distinct e.relation, f.field from ${relationsReadBy('r.ev_action::text')} e
      cross join lateral unnest(case when e.fields = '{}' then '{0}' else e.fields end) as f(field)) u
    where r.ev_type = '1' and u.relation <> r.ev_class::int8
    union
    select r.ev_class::int8, 0, 0, p.oid::int8, ${callsOutsideTargets('r.ev_action::text')}, ${callsWhenRead('r.ev_action::text')}
    from pg_catalog.pg_rewrite r
    join pg_catalog.pg_class v on v.oid = r.ev_class and v.relkind = 'v'
    join pg_catalog.pg_namespace n on n.oid = v.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid ${functionNamed('join')}
    where r.ev_type = '1' and d.deptype = 'n'
    order by 1, 2, 3, 4`),

  sequences: list(`
    select c.oid::int8 as oid, n.nspname as schema, c.relname as name,
      a.grants
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    ${relationGrants('S', grants)}
    where c.relkind = 'S' order by n.nspname, c.relname`),

  restricted_functions: list(`
    select p.oid::int8 as oid, format('%I.%I', n.nspname, p.proname) as name, ${grants('p.proacl')} as grants
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where p.proacl is not null order by p.oid`),

  // Default privileges of the whole database (`w`) replace PostgreSQL's own defaults. Default privileges of a schema
  // (`s`) are added to them.
  default_grants: list(`
    select n.nspname as schema, k.name as of,
      ${grants(`coalesce(w.defaclacl, acldefault(k.kind, d.datdba)) || coalesce(s.defaclacl, '{}')`)} as grants
    from pg_catalog.pg_database d
    join pg_catalog.pg_namespace n on ${isOwnSchema('n')}
    cross join (values ('f'::"char", 'f'::"char", 'functions'), ('r', 'r', 'tables'), ('s', 'S', 'sequences')) k (kind, stored, name)
    left join pg_catalog.pg_default_acl w
      on w.defaclrole = d.datdba and w.defaclnamespace = 0 and w.defaclobjtype = k.stored
    left join pg_catalog.pg_default_acl s
      on s.defaclrole = d.datdba and s.defaclnamespace = n.oid and s.defaclobjtype = k.stored
    where d.datname = current_database() order by n.nspname, k.name desc`),

  unpopulated: `select coalesce(json_agg(c.oid::int8 order by c.oid), '[]') from pg_catalog.pg_class c
    where c.relkind = 'm' and not c.relispopulated`,

  // MATERIALIZED makes PostgreSQL read only the queries of the app's views. Reading the queries of PostgreSQL's own
  // views would take most of the time of all catalog queries together.
  locking_views: `with own as materialized (
      select r.ev_class, r.ev_action from pg_catalog.pg_rewrite r
      join pg_catalog.pg_class v on v.oid = r.ev_class and v.relkind = 'v'
      join pg_catalog.pg_namespace n on n.oid = v.relnamespace and ${isOwnSchema('n')}
      where r.ev_type = '1')
    select coalesce(json_agg(o.ev_class::int8 order by o.ev_class), '[]') from own o where ${locksRows('o.ev_action::text')}`,

  member_roles: list('select r.id, r.name, r.description from ninefold.roles r order by r.name'),
};
