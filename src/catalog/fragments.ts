/** Parts that the catalogue's queries share. */

/**
 * A join that gives the comment of an object, of its part where `part` numbers one, as `description` of `alias`. PostgreSQL's own functions for this
 * are queries of their own for every row: for thousands of rows they take longer than all the rest.
 */
export const commentOf = (catalogue: string, oid: string, part = '0', alias = 'm'): string =>
  `left join pg_catalog.pg_description ${alias}
    on ${alias}.classoid = 'pg_catalog.${catalogue}'::regclass and ${alias}.objoid = ${oid} and ${alias}.objsubid = ${part}`;

/** Whether the constraint `k` is a key over periods: pg_constraint.conperiod, a column of PostgreSQL 18. */
export const ofPeriod = `coalesce((to_jsonb(k) ->> 'conperiod')::bool, false)`;

/** The first number that PostgreSQL gives to an object of its users (FirstNormalObjectId of access/transam.h). */
export const FIRST_NORMAL_OID = 16384;

/** True of the schemas that belong to the app: neither PostgreSQL's own nor temporary ones. */
export const isOwnSchema = (alias: string): string =>
  `${alias}.nspname !~ '^pg_' and ${alias}.nspname <> 'information_schema'`;

/**
 * The function `p` that an entry `d` of pg_depend names, to be joined or left joined: an expression depends on the operators in it, and
 * PostgreSQL asks for the right to execute their functions too.
 */
export const functionNamed = (join: 'join' | 'left join'): string => `
    left join pg_catalog.pg_operator o on d.refclassid = 'pg_catalog.pg_operator'::regclass and o.oid = d.refobjid
    ${join} pg_catalog.pg_proc p on d.refclassid in ('pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_operator'::regclass)
      and p.oid = coalesce(o.oprcode::oid, d.refobjid)`;

/**
 * Joins to what depends on a function whose rights are not the default (EXECUTE for PUBLIC), in a row `p` of it; `of` is the class of the one
 * and `id` its row.
 */
export const callingRestricted = (of: string, id: string): string => `
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.${of}'::regclass and d.objid = ${id} and d.deptype = 'n'
    ${functionNamed('join')} and p.proacl is not null`;

/** Whether an expression, the text of its parse tree, calls the function `p`: by its name, by an operator, as a cast or as an aggregate. */
export const callsFunction = (tree: string): string => `coalesce(strpos(${tree}, 'id ' || p.oid || ' ') > 0, false)`;

/** The field that stands for a whole row, or for a system column: reading it takes the right to read every field. */
export const WHOLE_ROW = -1;

/**
 * The relations that an expression or a query reads, as rows `relation` (its OID) and `fields` (their numbers, an empty array where it needs
 * none in particular), of the text of its parse tree. PostgreSQL itself checks privileges by these entries (parsenodes.h: RTEPermissionInfo,
 * before 16 RangeTblEntry). `selectedCols` counts from -7, FirstLowInvalidHeapAttributeNumber.
 */
export const relationsReadBy = (tree: string): string => `(
    select e.of[1]::int8 as relation, array(select distinct case when b.bit::int > 7 then b.bit::int - 7 else ${WHOLE_ROW} end
        from string_to_table(trim(e.of[2]), ' ') as b(bit) where b.bit <> '' order by 1) as fields
    from regexp_matches(${tree}, ':relid (\\d+) [^{}]*:requiredPerms [1-9]\\d* :checkAsUser \\d+ :selectedCols \\(b([ 0-9]*)\\)', 'g') as e(of))`;

/** A query's rows as one JSON array of objects. */
export const list = (query: string): string => `select coalesce(json_agg(row_to_json(t)), '[]') from (${query}) t`;

/** The relations of the app's schemas, with the schema as `n`. */
export const relationsOf = (alias: string): string =>
  `pg_catalog.pg_class ${alias} join pg_catalog.pg_namespace n on n.oid = ${alias}.relnamespace
    and ${isOwnSchema('n')} and ${alias}.relkind in ('r', 'p', 'v', 'm', 'f')`;

/** The entries of an access control list as JSON: [grantee, privilege]; grantee 0 is PUBLIC. */
export const grants = (acl: string): string =>
  `(select coalesce(json_agg(json_build_array(g.grantee::int8, g.privilege_type) order by g.grantee, g.privilege_type), '[]')
    from aclexplode(${acl}) g)`;

/** Who may call the function `p`. */
export const functionGrants = grants(`coalesce(p.proacl, acldefault('f', p.proowner))`);

/** What the function `p` in the language `l` does, where that is SQL or PL/pgSQL; else empty. */
export const codeText = `case when l.lanname in ('sql', 'plpgsql') then coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) else '' end`;

/** Whether the tree of a view's query holds queries within it. */
export const hasQueries = (tree: string): string => `position('{QUERY' in substr(${tree}, 4)) > 0`;

/** Whether a query locks rows, FOR UPDATE or FOR SHARE: of its tree, the queries within it included. */
export const locksRows = (tree: string): string => `coalesce(${tree} ~ ':rowMarks \\(', false)`;

/** What a view's query selects, of its tree. */
export const targets = (tree: string): string =>
  `substring(${tree} from position(' :targetList ' in ${tree}) for position(' :override ' in ${tree}) - position(' :targetList ' in ${tree}))`;
