/** An extension of hosted Supabase projects and its handling on this node. */
interface HostedExtension {
  /** Matches PostgreSQL's error for SQL that uses the missing extension. */
  used: RegExp;
  /** A sentence that names the replacement for the extension. */
  instead: string;
}

const fromPackage = (name: string) =>
  `The operator gives the node its files (${name}) with NINEFOLD_POSTGRES_EXTENSIONS, or a PostgreSQL that has it with NINEFOLD_POSTGRES_BIN or NINEFOLD_DATABASE_URL; or take its use out of the migration.`;

const ofPostgis = fromPackage('PostGIS; on Debian the package postgresql-18-postgis-3');

/**
 * Extensions that the node provides. If the server lacks their files (`src/postgres/provided-extensions.ts`), CREATE
 * EXTENSION succeeds without any effect.
 */
export const providedExtensions: ReadonlySet<string> = new Set(['pg_cron', 'pg_net', 'supabase_vault', 'pgmq']);

/** Extensions for which CREATE EXTENSION of an app's owner is replaced by a call of `ninefold.create_extension`. */
export const createdByServer: ReadonlySet<string> = new Set([
  ...['autoinc', 'insert_username', 'moddatetime', 'earthdistance', 'pg_stat_statements'],
  ...['pgcrypto', 'uuid-ossp', 'citext', 'pg_trgm', 'vector'],
]);

/** Extensions that are refused although the server has their files, with the reason. */
export const refusedExtensions: ReadonlyMap<string, string> = new Map([
  ['postgres_fdw', 'it opens connections from the database server to hosts inside its network'],
  ['dblink', 'it opens connections from the database server to hosts inside its network'],
  ['file_fdw', 'it reads files of the server'],
  ['refint', 'its triggers build SQL without quoting; use foreign keys'],
  ['dict_xsyn', 'it reads files of the server'],
  ['xml2', 'PostgreSQL has xpath() and XMLTABLE in its place'],
  ['bloom', 'PostgreSQL does not trust it with owners; use a B-tree or GIN index'],
  ...['pg_buffercache', 'pg_prewarm', 'pg_walinspect', 'pgrowlocks', 'pgstattuple', 'sslinfo'].map(
    (name) => [name, 'it shows or changes what all apps of the server share'] as const,
  ),
]);

