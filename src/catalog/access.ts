import type { GrantFact } from './entities.ts';
import {
  callsFunction,
  commentOf,
  functionNamed,
  grants,
  hasQueries,
  isOwnSchema,
  list,
  locksRows,
  relationsReadBy,
  targets,
} from './fragments.ts';
import type { CatalogueQueries } from './read-catalogue.ts';

/** Who may do what, as the catalogue has it. Object identifiers are numbers. */
export interface AccessFacts {
  /** `incarnation` differs in a restored database, whose objects have other numbers. */
  database: { name: string; owner: number; version: number; incarnation: string };
  roles: RoleFact[];
  memberships: MembershipFact[];
  schemas: { oid: number; name: string; owner: number; comment: string | null; grants: GrantFact[] }[];
  policies: PolicyFact[];
  /** What the query of a view reads: relations, their fields (0 for none in particular, WHOLE_ROW), and functions that it calls. */
  view_uses: ViewUseFact[];
  sequences: { oid: number; schema: string; name: string; grants: GrantFact[] }[];
  /** Functions, of any schema, whose rights are not the default (EXECUTE for PUBLIC). */
  restricted_functions: { oid: number; name: string; grants: GrantFact[] }[];
  /** What is granted on what the database's owner makes in a schema from now on (ALTER DEFAULT PRIVILEGES). */
  default_grants: { schema: string; of: 'tables' | 'functions' | 'sequences'; grants: GrantFact[] }[];
  /** Materialized views that hold nothing yet: made or refreshed WITH NO DATA. */
  unpopulated: number[];
  /** Views whose queries lock rows (FOR UPDATE, FOR SHARE). */
  locking_views: number[];
  /** The roles that members can have. */
  member_roles: { id: number; name: string; description: string | null }[];
}

export interface ViewUseFact {
  view: number;
  relation: number;
  field: number;
  function: number;
  /** Of functions: outside what the view selects, of a view without queries within its own. */
  anyway: boolean;
  /** Each SELECT calls it, whatever it reads of the view. */
  read: boolean;
}

export interface RoleFact {
  oid: number;
  name: string;
  superuser: boolean;
  bypasses_row_security: boolean;
  can_login: boolean;
  comment: string | null;
}

export interface MembershipFact {
  role: number;
  member: number;
  /** The member has the role's privileges without SET ROLE. */
  inherit: boolean;
  /** The member may SET ROLE to it. */
  set: boolean;
}

export interface PolicyFact {
  oid: number;
  relation: number;
  name: string;
  permissive: boolean;
  /** pg_policy.polcmd. */
  command: '*' | 'r' | 'a' | 'w' | 'd';
  /** 0 is PUBLIC. */
  roles: number[];
  using: string | null;
  check: string | null;
  comment: string | null;
  /** The subqueries of `using` lock rows. */
  locks: boolean;
  /** Functions that the policy calls, by operators and casts too, PostgreSQL's own left out, and which of its conditions calls each. */
  functions: { oid: number; using: boolean; check: boolean }[];
  /** Relations that its subqueries read, with the numbers of the fields that they need (or WHOLE_ROW), and in which of its conditions. */
  reads: { relation: number; fields: number[]; clause: 'using' | 'check' }[];
}

/** PostgreSQL leaves out the other side of such a join, and what it is joined by, where a statement needs nothing of it. */
const joinsOutside = (tree: string): string => `${tree} ~ ':jointype [123] '`;

/** Of EXISTS, PostgreSQL leaves out what it selects. */
const asksWhetherExists = (tree: string): string => `position(':subLinkType 0 ' in ${tree}) > 0`;

/** PostgreSQL settles such a choice beforehand, and leaves out what is not chosen. */
const choosesByConstant = (tree: string): string =>
  `${tree} ~ '\\{(CASEWHEN :expr|COALESCE[^{}]*:args \\()\\s*\\{CONST '`;

