import { createHash } from 'node:crypto';
import type { FunctionSecret, FunctionSources, FunctionVersion } from '../../../contract/functions.ts';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { affectedRows, firstJson, type Param } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AppRecord } from '../registry/app-record.ts';
import { seal, unseal } from '../registry/seal.ts';
import { runAsServerRole } from '../run-as-server-role.ts';

/** Digits of a hash that identify the functions of an app. */
const IDENTITY_DIGITS = 20;

const read = async <T>(database: Executor, text: string, params: readonly Param[] = []): Promise<T | null> => {
  const [result] = await runAsServerRole(database, [{ text, params }]);
  return result ? firstJson<T>(result) : null;
};

/** Makes deployments of one app run one after the other. */
const LOCK = { text: 'lock table ninefold.functions in share row exclusive mode', params: [] };

/** The size of the active versions of all functions but the one in the first parameter. A worker and a process load them together. */
const BYTES_OF_OTHERS = `(select coalesce(pg_catalog.sum(pg_catalog.octet_length(o_v.bundle)), 0) from ninefold.functions o
  join ninefold.function_versions o_v on o_v.id = o.active_version where o.name <> $1)`;

/** A function with its active version, as a worker runs it. */
export interface ActiveFunction {
  readonly name: string;
  readonly verifiesJwt: boolean;
  /** Id of the version in the app's database. */
  readonly version: number;
  /** SHA-256 of the bundle. */
  readonly sha256: string;
}

/** The functions of an app that run, with the sealed secrets. */
export interface ActiveFunctions {
  readonly byName: ReadonlyMap<string, ActiveFunction>;
  /** Sealed values by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Identifies the functions, their secrets and the keys of the app: another value means that another process must run. */
  readonly identity: string;
}

/** Returns the active functions of an app. */
export async function readActiveFunctions(
  database: Executor,
  { name: _, host: __, ...keys }: AppRecord,
): Promise<ActiveFunctions> {
  const found = await read<{ functions: ActiveFunction[]; secrets: Record<string, string> }>(
    database,
    `select pg_catalog.json_build_object(
      'functions', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', f.name, 'verifiesJwt', f.verifies_jwt,
        'version', v.id, 'sha256', v.sha256) order by f.name), '[]')
        from ninefold.functions f join ninefold.function_versions v on v.id = f.active_version),
      'secrets', (select coalesce(pg_catalog.json_object_agg(name, sealed order by name), '{}') from ninefold.function_secrets))`,
  );
  const functions = found?.functions ?? [];
  const secrets = found?.secrets ?? {};
  // verify_jwt is not part of the identity, because the worker checks it and not the process.
  const running = functions.map(({ name, version }) => [name, version]);
  return {
    byName: new Map(functions.map((each) => [each.name, each])),
    secrets,
    identity: createHash('sha256')
      .update(JSON.stringify([running, secrets, keys]))
      .digest('hex')
      .slice(0, IDENTITY_DIGITS),
  };
}

/** Returns the bundle of a version; null if the version was deleted. */
export const readBundle = (database: Executor, version: number): Promise<string | null> =>
  read<string>(database, 'select pg_catalog.to_json(bundle) from ninefold.function_versions where id = $1::bigint', [
    String(version),
  ]);

/** A bundled version that is to be stored. */
export interface NewVersion {
  readonly name: string;
  readonly verifiesJwt: boolean;
  readonly entrypoint: string;
  /** The path of deno.json or an import map in `sources`; null without one. */
  readonly importMap: string | null;
  readonly sources: Readonly<Record<string, string>>;
  readonly bundle: string;
  readonly reads: readonly string[];
  readonly createdBy: string;
  readonly message: string | null;
}

/**
 * Stores a version and makes it active. Deletes the oldest versions, but never the one that ran before.
 * @throws NinefoldError function_limit_reached
 */
export async function storeVersion(database: Executor, version: NewVersion): Promise<void> {
  const sha256 = createHash('sha256').update(version.bundle).digest('hex');
  const [, counted] = await runAsServerRole(database, [
    LOCK,
    {
      text: `insert into ninefold.functions (name, verifies_jwt)
        select $1, $2::boolean where (select pg_catalog.count(*) from ninefold.functions where name <> $1) < $3::integer
          and ${BYTES_OF_OTHERS} + $4::bigint <= $5::bigint
        on conflict (name) do update set verifies_jwt = excluded.verifies_jwt`,
      params: [
        version.name,
        String(version.verifiesJwt),
        String(limits.functions.default),
        String(Buffer.byteLength(version.bundle)),
        String(limits.functionsBundleBytes.default),
      ],
    },
    {
      text: `with made as (
          insert into ninefold.function_versions (function, number, created_by, message, entrypoint, sources, bundle, sha256, reads, import_map)
          select $1, coalesce((select pg_catalog.max(number) from ninefold.function_versions where function = $1), 0) + 1, $2, $3, $4,
            $5::jsonb, $6, $7, $8::text[], $9
          where exists (select from ninefold.functions where name = $1)
            and ${BYTES_OF_OTHERS} + pg_catalog.octet_length($6) <= $10::bigint
          returning id)
        update ninefold.functions set active_version = made.id from made where name = $1`,
      params: [
        version.name,
        version.createdBy,
        version.message,
        version.entrypoint,
        JSON.stringify(version.sources),
        version.bundle,
        sha256,
        `{${version.reads.map((name) => JSON.stringify(name)).join(',')}}`,
        version.importMap,
        String(limits.functionsBundleBytes.default),
      ],
    },
    {
      text: `delete from ninefold.function_versions where id in (
        select id from ninefold.function_versions where function = $1 order by number desc offset $2::integer)`,
      params: [version.name, String(limits.functionVersions.default)],
    },
  ]);
  if (!counted || affectedRows(counted) === 0) throw new NinefoldError('function_limit_reached');
}

