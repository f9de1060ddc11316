import { createHash } from 'node:crypto';
import type { FileCheck, FileDifference } from '../../../contract/file-check.ts';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import { becomeServiceRole, runAsServerRole } from '../run-as-server-role.ts';
import { contentsOf, idOfKey, readKnown } from './app-bytes.ts';
import { type ContentId, contentKey, keysOfApp } from './content-key.ts';
import type { FilesOfApp } from './sweep.ts';

/** Objects and keys that one statement compares. */
const PAGE = 1000;

/**
 * Compares every row of an app's files with its bytes, and every key of the store with its row. Objects that are written
 * or deleted meanwhile are no difference.
 * @param options.reads True to read all bytes and compare their hash, false to compare only their size.
 */
export async function verifyFiles(files: FilesOfApp, { reads }: { readonly reads: boolean }): Promise<FileCheck> {
  const found: FileDifference[] = [];
  const add = (difference: FileDifference): number => found.push(difference);
  const objects = await checkObjects(files, add);
  let contents = 0;
  let bytes = 0;
  for await (const page of contentsOf(files.server)) {
    contents += page.length;
    for (const content of page) bytes += content.size;
    const objectOf = await readObjects(files.authenticator, page);
    for (const content of page) {
      const key = contentKey(files.ref, content);
      const object = objectOf[content.id] ?? null;
      const problem = await problemOf(files, key, content, reads);
      if (problem !== null) add({ kind: problem, object, key });
      else if (object === null && content.isOld) add({ kind: 'unused', object, key });
    }
  }
  await checkKeys(files, add);
  const max = limits.fileDifferences.default;
  return {
    objects,
    contents,
    bytes,
    is_read: reads,
    differences: found.slice(0, max),
    more: found.length > max,
  };
}

type Add = (difference: FileDifference) => void;

/** Finds the objects whose version names no content. Returns the number of objects. */
async function checkObjects({ authenticator }: FilesOfApp, add: Add): Promise<number> {
  const result = await asService<{ count: number; without: string[] }>(
    authenticator,
    `select pg_catalog.json_build_object(
      'count', (select count(*) from storage.objects),
      'without', coalesce((select pg_catalog.json_agg(name) from (
        select o.bucket_id || '/' || o.name as name from storage.objects o
        where not exists (select from ninefold.stored_file(o.version) f where f.id is not null) limit $1::int
      ) o), '[]'))`,
    String(limits.fileDifferences.default + 1),
  );
  for (const object of result?.without ?? []) add({ kind: 'no_content', object, key: null });
  return result?.count ?? 0;
}

/** Returns an object of each content, by the id of the content. */
async function readObjects(
  authenticator: Executor,
  contents: readonly ContentId[],
): Promise<Readonly<Record<string, string>>> {
  const objects = await asService<Record<string, string>>(
    authenticator,
    `select coalesce(pg_catalog.json_object_agg(o.version, o.name), '{}') from (
      select o.version, pg_catalog.min(o.bucket_id || '/' || o.name) as name from storage.objects o
      where o.version in (select pg_catalog.jsonb_array_elements_text($1::jsonb)) group by o.version) o`,
    JSON.stringify(contents.map(({ id }) => id)),
  );
  return objects ?? {};
}

/** Runs a statement that reads storage.objects past its policies. */
async function asService<T>(authenticator: Executor, text: string, param: string): Promise<T | null> {
  const results = await authenticator.run([
    becomeServiceRole(limits.builderStatementMilliseconds.default),
    { text, params: [param] },
  ]);
  const last = results.at(-1);
  return last ? firstJson<T>(last) : null;
}

async function problemOf(
  { store, server }: FilesOfApp,
  key: string,
  content: ContentId & { readonly size: number },
  reads: boolean,
): Promise<'missing' | 'size' | 'damaged' | null> {
  const size = await store.size(key);
  const problem = size === null ? 'missing' : size !== content.size ? 'size' : null;
  if (problem === null && reads && (await hashOf(store, key, content.size)) !== content.sha256) return 'damaged';
  // The content may have been deleted since its row was read.
  return problem !== null && (await isStored(server, content.id)) ? problem : null;
}

async function hashOf(store: FilesOfApp['store'], key: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  if (size === 0) return hash.digest('hex');
  for await (const chunk of await store.read(key, { start: 0, end: size - 1 })) hash.update(chunk);
  return hash.digest('hex');
}

async function isStored(server: Executor, id: string): Promise<boolean> {
  const [result] = await runAsServerRole(server, [
    { text: 'select pg_catalog.to_json(exists (select from ninefold.stored_files where id = $1::uuid))', params: [id] },
  ]);
  return (result && firstJson<boolean>(result)) === true;
}

/** Finds the keys of the store that no row names. */
async function checkKeys({ ref, store, server }: FilesOfApp, add: Add): Promise<void> {
  let keys: string[] = [];
  const check = async (): Promise<void> => {
    const known = await readKnown(server, keys);
    for (const key of keys) if (!known.has(idOfKey(key) ?? '')) add({ kind: 'orphan', object: null, key });
    keys = [];
  };
  // The bytes of an upload arrive before their row.
  const before = Date.now() - limits.requestSeconds.default * 1000;
  for await (const { key, storedAt } of store.list(keysOfApp(ref))) {
    if (storedAt < before) keys.push(key);
    if (keys.length === PAGE) await check();
  }
  await check();
}
