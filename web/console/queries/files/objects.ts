import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import type { FileDetails } from '../../../../contract/files.ts';
import { storageLimits } from '../../../../contract/limits/storage.ts';
import { api, segment } from '../api.ts';
import { ApiFailure } from '../api-failure.ts';
import { queryClient } from '../query-client.ts';
import { fileKeys } from './file-keys.ts';
import { objectPath, storage, storedBytes } from './storage-call.ts';

/** What the protocol stores about the bytes of an object. */
interface StoredMetadata {
  size?: number;
  mimetype?: string;
  cacheControl?: string;
  eTag?: string;
}

/** An object of a bucket. */
export interface StoredObject {
  /** The path in the bucket. */
  name: string;
  size: number;
  type: string;
  cacheControl: string | null;
  created_at: string;
  updated_at: string;
}

/** A folder or an object of a listing. The path of a folder ends with a slash. */
export type Entry = { readonly id: string } & (
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'object'; readonly name: string; readonly object: StoredObject }
);

/** The order of a listing: by name, or by the time of creation or of the last change. */
export interface ListOrder {
  column: 'name' | 'created_at' | 'updated_at';
  order: 'asc' | 'desc';
}

interface ListedObject {
  /** The path in the bucket. */
  name: string;
  created_at: string;
  updated_at: string;
  metadata: StoredMetadata | null;
}

interface Page {
  /** The paths of folders, with a slash at the end. */
  folders: readonly { name: string }[];
  objects: readonly ListedObject[];
  hasNext: boolean;
  nextCursor?: string;
}

/** Number of objects and folders of a page. */
const PAGE = 200;

interface ListRequest {
  prefix: string;
  limit: number;
  with_delimiter: boolean;
  cursor?: string;
  sortBy?: ListOrder;
}

const list = (ref: string, bucket: string, body: ListRequest, signal?: AbortSignal) =>
  storage<Page>(ref, `/object/list-v2/${segment(bucket)}`, { method: 'POST', body, signal });

/** Reads the folders and objects whose path begins with a prefix, up to the next slash, page by page. */
export const objectPages = (ref: string, bucket: string, prefix: string, sortBy: ListOrder) =>
  infiniteQueryOptions({
    queryKey: [...fileKeys.listings(ref, bucket), prefix, sortBy],
    queryFn: ({ pageParam, signal }) =>
      list(
        ref,
        bucket,
        { prefix, limit: PAGE, with_delimiter: true, sortBy, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasNext, nextCursor }) => (hasNext ? (nextCursor ?? null) : null),
    select: ({ pages }): Entry[] => {
      const isByName = sortBy.column === 'name' && pages[0]?.hasNext === true;
      return pages.flatMap((page) => (isByName ? entriesOf(page).sort(byName(sortBy.order)) : entriesOf(page)));
    },
  });

/**
 * Returns the folders of a page, then its objects. A folder of a later page would stand below the objects of an earlier
 * one, so the pages of a long listing are in the order of the names instead.
 */
const entriesOf = ({ folders, objects }: Page): Entry[] => [
  ...folders.map(({ name }): Entry => ({ kind: 'folder', id: name, name })),
  ...objects.map((row): Entry => {
    const object = objectOf(row);
    return { kind: 'object', id: object.name, name: object.name, object };
  }),
];

const byName =
  (order: 'asc' | 'desc') =>
  (a: Entry, b: Entry): number =>
    (a.name < b.name ? -1 : 1) * (order === 'asc' ? 1 : -1);

const objectOf = ({ name, metadata, created_at, updated_at }: ListedObject): StoredObject => ({
  name,
  size: metadata?.size ?? 0,
  type: metadata?.mimetype ?? 'application/octet-stream',
  cacheControl: metadata?.cacheControl ?? null,
  created_at,
  updated_at,
});

/** Yields the paths of all objects below a folder, or the path of one object. */
async function* pathsOf(ref: string, bucket: string, entry: Pick<Entry, 'kind' | 'name'>): AsyncGenerator<string[]> {
  if (entry.kind === 'object') {
    yield [entry.name];
    return;
  }
  let cursor: string | undefined;
  do {
    const request = { prefix: entry.name, limit: storageLimits.storageListRows.default, with_delimiter: false };
    const page = await list(ref, bucket, { ...request, ...(cursor !== undefined && { cursor }) });
    yield page.objects.map(({ name }) => name);
    cursor = page.hasNext ? page.nextCursor : undefined;
  } while (cursor !== undefined);
}

interface ObjectInfo {
  size: number | null;
  content_type: string;
  cache_control: string | null;
  created_at: string;
  last_modified: string;
}