/** A function as the database has it, without figures. */
export interface StoredFunction {
  readonly name: string;
  readonly verify_jwt: boolean;
  readonly created_at: string;
  readonly versions: readonly FunctionVersion[];
}

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS"Z"'`;

/** Returns all functions with their versions, newest version first. */
export async function listFunctions(database: Executor): Promise<StoredFunction[]> {
  const found = await read<StoredFunction[]>(
    database,
    `select pg_catalog.json_agg(pg_catalog.json_build_object('name', f.name, 'verify_jwt', f.verifies_jwt,
      'created_at', pg_catalog.to_char(f.created_at at time zone 'utc', ${TIME}),
      'versions', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('number', v.number,
          'created_at', pg_catalog.to_char(v.created_at at time zone 'utc', ${TIME}), 'created_by', v.created_by, 'message', v.message,
          'entrypoint', v.entrypoint, 'bytes', pg_catalog.octet_length(v.bundle), 'sha256', v.sha256, 'reads', v.reads,
          'is_active', v.id is not distinct from f.active_version) order by v.number desc), '[]')
        from ninefold.function_versions v where v.function = f.name)) order by f.name)
    from ninefold.functions f`,
  );
  return found ?? [];
}

/**
 * Changes whether a function verifies callers, or which version runs.
 * @param change.version Number of the version; null switches the function off.
 * @throws NinefoldError not_found
 */
export async function changeFunction(
  database: Executor,
  name: string,
  change: { readonly verifiesJwt?: boolean | undefined; readonly version?: number | null | undefined },
): Promise<void> {
  const { verifiesJwt, version } = change;
  const [, changed] = await runAsServerRole(database, [
    LOCK,
    {
      text: `update ninefold.functions f set verifies_jwt = coalesce($2::boolean, verifies_jwt),
          active_version = case when $3::boolean then (select id from ninefold.function_versions where function = $1 and number = $4::integer)
            else active_version end
        where name = $1 and ($4::integer is null or exists (select from ninefold.function_versions v where function = $1 and number = $4::integer
          and ${BYTES_OF_OTHERS} + pg_catalog.octet_length(v.bundle) <= $5::bigint))`,
      params: [
        name,
        verifiesJwt === undefined ? null : String(verifiesJwt),
        String(version !== undefined),
        version === undefined || version === null ? null : String(version),
        String(limits.functionsBundleBytes.default),
      ],
    },
  ]);
  if (!changed || affectedRows(changed) === 0) {
    throw new NinefoldError('not_found', {
      message:
        'The app has no function with this name, no such version, or the version is too large beside the others.',
    });
  }
}

/** Deletes a function with its versions. @throws NinefoldError not_found */
export async function deleteFunction(database: Executor, name: string): Promise<void> {
  const [, deleted] = await runAsServerRole(database, [
    LOCK,
    { text: 'delete from ninefold.functions where name = $1', params: [name] },
  ]);
  if (!deleted || affectedRows(deleted) === 0) {
    throw new NinefoldError('not_found', { message: 'The app has no function with this name.' });
  }
}

/** Returns the files of a version, of the active one by default; null if there is none. */
export const readSources = (database: Executor, name: string, number: number | null): Promise<FunctionSources | null> =>
  read<FunctionSources>(
    database,
    `select pg_catalog.json_build_object('entrypoint', v.entrypoint, 'import_map', v.import_map, 'files', v.sources)
     from ninefold.functions f join ninefold.function_versions v on v.function = f.name
     where f.name = $1 and case when $2::integer is null then v.id = f.active_version else v.number = $2::integer end`,
    [name, number === null ? null : String(number)],
  );

/** Additional data of an encrypted secret, which binds it to its name. Only the server writes the table, so the app need not be part of it. */
const contextOf = (name: string): string => `secret of edge functions: ${name}`;

/** Stores secrets; null deletes one. */
export async function writeSecrets(
  database: Executor,
  masterKey: Buffer,
  values: Readonly<Record<string, string | null>>,
  by: string,
): Promise<void> {
  await runAsServerRole(
    database,
    Object.entries(values).map(([name, value]) =>
      value === null
        ? { text: 'delete from ninefold.function_secrets where name = $1', params: [name] }
        : {
            text: `insert into ninefold.function_secrets (name, sealed, set_by) values ($1, $2, $3)
              on conflict (name) do update set sealed = excluded.sealed, set_by = excluded.set_by, set_at = pg_catalog.now()`,
            params: [name, seal(value, masterKey, contextOf(name)), by],
          },
    ),
  );
}

/** Decrypts secrets. Leaves out those that were encrypted under another master key. */
export function openSecrets(sealed: ActiveFunctions['secrets'], masterKey: Buffer): Readonly<Record<string, string>> {
  const opened = Object.entries(sealed).flatMap(([name, value]) => {
    try {
      return [[name, unseal<string>(value, masterKey, contextOf(name))] as const];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(opened);
}

/** Returns the secrets without their values. */
export async function listSecrets(database: Executor): Promise<FunctionSecret[]> {
  const found = await read<FunctionSecret[]>(
    database,
    `select pg_catalog.json_agg(pg_catalog.json_build_object('name', s.name,
      'set_at', pg_catalog.to_char(s.set_at at time zone 'utc', ${TIME}), 'set_by', s.set_by,
      'read_by', (select coalesce(pg_catalog.json_agg(f.name order by f.name), '[]') from ninefold.functions f
        join ninefold.function_versions v on v.id = f.active_version where s.name = any (v.reads))) order by s.name)
    from ninefold.function_secrets s`,
  );
  return found ?? [];
}