/** Whether the query of a view calls the function `p` beside what it selects. With queries within it, the text of its tree does not tell. */
const callsOutsideTargets = (tree: string): string => `not ${hasQueries(tree)} and not ${joinsOutside(tree)}
        and (position(':distinctClause <>' in ${tree}) = 0 or ${callsFunction(`overlay(${tree} placing '' from position(' :targetList ' in ${tree}) for position(' :override ' in ${tree}) - position(' :targetList ' in ${tree}))`)})`;

/** Whether a SELECT calls the function `p` of a view's query, whatever it reads of it: PostgreSQL leaves out neither what is volatile nor sets. */
const callsWhenRead = (tree: string): string =>
  `(p.provolatile = 'v' or p.proretset) and position(':cterefcount 0 ' in ${tree}) = 0 and not ${choosesByConstant(tree)}
        and case when ${hasQueries(tree)} then not ${joinsOutside(tree)} and not ${asksWhetherExists(tree)}
          else not ${joinsOutside(tree)} or ${callsFunction(targets(tree))} end`;

export const accessQueries: CatalogueQueries<AccessFacts> = {
  database: `select json_build_object('name', d.datname, 'owner', d.datdba::int8, 'version', current_setting('server_version_num')::int,
      'incarnation', concat(d.oid, '.', 'ninefold.versions'::regclass::oid))
    from pg_catalog.pg_database d where d.datname = current_database()`,

  roles: list(`
    select r.oid::int8 as oid, r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as bypasses_row_security,
      r.rolcanlogin as can_login, shobj_description(r.oid, 'pg_authid') as comment
    from pg_catalog.pg_roles r order by r.rolname`),

  // Until PostgreSQL 15 the member's INHERIT attribute decided, and every member could SET ROLE.
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

  policies: list(`
    select p.oid::int8 as oid, p.polrelid::int8 as relation, p.polname as name, p.polpermissive as permissive, p.polcmd as command,
      p.polroles::int8[] as roles, pg_get_expr(p.polqual, p.polrelid) as using,
      pg_get_expr(p.polwithcheck, p.polrelid) as "check", m.description as comment,
      ${locksRows('p.polqual::text')} as locks, coalesce(f.functions, '[]') as functions,
      (select coalesce(json_agg(json_build_object('relation', r.relation, 'fields', to_json(r.fields), 'clause', t.clause)
          order by t.clause, r.relation, r.fields), '[]')
        from (values ('using', p.polqual::text), ('check', p.polwithcheck::text)) t (clause, tree)
        cross join lateral ${relationsReadBy('t.tree')} r) as reads
    from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    left join (
      select c.of, json_agg(json_build_object('oid', c.oid, 'using', c.using, 'check', c."check") order by c.oid) as functions from (
        select distinct d.objid as of, p.oid::int8 as oid, ${callsFunction('l.polqual::text')} as using, ${callsFunction('l.polwithcheck::text')} as "check"
        from pg_catalog.pg_depend d ${functionNamed('join')}
        join pg_catalog.pg_policy l on l.oid = d.objid
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
      ${grants(`coalesce(c.relacl, acldefault('s', c.relowner))`)} as grants
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    where c.relkind = 'S' order by n.nspname, c.relname`),

  restricted_functions: list(`
    select p.oid::int8 as oid, format('%I.%I', n.nspname, p.proname) as name, ${grants('p.proacl')} as grants
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where p.proacl is not null order by p.oid`),

  // What is set for the whole database stands in for PostgreSQL's own defaults; what is set for a schema is added.
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

  locking_views: `select coalesce(json_agg(r.ev_class::int8 order by r.ev_class), '[]') from pg_catalog.pg_rewrite r
    join pg_catalog.pg_class v on v.oid = r.ev_class and v.relkind = 'v'
    join pg_catalog.pg_namespace n on n.oid = v.relnamespace and ${isOwnSchema('n')}
    where r.ev_type = '1' and ${locksRows('r.ev_action::text')}`,

  member_roles: list('select r.id, r.name, r.description from ninefold.roles r order by r.name'),
};