/** Reads one object: what the protocol says about it, and the details that only a builder gets. */
export const objectInfo = (ref: string, bucket: string, name: string) =>
  queryOptions({
    queryKey: fileKeys.object(ref, bucket, name),
    queryFn: async ({ signal }): Promise<StoredObject & { details: FileDetails }> => {
      const query = new URLSearchParams({ bucket, name });
      const [info, details] = await Promise.all([
        storage<ObjectInfo>(ref, `/object/info/${objectPath(bucket, name)}`, { signal }),
        api<FileDetails>(`/apps/${segment(ref)}/files/object?${query}`, { signal }),
      ]);
      return {
        name,
        size: info.size ?? 0,
        type: info.content_type,
        cacheControl: info.cache_control,
        created_at: info.created_at,
        updated_at: info.last_modified,
        details,
      };
    },
  });

/** Reads the first bytes of an object, at most `most`. The version in the key ends the cache when the object changes. */
export const objectBytes = (ref: string, bucket: string, { name, size, updated_at }: StoredObject, most: number) =>
  queryOptions({
    queryKey: [...fileKeys.object(ref, bucket, name), 'bytes', updated_at, most],
    queryFn: ({ signal }) =>
      size === 0
        ? Promise.resolve(new ArrayBuffer(0))
        : storedBytes(ref, `/object/authenticated/${objectPath(bucket, name)}`, {
            signal,
            ...(size > most && { range: [0, most - 1] as const }),
          }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

/** Reads a small picture of an image. */
export const thumbnailBytes = (ref: string, bucket: string, { name, updated_at }: StoredObject) =>
  queryOptions({
    queryKey: [...fileKeys.object(ref, bucket, name), 'thumbnail', updated_at],
    queryFn: async ({ signal }) => {
      const known = queryClient.getQueryData<ApiFailure>(fileKeys.unscaled(ref));
      if (known) throw known;
      const place = `/render/image/authenticated/${objectPath(bucket, name)}?width=80&height=60&resize=cover`;
      return storedBytes(ref, place, { signal }).catch((error: unknown) => {
        // A node without the package that scales images has it for no image, so no other image is asked for.
        if (error instanceof ApiFailure && error.status === 501)
          queryClient.setQueryData(fileKeys.unscaled(ref), error);
        throw error;
      });
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 300_000,
    retry: false,
  });

/** Returns the path and query of a signed URL below /storage/v1, which is valid for some seconds. */
export const signedPath = async (ref: string, bucket: string, name: string, expiresIn: number): Promise<string> =>
  (
    await storage<{ signedURL: string }>(ref, `/object/sign/${objectPath(bucket, name)}`, {
      method: 'POST',
      body: { expiresIn },
    })
  ).signedURL;

/** A change of entries, with the number of objects that are done. */
interface Change {
  entries: readonly Entry[];
  onProgress: (done: number) => void;
}

const changing = <C extends Change>(ref: string, call: (change: C) => Promise<number>) =>
  mutationOptions({
    mutationFn: call,
    // The panel may still show an object that the change removed, so its queries do not run again.
    onSettled: () => {
      queryClient.removeQueries({ queryKey: fileKeys.objects(ref), type: 'inactive' });
      return Promise.all([
        queryClient.invalidateQueries({ queryKey: fileKeys.listings(ref) }),
        queryClient.invalidateQueries({ queryKey: fileKeys.usage(ref) }),
      ]);
    },
  });

/** Deletes objects, and folders with everything in them. Returns the number of deleted objects. */
export const removeEntries = (ref: string, bucket: string) =>
  changing(ref, async ({ entries, onProgress }: Change) => {
    let done = 0;
    const remove = async (prefixes: readonly string[]) => {
      if (prefixes.length === 0) return;
      const body = { prefixes };
      done += (await storage<unknown[]>(ref, `/object/${segment(bucket)}`, { method: 'DELETE', body })).length;
      onProgress(done);
    };
    const single = entries.filter(({ kind }) => kind === 'object').map(({ name }) => name);
    const most = storageLimits.storageRemovedObjects.default;
    for (let from = 0; from < single.length; from += most) await remove(single.slice(from, from + most));
    for (const folder of entries.filter(({ kind }) => kind === 'folder')) {
      for await (const paths of pathsOf(ref, bucket, folder)) await remove(paths);
    }
    return done;
  });

/** The new place of entries. `pathOf` returns the new path of an object. */
interface Relocation extends Change {
  verb: 'move' | 'copy';
  toBucket: string;
  pathOf: (path: string) => string;
}

/** Moves or copies objects, and folders with everything in them. Returns the number of objects. */
export const relocateEntries = (ref: string, bucket: string) =>
  changing(ref, async ({ entries, verb, toBucket, pathOf: newPath, onProgress }: Relocation) => {
    // All paths are read first, so that a listing does not contain an object a second time at its new path.
    const paths: string[] = [];
    for (const entry of entries) for await (const page of pathsOf(ref, bucket, entry)) paths.push(...page);
    let done = 0;
    for (const sourceKey of paths) {
      const body = { bucketId: bucket, sourceKey, destinationBucket: toBucket, destinationKey: newPath(sourceKey) };
      await storage(ref, `/object/${verb}`, { method: 'POST', body });
      onProgress(++done);
    }
    return done;
  });
