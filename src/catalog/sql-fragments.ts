/** The lowest object identifier of an object that users create (FirstNormalObjectId in access/transam.h). */
export const FIRST_NORMAL_OID = 16384;

/** SQL fragments that several catalog queries use. */

/**
 * Returns a join that adds the comment of an object as `description` of `alias`. PostgreSQL's functions obj_description
 * and col_description run a query per row, which takes longer than the rest of the query for thousands of rows.
 * @param part SQL expression of the column number; 0 for the object itself.
 */
export const commentOf = (catalog: string, oid: string, part = '0', alias = 'm'): string =>
  `left join pg_catalog.pg_description ${alias}
    on ${alias}.classoid = 'pg_catalog.${catalog}'::regclass and ${alias}.objoid = ${oid} and ${alias}.objsubid = ${part}`;

/**
 * SQL that is true if constraint `k` is a key over periods. Only PostgreSQL 18 and later have the column
 * pg_constraint.conperiod.
 */
export const ofPeriod = `coalesce((to_jsonb(k) ->> 'conperiod')::bool, false)`;

/** Returns SQL that is true for schemas of the app: neither PostgreSQL's own nor temporary ones. */
export const isOwnSchema = (alias: string): string =>
  `${alias}.nspname !~ '^pg_' and ${alias}.nspname <> 'information_schema'`;

/**
 * Returns a join with the function `p` that an entry `d` of pg_depend references directly or through an operator. An
 * expression depends on its operators, and PostgreSQL checks EXECUTE on their functions too.
 */
export const functionNamed = (join: 'join' | 'left join'): string => `
    left join pg_catalog.pg_operator o on d.refclassid = 'pg_catalog.pg_operator'::regclass and o.oid = d.refobjid
    ${join} pg_catalog.pg_proc p on d.refclassid in ('pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_operator'::regclass)
      and p.oid = coalesce(o.oprcode::oid, d.refobjid)`;

/**
 * Returns joins with each function `p` that an object depends on and whose privileges differ from the default (EXECUTE
 * for PUBLIC).
 * @param of Catalog of the object.
 * @param id SQL expression of its oid.
 */
export const callingRestricted = (of: string, id: string): string => `
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.${of}'::regclass and d.objid = ${id} and d.deptype = 'n'
    ${functionNamed('join')} and p.proacl is not null`;

/**
 * Returns SQL that is true if an expression, given as the text of its parse tree, calls the function `p`: by name, by
 * an operator, as a cast or as an aggregate.
 */
export const callsFunction = (tree: string): string => `coalesce(strpos(${tree}, 'id ' || p.oid || ' ') > 0, false)`;

/**
 * Number of a field that stands for the whole row or for a system column. Reading it requires the privilege to read
 * every field.
 */
export const WHOLE_ROW = -1;

/**
 * Returns SQL with the relations that an expression or query reads, from the text of its parse tree: rows of `relation`
 * (OID) and `fields` (numbers; empty if no specific field is needed). PostgreSQL checks privileges by these entries
 * (parsenodes.h: RTEPermissionInfo, before 16 RangeTblEntry). `selectedCols` is offset by -7,
 * FirstLowInvalidHeapAttributeNumber.
 */
export const relationsReadBy = (tree: string): string => `(
    select e.of[1]::int8 as relation, array(select distinct case when b.bit::int > 7 then b.bit::int - 7 else ${WHOLE_ROW} end
        from string_to_table(trim(e.of[2]), ' ') as b(bit) where b.bit <> '' order by 1) as fields
    from regexp_matches(${tree}, ':relid (\\d+) [^{}]*:requiredPerms [1-9]\\d* :checkAsUser \\d+ :selectedCols \\(b([ 0-9]*)\\)', 'g') as e(of))`;

/**
 * Returns SQL with the rows of a query as one JSON array of objects. Carriage returns mark the rows; PostgreSQL never
 * prints them within a JSON value, so that `parseRows` can compare rows without parsing them.
 */
export const list = (query: string): string =>
  `select E'[\\r' || coalesce(string_agg(row_to_json(t)::text, E',\\r'), '') || ']' from (${query}) t`;

/** Returns SQL with the relations of the app's schemas; the schema has the alias `n`. */
export const relationsOf = (alias: string): string =>
  `pg_catalog.pg_class ${alias} join pg_catalog.pg_namespace n on n.oid = ${alias}.relnamespace
    and ${isOwnSchema('n')} and ${alias}.relkind in ('r', 'p', 'v', 'm', 'f')`;

/** Returns SQL with the entries of an access control list as JSON: [grantee, privilege]; grantee 0 is PUBLIC. */
export const grants = (acl: string): string =>
  `(select coalesce(json_agg(json_build_array(g.grantee::int8, g.privilege_type) order by g.grantee, g.privilege_type), '[]')
    from aclexplode(${acl}) g)`;

/**
 * Returns a join that adds the grants on the relation `c` as `grants` of `a`. Most relations of an app have the same
 * access control list, so the join converts each list only once.
 * @param kinds The values of pg_class.relkind, as characters of one string.
 * @param convert Returns SQL with the entries of a list.
 */
export const relationGrants = (kinds: string, convert: (acl: string) => string): string => {
  const acl = `coalesce(c.relacl, acldefault(case when c.relkind = 'S' then 's'::"char" else 'r' end, c.relowner))`;
  return `join (select l.acl, ${convert('l.acl')} as grants
      from (select distinct ${acl} as acl from pg_catalog.pg_class c where strpos('${kinds}', c.relkind::text) > 0) l offset 0) a on a.acl = ${acl}`;
};

/** SQL with the grants on the function `p`. */
export const functionGrants = grants(`coalesce(p.proacl, acldefault('f', p.proowner))`);

/** SQL with the body of the function `p` in language `l` if that is SQL or PL/pgSQL; otherwise empty. */
export const codeText = `case when l.lanname in ('sql', 'plpgsql') then coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) else '' end`;

/** Returns SQL that is true if the tree of a view's query has subqueries. */
export const hasQueries = (tree: string): string => `position('{QUERY' in substr(${tree}, 4)) > 0`;

/**
 * Returns SQL that is true if a node tree has an outer join. PostgreSQL may remove the nullable side of such a join,
 * with its condition, if a statement needs none of its columns.
 */
export const joinsOutside = (tree: string): string => `${tree} ~ ':jointype [123] '`;

/** Returns SQL that is true if the tree of a query locks rows (FOR UPDATE, FOR SHARE), also in its subqueries. */
export const locksRows = (tree: string): string => `coalesce(strpos(${tree}, ':rowMarks (') > 0, false)`;

/** Returns SQL with the target list in the tree of a view's query. */
export const targets = (tree: string): string =>
  `substring(${tree} from position(' :targetList ' in ${tree}) for position(' :override ' in ${tree}) - position(' :targetList ' in ${tree}))`;

/**
 * Returns SQL that is false for the triggers of realtime on the app's tables (0020_changes.sql). They change no row, so the specification
 * does not describe them.
 * @param trigger Alias of pg_trigger.
 */
export const isNoChangeTrigger = (trigger: string): string =>
  `not exists (select from pg_catalog.pg_proc cp where cp.oid = ${trigger}.tgfoid and cp.pronamespace = 'ninefold'::pg_catalog.regnamespace
    and cp.proname in ('note_row_change', 'note_truncated', 'note_touched'))`;
