import type { Database, Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import { type ByteStore, BytesMissingError } from '../../files/byte-store.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { type ContentId, contentKey, contentOfKey, keysOfApp, partOfKey } from './content-key.ts';

/** Contents that are read or copied at once. */
const PAGE = 1000;

/** Deletes all bytes of an app. */
export async function deleteAppBytes(store: ByteStore, ref: string): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of store.list(keysOfApp(ref))) {
    keys.push(key);
    if (keys.length < PAGE) continue;
    await store.delete(keys);
    keys = [];
  }
  await store.delete(keys);
}

/** Copies the bytes of one key to another key of the node's store. @throws BytesMissingError */
export type CopyBytes = (from: string, to: string) => Promise<void>;

/**
 * Copies the bytes that a database names from one app to another, without those that the other app has. Returns the number of
 * contents that have no bytes.
 * @param database Connections to the database as the server role of its app.
 * @param copy Reads the bytes of the app `from`; by default from the store.
 */
export async function copyAppBytes(
  database: Executor,
  store: ByteStore,
  from: string,
  to: string,
  copy: CopyBytes = (source, target) => store.copy(source, target),
): Promise<number> {
  let missing = 0;
  for await (const page of contentsOf(database)) {
    await Promise.all(
      page.map(async (content) => {
        const target = contentKey(to, content);
        if ((await store.size(target)) !== null) return;
        // Bytes that the source has deleted belong to no object.
        await copy(contentKey(from, content), target).catch((error: unknown) => {
          if (!(error instanceof BytesMissingError)) throw error;
          missing += 1;
        });
      }),
    );
  }
  return missing;
}

/**
 * Deletes the uploads in parts that the copy of a database has, because the bytes of their parts are not copied.
 * @param database Connections to the database as the server role of its app.
 */
export async function deleteCopiedUploads(database: Executor): Promise<void> {
  await runAsServerRole(database, [{ text: 'delete from ninefold.uploads', params: [] }]);
}

/** Yields the contents that a database names, page by page. */
export async function* contentsOf(
  database: Pick<Database, 'run'>,
): AsyncGenerator<readonly (ContentId & { readonly size: number; readonly isOld: boolean })[]> {
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const [result] = await runAsServerRole(database, [
      {
        text: `select coalesce(pg_catalog.json_agg(f), '[]') from (
            select id, pg_catalog.encode(sha256, 'hex') as sha256, size,
              stored_at < pg_catalog.now() - interval '1 hour' as "isOld"
            from ninefold.stored_files where id > $1::uuid order by id limit $2::int
          ) f`,
        params: [last, String(PAGE)],
      },
    ]);
    const page = (result && firstJson<(ContentId & { size: number; isOld: boolean })[]>(result)) ?? [];
    const end = page.at(-1);
    if (end === undefined) return;
    yield page;
    last = end.id;
  }
}

/** Returns the id in a key: of a content or of a part of an upload. */
export const idOfKey = (key: string): string | null => contentOfKey(key)?.id ?? partOfKey(key);

/** Returns the ids in keys that a row names. */
export async function readKnown(server: Executor, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const [result] = await runAsServerRole(server, [
    {
      text: `with asked as (select pg_catalog.jsonb_array_elements_text($1::jsonb)::uuid as id)
        select coalesce(pg_catalog.json_agg(a.id), '[]') from asked a
        where exists (select from ninefold.stored_files f where f.id = a.id)
          or exists (select from ninefold.upload_parts p where p.id = a.id)`,
      params: [JSON.stringify(keys.flatMap((key) => idOfKey(key) ?? []))],
    },
  ]);
  return new Set((result && firstJson<string[]>(result)) ?? []);
}
