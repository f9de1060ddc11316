import { limits } from '../../../contract/limits.ts';
import type { ImportedHashes, MemberImport, RefusedRecord } from '../../../contract/member-imports.ts';
import type { Database, Executor } from '../../database/database.ts';
import { affectedRows } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';

const time = (column: string): string =>
  `pg_catalog.to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Failure of an import that is marked as running although no worker runs it. */
export const INTERRUPTED = 'The node stopped while the import ran. Nothing was imported: run it again.';

const IMPORT = `pg_catalog.jsonb_build_object(
  'id', i.id, 'source', i.source, 'file_name', i.file_name, 'bytes', i.bytes,
  'state', i.state,
  'read', i.read_records, 'imported', i.imported, 'present', i.present, 'refused', i.refused,
  'hashes', case when pg_catalog.jsonb_typeof(i.options -> 'hashes') = 'array' then i.options -> 'hashes' else '[]'::jsonb end,
  'failure', i.failure,
  'created_by', i.created_by, 'created_at', ${time('i.created_at')})`;

/** Creates an import, and deletes imports that ended long ago. */
export async function beginImport(
  database: Executor,
  about: { source: string; fileName: string; options: object; createdBy: string },
): Promise<MemberImport> {
  const results = await runAsAuthAdmin(database, [
    [
      'delete from ninefold.member_imports where changed_at < pg_catalog.now() - pg_catalog.make_interval(days => $1::integer)',
      [String(limits.importDays.default)],
    ],
    [
      `insert into ninefold.member_imports as i (source, file_name, options, created_by) values ($1, $2, $3::jsonb, $4) returning ${IMPORT}`,
      [about.source, about.fileName, JSON.stringify(about.options), about.createdBy],
    ],
  ]);
  return JSON.parse(results[1]?.rows[0]?.[0]?.toString('utf8') ?? 'null') as MemberImport;
}

/**
 * Returns an import with its options.
 * @throws not_found
 */
export async function readImport(database: Executor, id: string): Promise<{ shown: MemberImport; options: unknown }> {
  const found = await jsonAsAuthAdmin<{ shown: MemberImport; options: unknown }>(
    database,
    `select pg_catalog.jsonb_build_object('shown', ${IMPORT}, 'options', i.options - 'hashes') from ninefold.member_imports i where i.id = $1::uuid`,
    [id],
  );
  if (found === null) throw new NinefoldError('not_found', { message: 'There is no import with this id.' });
  return found;
}

/**
 * Stores a part of a file. A part that is sent again replaces the earlier one. Returns false if the import accepts no
 * parts, or if the file becomes too large.
 */
export async function storePart(database: Executor, id: string, position: number, data: Uint8Array): Promise<boolean> {
  const [, counted] = await runAsAuthAdmin(database, [
    [
      `insert into ninefold.member_import_parts (import_id, position, data)
       select i.id, $2::integer, pg_catalog.decode($3, 'base64') from ninefold.member_imports i
       where i.id = $1::uuid and i.state = 'receiving' and i.bytes + $4::bigint <= $5::bigint for update
       on conflict (import_id, position) do update set data = excluded.data`,
      [
        id,
        String(position),
        Buffer.from(data).toString('base64'),
        String(data.byteLength),
        String(limits.importBytes.default),
      ],
    ],
    [
      `update ninefold.member_imports i set changed_at = pg_catalog.now(),
         bytes = (select pg_catalog.sum(pg_catalog.octet_length(p.data)) from ninefold.member_import_parts p where p.import_id = i.id)
       where i.id = $1::uuid and exists (
         select from ninefold.member_import_parts p where p.import_id = i.id and p.position = $2::integer
           and pg_catalog.octet_length(p.data) = $3::integer)
       returning i.id`,
      [id, String(position), String(data.byteLength)],
    ],
  ]);
  return counted !== undefined && counted.rows.length > 0;
}

/** Returns the bytes of a file, part by part. */
export async function* readParts(database: Executor, id: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position++) {
    const [result] = await runAsAuthAdmin(database, [
      [
        `select pg_catalog.encode(data, 'base64') from ninefold.member_import_parts where import_id = $1::uuid and position = $2::integer`,
        [id, String(position)],
      ],
    ]);
    const part = result?.rows[0]?.[0];
    if (!part) return;
    yield Buffer.from(part.toString('latin1'), 'base64');
  }
}

/**
 * Marks an import as running. The caller holds the lock of the app's imports, so an import that is marked as running
 * was interrupted. Returns false if the import is finished.
 */
export async function claimImport(database: Executor, id: string): Promise<boolean> {
  const [, claimed] = await runAsAuthAdmin(database, [
    [
      `update ninefold.member_imports set state = 'failed', failure = $2 where state = 'running' and id <> $1::uuid`,
      [id, INTERRUPTED],
    ],
    [
      `update ninefold.member_imports i set state = 'running', failure = null, read_records = 0, imported = 0, present = 0, refused = 0,
         options = i.options - 'hashes', changed_at = pg_catalog.now()
       where i.id = $1::uuid and i.state <> 'done' returning i.id`,
      [id],
    ],
    ['delete from ninefold.member_import_records where import_id = $1::uuid', [id]],
    ['delete from ninefold.member_import_refusals where import_id = $1::uuid', [id]],
  ]);
  return claimed !== undefined && claimed.rows.length > 0;
}

/**
 * Returns true if every part of a file is stored. The tables of parts are not logged, so PostgreSQL empties them after a
 * crash.
 */
export const hasWholeFile = async (database: Executor, id: string): Promise<boolean> =>
  (await jsonAsAuthAdmin<boolean>(
    database,
    `select pg_catalog.to_jsonb(i.bytes = coalesce((select pg_catalog.sum(pg_catalog.octet_length(p.data))
       from ninefold.member_import_parts p where p.import_id = i.id), 0))
     from ninefold.member_imports i where i.id = $1::uuid`,
    [id],
  )) ?? false;

/** A prepared record: an account as JSON, or an identity that belongs to the account `userId`. */
export interface PreparedRecord {
  readonly line: number;
  readonly userId?: string;
  readonly json: string;
}

/** Stores prepared and refused records, and adds to the number of records read. */
export async function storeRecords(
  database: Executor,
  id: string,
  records: readonly PreparedRecord[],
  refusals: readonly RefusedRecord[],
): Promise<void> {
  const rows = records.map(
    ({ line, userId, json }) => `{"line":${line},"user_id":${JSON.stringify(userId ?? null)},"record":${json}}`,
  );
  await runAsAuthAdmin(database, [
    [
      `insert into ninefold.member_import_records (import_id, line, user_id, record)
       select $1::uuid, r.line, r.user_id, r.record
       from pg_catalog.jsonb_to_recordset($2::jsonb) r(line bigint, user_id uuid, record jsonb)`,
      [id, `[${rows.join(',')}]`],
    ],
    [
      `insert into ninefold.member_import_refusals (import_id, line, subject, reason)
       select $1::uuid, r.line, r.subject, r.reason from pg_catalog.jsonb_to_recordset($2::jsonb) r(line bigint, subject text, reason text)
       limit greatest(0, $3::bigint - (select i.refused from ninefold.member_imports i where i.id = $1::uuid))`,
      [id, JSON.stringify(refusals), String(limits.importRefusals.default)],
    ],
    [
      `update ninefold.member_imports set read_records = read_records + $2::bigint, refused = refused + $3::bigint,
         changed_at = pg_catalog.now() where id = $1::uuid`,
      [id, String(records.length + refusals.length), String(refusals.length)],
    ],
  ]);
}

/** Stores the kinds of password hashes in the file. */
export async function storeHashes(database: Executor, id: string, hashes: readonly ImportedHashes[]): Promise<void> {
  await runAsAuthAdmin(database, [
    [
      `update ninefold.member_imports set options = options || pg_catalog.jsonb_build_object('hashes', $2::jsonb),
         changed_at = pg_catalog.now() where id = $1::uuid`,
      [id, JSON.stringify(hashes)],
    ],
  ]);
}

/** Ends an import that failed. */
export async function failImport(database: Executor, id: string, failure: string): Promise<void> {
  await runAsAuthAdmin(database, [
    ['delete from ninefold.member_import_records where import_id = $1::uuid', [id]],
    [
      `update ninefold.member_imports set state = 'failed', failure = $2, changed_at = pg_catalog.now() where id = $1::uuid`,
      [id, failure.replaceAll('\0', '')],
    ],
  ]);
}

/** Returns the refused records by line, at most as many as the limit importRefusals. */
export const readRefusals = async (database: Executor, id: string): Promise<RefusedRecord[]> =>
  (await jsonAsAuthAdmin<RefusedRecord[]>(
    database,
    `select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('line', r.line, 'subject', r.subject, 'reason', r.reason) order by r.line)
     from ninefold.member_import_refusals r where r.import_id = $1::uuid`,
    [id],
  )) ?? [];

/**
 * Deletes an import with its file and its report. Members that it created stay. Returns false if it does not exist or
 * is marked as running.
 * @param isLocked True if the caller holds the lock of the app's imports, so that none of them runs.
 */
export async function deleteImport(database: Executor, id: string, isLocked: boolean): Promise<boolean> {
  const [deleted] = await runAsAuthAdmin(database, [
    [
      `delete from ninefold.member_imports i where i.id = $1::uuid and (i.state <> 'running' or $2::boolean) returning i.id`,
      [id, String(isLocked)],
    ],
  ]);
  return deleted !== undefined && deleted.rows.length > 0;
}

/**
 * Runs work in a transaction that may take longer than a call may. The function `run` that the work receives returns
 * the number in the only row of a result, or the number of changed rows if the result has no rows.
 */
export async function inLongTransaction<T>(
  database: Database,
  work: (run: (text: string, params: string[]) => Promise<number>) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    const run = async (text: string, params: string[]) => {
      const [result] = await tx.run([{ text, params, planKey: '' }]);
      if (result === undefined) return 0;
      return result.rows.length > 0 ? Number(result.rows[0]?.[0]?.toString() ?? 0) : affectedRows(result);
    };
    await run(
      `select pg_catalog.set_config('role', 'supabase_auth_admin', true), pg_catalog.set_config('search_path', 'auth', true),
         pg_catalog.set_config('lock_timeout', '${limits.authStatementMilliseconds.default}', true),
         pg_catalog.set_config('statement_timeout', '${limits.importStatementSeconds.default * 1000}', true)`,
      [],
    );
    return work(run);
  });
}
