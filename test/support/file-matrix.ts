import type { SupabaseClient } from '@supabase/supabase-js';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import type { FileOperation } from '../../contract/specification-files.ts';
import type { FileCell } from '../../contract/specification-roles.ts';
import { admin } from './apps.ts';
import { clientOf, type Member } from './clients.ts';
import type { NodeAddress } from './node.ts';

/** A caller whose requests are compared with a column of chapter 6. */
export interface FileCaller {
  /** The role of chapter 6 with exactly the rights of the caller. */
  readonly role: string;
  readonly client: SupabaseClient;
  /** The id of the member; null for a key. */
  readonly id: string | null;
}

/** Returns the callers of an app: nobody, a member, and the secret key. */
export const fileCallers = (app: AppConnection, member: Member): FileCaller[] => [
  { role: 'anon', client: clientOf(app), id: null },
  { role: 'authenticated', client: member.client, id: member.user.id },
  { role: 'service_role', client: clientOf(app, app.secret_key), id: null },
];

/** The result of the requests for one cell of chapter 6. */
export interface TriedCell {
  readonly cell: FileCell;
  /** For each path, whether the request did what the operation says. */
  readonly allowed: Readonly<Record<string, boolean>>;
}

/**
 * Tries each cell of chapter 6 on files with real requests: for each caller, bucket, operation and path. The secret key
 * puts the file there before each request, and removes it after it.
 * @param pathsOf Returns the paths that a caller tries in a bucket.
 * @param content The bytes and the type of the files of a bucket.
 */
export async function tryFiles(
  node: NodeAddress,
  app: AppConnection,
  callers: readonly FileCaller[],
  pathsOf: (bucket: string, caller: FileCaller) => readonly string[],
  content: (bucket: string) => Blob = () => new Blob(['hello'], { type: 'text/plain' }),
): Promise<TriedCell[]> {
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
  const service = clientOf(app, app.secret_key);
  const tryCell = async (cell: FileCell): Promise<TriedCell[]> => {
    const caller = callers.find(({ role }) => role === cell.role);
    if (!caller) return [];
    const { bucket, operation } = cell;
    const allowed: Record<string, boolean> = {};
    for (const path of pathsOf(bucket, caller)) {
      const files = service.storage.from(bucket);
      const blob = content(bucket);
      if (operation !== 'upload') await must(files.upload(path, blob, { upsert: true }));
      allowed[path] = await attempts[operation](caller.client, bucket, path, blob);
      await must(files.remove([path, `${path}.moved`]));
    }
    return [{ cell, allowed }];
  };
  const cells = chapters.roles?.files ?? [];
  const tried = await Promise.all(
    [...new Set(cells.map(({ bucket }) => bucket))].map(async (bucket) => {
      const done: TriedCell[] = [];
      // The requests on one bucket have the same paths, so they follow one another.
      for (const cell of cells.filter((one) => one.bucket === bucket)) done.push(...(await tryCell(cell)));
      return done;
    }),
  );
  return tried.flat();
}

async function must(request: PromiseLike<{ error: unknown }>): Promise<void> {
  const { error } = await request;
  if (error) throw error;
}

type Attempt = (client: SupabaseClient, bucket: string, path: string, blob: Blob) => Promise<boolean>;

/** For each operation, a request that returns whether it was done. */
const attempts: Readonly<Record<FileOperation, Attempt>> = {
  read: async ({ storage }, bucket, path, blob) => {
    const { data } = storage.from(bucket).getPublicUrl(path);
    const response = await fetch(data.publicUrl);
    await response.arrayBuffer();
    if (response.ok) return true;
    const downloaded = await storage.from(bucket).download(path);
    return downloaded.data?.size === blob.size;
  },
  list: async ({ storage }, bucket, path) => {
    const slash = path.lastIndexOf('/');
    const { data } = await storage.from(bucket).list(slash < 0 ? '' : path.slice(0, slash));
    return data?.some(({ name }) => name === path.slice(slash + 1)) ?? false;
  },
  upload: async ({ storage }, bucket, path, blob) => (await storage.from(bucket).upload(path, blob)).error === null,
  replace: async ({ storage }, bucket, path, blob) =>
    (await storage.from(bucket).upload(path, blob, { upsert: true })).error === null,
  move: async ({ storage }, bucket, path) => (await storage.from(bucket).move(path, `${path}.moved`)).error === null,
  delete: async ({ storage }, bucket, path) => (await storage.from(bucket).remove([path])).data?.length === 1,
};

/** Returns the cells whose verdict the requests contradict, in words; none if chapter 6 is right. */
export const contradicted = (tried: readonly TriedCell[]): string[] =>
  tried.flatMap(({ cell: { role, bucket, operation, verdict, words }, allowed }) => {
    const wrong = Object.entries(allowed).filter(([, done]) =>
      verdict === 'when' ? false : done !== (verdict === 'always'),
    );
    return wrong.map(
      ([path, done]) => `${role} ${operation} ${bucket}/${path}: ${verdict} ${words}, but ${done ? 'done' : 'refused'}`,
    );
  });