/** Extensions of hosted projects that are not part of PostgreSQL, by name. */
export const hostedExtensions: ReadonlyMap<string, HostedExtension> = new Map(
  Object.entries({
    vector: {
      used: /type "?(\w+\.)?(vector|halfvec|sparsevec)\b|access method "(hnsw|ivfflat)"|\bvector_(l2|ip|cosine)_ops/,
      instead: fromPackage('pgvector; on Debian the package postgresql-18-pgvector; see docs/deploying.md'),
    },
    postgis: {
      used: /type "?(\w+\.)?(geometry|geography|box2d|box3d)\b|function (\w+\.)?st_\w+\(|spatial_ref_sys/i,
      instead: fromPackage('on Debian the package postgresql-18-postgis-3'),
    },
    // The parts of PostGIS that are extensions of their own.
    postgis_raster: { used: /type "?(\w+\.)?raster\b/, instead: ofPostgis },
    postgis_topology: { used: /schema "topology"|relation "topology\./, instead: ofPostgis },
    postgis_sfcgal: { used: /function (\w+\.)?cg_\w+\(/, instead: ofPostgis },
    postgis_tiger_geocoder: { used: /schema "tiger(_data)?"|relation "tiger\./, instead: ofPostgis },
    address_standardizer: { used: /function (\w+\.)?(standardize|parse)_address\(/, instead: ofPostgis },
    address_standardizer_data_us: { used: /relation "us_(lex|gaz|rules)"/, instead: ofPostgis },
    pg_partman: {
      used: /schema "partman"|relation "partman\.|function (\w+\.)?(create_parent|run_maintenance|run_maintenance_proc)\(/,
      instead: `${fromPackage('on Debian the package postgresql-18-partman')} PostgreSQL’s own PARTITION BY works without it.`,
    },
    pgroonga_database: { used: /function (\w+\.)?pgroonga_database_\w+\(/, instead: fromPackage('PGroonga') },
    pg_graphql: {
      used: /schema "graphql"|relation "graphql\.|function graphql(_public)?\./,
      instead: 'There is no GraphQL here: use /rest/v1, which embeds related tables in one call.',
    },
    supabase_vault: {
      used: /schema "vault"|(relation|type) "?vault\.|function vault\./,
      instead:
        'An app on a database that existed before, or on a server without a superuser, has no Vault: keep secrets in a table that only service_role may read.',
    },
    pgsodium: {
      used: /schema "pgsodium"|(relation|type) "?pgsodium\.|function pgsodium\.|label provider "pgsodium"/,
      instead: 'pgcrypto encrypts values; Supabase itself no longer recommends pgsodium.',
    },
    pgjwt: {
      used: /function (extensions\.)?(sign|verify|url_encode|url_decode)\(/,
      instead: 'Sign tokens outside the database, or with hmac() of pgcrypto.',
    },
    http: {
      used: /type "?(\w+\.)?http_(request|response|header)\b|function (\w+\.)?http(_get|_post|_put|_patch|_delete|_head|_header|_set_curlopt)?\(/,
      instead: 'Use net.http_get and net.http_post, which do not hold the transaction up.',
    },
    pgmq: {
      used: /schema "pgmq"|(relation|type) "?pgmq\.|function pgmq\./,
      instead: `An app on a database that existed before has the queues of PGMQ itself. ${fromPackage('PGMQ')}`,
    },
    pg_jsonschema: {
      used: /function (\w+\.)?(jsonb?_matches_schema|jsonschema_\w+)\(/,
      instead: 'Write the rule as a CHECK on jsonb operators.',
    },
    wrappers: {
      used: /foreign-data wrapper "\w+_wrapper"|function \w+_fdw_handler/,
      instead: 'Fetch from other services with net.http_get.',
    },
    pgroonga: { used: /access method "pgroonga"|operator class "[^"]*pgroonga/, instead: fromPackage('PGroonga') },
    rum: { used: /access method "rum"/, instead: 'Use a GIN index.' },
    pg_hashids: { used: /function (\w+\.)?id_(encode|decode)(_once)?\(/, instead: fromPackage('pg_hashids') },
    pgtap: {
      used: /function (\w+\.)?(plan|finish|has_table|has_column|results_eq|throws_ok|lives_ok)\(/,
      instead: fromPackage('on Debian the package postgresql-18-pgtap'),
    },
    pgrouting: {
      used: /function (\w+\.)?pgr_\w+\(/,
      instead: fromPackage('on Debian the package postgresql-18-pgrouting'),
    },
    timescaledb: { used: /function (\w+\.)?(create_hypertable|time_bucket)\(/, instead: 'Partition the table.' },
    plv8: { used: /language "plv8"/, instead: 'Write the function in PL/pgSQL or SQL.' },
    plpgsql_check: {
      used: /function (\w+\.)?plpgsql_check_function/,
      instead: 'It checks functions and changes nothing: leave it out.',
    },
    hypopg: { used: /function (\w+\.)?hypopg_\w+\(/, instead: 'It tries indexes and changes nothing: leave it out.' },
    index_advisor: {
      used: /function (\w+\.)?index_advisor\(/,
      instead: 'It proposes indexes and changes nothing: leave it out.',
    },
    pg_repack: { used: /schema "repack"/, instead: 'It is a tool of operators: leave it out.' },
    pgaudit: {
      used: /parameter "pgaudit\.|function (\w+\.)?pgaudit_/,
      instead: 'The journal of the app notes changes of its schema.',
    },
    pg_tle: { used: /schema "pgtle"|function pgtle\./, instead: 'Put what the package creates into a migration.' },
    supabase_functions: { used: /schema "supabase_functions"/, instead: 'Call net.http_post in a trigger function.' },
  }),
);

/** Returns true if a function, named `schema.name`, belongs to an extension that the server does not have. */
export function isOfMissingExtension(name: string, available: ReadonlySet<string>): boolean {
  return [...hostedExtensions].some(
    ([extension, { used }]) => !available.has(extension) && used.test(`function ${name}(`),
  );
}

/**
 * Returns advice on an error about an extension that this server does not have, or that Ninefold does not create for an
 * app; null for other errors.
 */
export function adviceOnExtension(message: string, available: ReadonlySet<string>): string | null {
  const [, named = ''] = /^extension "(.+)" (?:is not available|does not exist)$/.exec(message) ?? [];
  for (const [name, { used, instead }] of hostedExtensions) {
    if (available.has(name) || (name !== named && !used.test(message))) continue;
    return `This needs the extension ${name}, which this PostgreSQL server does not have. ${instead}`;
  }
  const [, wrapper = named] =
    /^foreign-data wrapper "(.+)" does not exist$|^function (?:\w+\.)?(dblink)\w*\(/.exec(message)?.filter(Boolean) ??
    [];
  const reason = refusedExtensions.get(wrapper);
  return reason === undefined ? null : `The extension ${wrapper} is not created: ${reason}.`;
}
