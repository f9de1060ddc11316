import { randomBytes } from 'node:crypto';
import { type BenchApp, makeApp, sql } from '../app.ts';
import { request } from '../load.ts';
import type { BenchNode } from '../node.ts';

export const BUCKET = 'files';
export const KIB = 1024;
export const MIB = 1024 * KIB;

/** An app with a bucket in which a member may do everything in a folder with the member's id. */
export interface FilesApp extends BenchApp {
  readonly node: BenchNode;
  /** Path of a call of the storage API. */
  readonly path: (rest: string) => string;
  /** Path of an object in the member's folder. */
  readonly object: (name: string) => string;
}

const POLICY = `create policy "own folder" on storage.objects for all to authenticated
  using (bucket_id = '${BUCKET}' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = '${BUCKET}' and (storage.foldername(name))[1] = (select auth.uid())::text)`;

/** Creates the app with its bucket and its policy. */
export async function makeFilesApp(node: BenchNode): Promise<FilesApp> {
  const made = await makeApp(node);
  const path = (rest: string): string => `/apps/${made.app.ref}/storage/v1${rest}`;
  const files: FilesApp = {
    ...made,
    node,
    path,
    object: (name) => path(`/object/${BUCKET}/${made.member.id}/${name}`),
  };
  const response = await fetch(`${node.url}${path('/bucket')}`, {
    method: 'POST',
    headers: { ...serviceHeaders(files), 'content-type': 'application/json' },
    body: JSON.stringify({ id: BUCKET, name: BUCKET }),
  });
  if (!response.ok) throw new Error(`the bucket was not created: ${response.status} ${await response.text()}`);
  await sql(node, made.app.ref, POLICY);
  return files;
}

/** Headers of a request that no policy limits. */
export const serviceHeaders = ({ app }: FilesApp): Record<string, string> => ({
  apikey: app.secret_key,
  authorization: `Bearer ${app.secret_key}`,
});

/** Returns the bytes of a request that uploads a file of random content, so that no two files are equal. */
export const uploadRequest = (files: FilesApp, name: string, size: number): Buffer =>
  request(
    'PUT',
    files.object(name),
    { ...files.headers, 'content-type': 'application/octet-stream' },
    randomBytes(size),
  );

export const downloadRequest = (files: FilesApp, name: string): Buffer =>
  request('GET', files.object(name), files.headers);
