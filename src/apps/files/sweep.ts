import { limits } from '../../../contract/limits.ts';
import type { Database, Executor } from '../../database/database.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import type { ByteStore } from '../../files/byte-store.ts';
import { becomeServerRole, becomeServiceRole, runAsServerRole } from '../run-as-server-role.ts';
import { contentsOf, idOfKey, readKnown } from './app-bytes.ts';
import { type ContentId, contentKey, keysOfApp, keysOfUpload } from './content-key.ts';

/** The places of an app's files. */
export interface FilesOfApp {
  readonly ref: string;
  readonly store: ByteStore;
  /** Connections as the app's server role, which alone may delete from the tables of bytes. */
  readonly server: Database;
  /** Connections as the app's authenticator, which can read storage.objects as the service role. */
  readonly authenticator: Executor;
}

/** Contents that one transaction deletes. */
const PAGE = 500;
/** Time limit of a statement on storage.objects, on which the app's owner may have defined anything. */
const STATEMENT_MILLISECONDS = 30_000;
/** Time for which a sweep waits for an upload of the same content. */
const LOCK_MILLISECONDS = '5000';

/** The work that waits for a sweep. */
export interface SweepState {
  readonly has_unused: boolean;
  /** Time in milliseconds since 1970 at which the next upload in parts expires; null if there is none. */
  readonly expires: number | null;
}

/** Returns the work that waits for a sweep. */
export async function readSweepState(server: Executor): Promise<SweepState> {
  const [result] = await runAsServerRole(server, [
    {
      text: `select pg_catalog.json_build_object('has_unused', exists (select from ninefold.unused_files),
        'expires', (select (extract(epoch from pg_catalog.min(expires_at)) * 1000)::bigint from ninefold.uploads))`,
      params: [],
    },
  ]);
  return (result && firstJson<SweepState>(result)) ?? { has_unused: false, expires: null };
}

/**
 * Deletes the contents whose objects were deleted or replaced, if no other object has them. Returns their number.
 *
 * The rows of the contents are locked before storage.objects is read. A transaction that writes an object locks the row
 * of its content too (0018_files.sql), so it either is visible to the read, or waits and finds the row deleted. The bytes
 * are deleted after the commit; if the process ends between both, `sweepOrphans` deletes them.
 */
export async function sweepUnused(files: FilesOfApp): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { seen, contents } = await takeUnused(files);
    await files.store.delete(contents.map((content) => contentKey(files.ref, content)));
    deleted += contents.length;
    if (seen < PAGE) return deleted;
  }
}

async function takeUnused({ server, authenticator }: FilesOfApp): Promise<{ seen: number; contents: ContentId[] }> {
  return server.transaction(async (tx) => {
    const json = async <T>(statement: Statement): Promise<T | null> => {
      const results = await tx.run([becomeServerRole, lockTimeout, statement]);
      const last = results.at(-1);
      return last ? firstJson<T>(last) : null;
    };
    const noted = (await json<{ seen: number; ids: string[] }>({
      text: `with taken as (
            delete from ninefold.unused_files where ctid in (
              select ctid from ninefold.unused_files order by noted_at limit $1::int for update skip locked) returning id
          ), locked as (
            select f.id from ninefold.stored_files f where f.id in (select id from taken) order by f.id for update
          ) select pg_catalog.json_build_object('seen', (select count(*) from taken),
            'ids', coalesce((select pg_catalog.json_agg(id) from locked), '[]'))`,
      params: [String(PAGE)],
    })) ?? { seen: 0, ids: [] };
    const used = new Set(await readUsed(authenticator, noted.ids));
    const unused = noted.ids.filter((id) => !used.has(id));
    const contents = await json<ContentId[]>({
      text: `with gone as (
          delete from ninefold.stored_files f where f.id in (
            select pg_catalog.jsonb_array_elements_text($1::jsonb)::uuid)
          returning f.id, pg_catalog.encode(f.sha256, 'hex') as sha256
        ) select coalesce(pg_catalog.json_agg(gone), '[]') from gone`,
      params: [JSON.stringify(unused)],
    });
    return { seen: noted.seen, contents: contents ?? [] };
  });
}

const lockTimeout: Statement = {
  text: `select pg_catalog.set_config('lock_timeout', $1, true)`,
  params: [LOCK_MILLISECONDS],
};

/** Returns those contents that an object has, as the service role sees storage.objects. */
async function readUsed(authenticator: Executor, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const results = await authenticator.run([
    becomeServiceRole(STATEMENT_MILLISECONDS),
    {
      text: `select coalesce(pg_catalog.json_agg(distinct o.version), '[]') from storage.objects o
        where o.version in (select pg_catalog.jsonb_array_elements_text($1::jsonb))`,
      params: [JSON.stringify(ids)],
    },
  ]);
  const last = results.at(-1);
  return (last && firstJson<string[]>(last)) ?? [];
}

/** Deletes the uploads in parts that have expired, with their bytes, and the records of expired upload URLs. */
export async function sweepUploads({ ref, store, server }: FilesOfApp): Promise<void> {
  const [, result] = await runAsServerRole(server, [
    { text: 'delete from ninefold.used_upload_tokens where expires_at < pg_catalog.now()', params: [] },
    {
      text: `with gone as (delete from ninefold.uploads where expires_at < pg_catalog.now() returning id)
        select coalesce(pg_catalog.json_agg(id), '[]') from gone`,
      params: [],
    },
  ]);
  for (const upload of (result && firstJson<string[]>(result)) ?? []) await deleteUpload(store, ref, upload);
}

/** Deletes the bytes of an upload in parts. */
export async function deleteUpload(store: ByteStore, ref: string, upload: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of store.list(keysOfUpload(ref, upload))) keys.push(key);
  await store.delete(keys);
}

/**
 * Deletes bytes that no row names and that are older than `orphanHours`: an upload whose transaction failed or whose
 * node ended left them behind.
 */
export async function sweepOrphans(files: FilesOfApp): Promise<void> {
  const before = Date.now() - limits.orphanHours.default * 3_600_000;
  let old: string[] = [];
  for await (const { key, storedAt } of files.store.list(keysOfApp(files.ref))) {
    if (storedAt < before) old.push(key);
    if (old.length < PAGE) continue;
    await deleteOrphans(files, old);
    old = [];
  }
  await deleteOrphans(files, old);
}

/**
 * Notes contents that no object has, for `sweepUnused`: the app removed its triggers. It reads storage.objects, so it can
 * take as long as code of the app takes.
 */
export async function noteUnused({ server, authenticator }: FilesOfApp): Promise<void> {
  for await (const page of contentsOf(server)) {
    const ids = page.filter(({ isOld }) => isOld).map(({ id }) => id);
    const used = new Set(await readUsed(authenticator, ids));
    const unused = ids.filter((id) => !used.has(id));
    if (unused.length === 0) continue;
    await runAsServerRole(server, [
      {
        text: 'insert into ninefold.unused_files (id) select pg_catalog.jsonb_array_elements_text($1::jsonb)::uuid',
        params: [JSON.stringify(unused)],
      },
    ]);
  }
}

async function deleteOrphans({ store, server }: FilesOfApp, keys: readonly string[]): Promise<void> {
  const known = await readKnown(server, keys);
  await store.delete(keys.filter((key) => !known.has(idOfKey(key) ?? '')));
}
