import type { RightName } from '../../../contract/server-rights.ts';

/** Roles that own objects of Ninefold. ALTER … OWNER TO asks whether the new owner may create in the schema. */
const OWNERS = 'supabase_auth_admin, ninefold_server, pg_database_owner';

/** SQL that lets the owners create objects for the time of a file, or takes the right away. */
const allowOwners = (verb: 'grant' | 'revoke'): string => {
  const owners = `${verb === 'grant' ? 'to' : 'from'} ${OWNERS}`;
  return `do $own$ begin
  execute pg_catalog.format('${verb} create on database %I ${owners}', pg_catalog.current_database());
  if pg_catalog.to_regnamespace('ninefold') is not null then
    ${verb} create on schema ninefold ${owners};
  end if;
end $own$;`;
};

/** Schema files that only change or read catalogs of superusers. Without them, an app has no Vault and no database roles of its own. */
const ofCatalog = new Set(['0004_hide_other_apps', '0023_cheaper_hiding', '0025_vault', '0027_roles']);

const EVENT_TRIGGER = /^(?:create|alter) event trigger [^;]*;$/gm;
/** The block of 0003_owner between these two lines changes privileges of pg_catalog. */
const CATALOG_BLOCK = /^set local allow_system_table_mods = on;$[\s\S]*?^set local allow_system_table_mods = off;$/gm;

/** Ninefold's own objects belong to the login that owns the schema ninefold. An app's owner cannot log in as this role. */
const OWNER_OF_NINEFOLD = `(select n.nspowner from pg_catalog.pg_namespace n where n.nspname = 'ninefold')`;

/** The owner of the function gets the right to create in its schema for the moment of ALTER FUNCTION. */
const ownedByOwner = (schema: string, object: string): readonly [text: string, by: string] => {
  const text = `alter ${object} owner to pg_database_owner;`;
  return [
    text,
    `grant create on schema ${schema} to pg_database_owner; ${text} revoke create on schema ${schema} from pg_database_owner;`,
  ];
};

/** Texts of the files that need a superuser, and texts with the same meaning for the login that owns the schema. */
export const replaced: Readonly<Record<string, readonly (readonly [text: string, by: string])[]>> = {
  '0002_versions': [
    [
      'select a.rolsuper from pg_catalog.pg_authid a where a.rolname = session_user',
      `select pg_catalog.quote_ident(session_user)::pg_catalog.regrole = ${OWNER_OF_NINEFOLD}`,
    ],
  ],
  '0003_owner': [
    // The extension stays with the login, which the owner asks to change it.
    ['begin\n  update pg_catalog.pg_extension', 'begin\n  return;\n  update pg_catalog.pg_extension'],
    [
      'select m.oid, m.xmin::text from pg_catalog.pg_user_mapping m',
      `select m.umid, ''::text from pg_catalog.pg_user_mappings m`,
    ],
  ],
  '0015_http': [
    ['r.rolsuper', `r.oid = ${OWNER_OF_NINEFOLD}`],
    ownedByOwner('supabase_functions', 'function supabase_functions.http_request()'),
  ],
  '0021_trace_context': [['r.rolsuper', `r.oid = ${OWNER_OF_NINEFOLD}`]],
};

/**
 * Returns the SQL of a schema file for a login that is no superuser.
 * @param missing The rights that the login lacks.
 */
export function withoutSuperuser({ name, sql }: { name: string; sql: string }, missing: readonly RightName[]): string {
  if (ofCatalog.has(name)) return '';
  let text = sql.replace(CATALOG_BLOCK, '');
  if (missing.includes('eventTriggers')) text = text.replace(EVENT_TRIGGER, '');
  for (const [old, by] of replaced[name] ?? []) text = text.replaceAll(old, by);
  return [allowOwners('grant'), text, allowOwners('revoke')].join('\n');
}
