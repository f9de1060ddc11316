import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { fileKind, shownAs, typeByName } from './file-kind.ts';
import { type FilesAccess, useFilesAccess } from './files-access.ts';
import { fileBytes, fileInfo, LINK_SECONDS, scaledBytes, signedLink } from './object-calls.ts';
import { useBlobUrl } from './use-blob-url.ts';

/** First part of the keys of these queries. */
const KEY = 'stored-files';
/** Milliseconds after which a link is signed again, before it ends. */
const LINK_MILLISECONDS = (LINK_SECONDS - 600) * 1000;
/** Accesses to nodes that scale no images, because the package for it is not installed. */
const scalesNothing = new WeakSet<FilesAccess>();
/** Size in bytes up to which an image is its own thumbnail, if the node does not scale images. */
const SMALL = 2 * 1024 * 1024;

const link = (access: FilesAccess, bucket: string, path: string) =>
  queryOptions({
    queryKey: [KEY, access.url, access.caller, bucket, path, 'link'],
    queryFn: () => signedLink(access, bucket, path),
    staleTime: LINK_MILLISECONDS,
    refetchInterval: LINK_MILLISECONDS,
    retry: false,
  });

/** A file that the reader may read. */
export interface VisibleFile {
  readonly path: string;
  /** Signed link below /storage/v1. */
  readonly link: string;
}

/**
 * Returns the files that the reader may read, and whether this is known. The others do not exist for the reader.
 */
export function useVisibleFiles(
  bucket: string,
  paths: readonly string[],
): { files: VisibleFile[]; isPending: boolean } {
  const access = useFilesAccess();
  const results = useQueries({ queries: paths.map((path) => link(access, bucket, path)) });
  return {
    files: results.flatMap(({ data }, i) => (data ? [{ path: paths[i] ?? '', link: data }] : [])),
    isPending: results.some(({ isPending }) => isPending),
  };
}

/** Returns size and type of a file; undefined until they are known. */
export function useFileInfo(bucket: string, path: string, isNeeded = true) {
  const access = useFilesAccess();
  return useQuery({
    queryKey: [KEY, access.url, access.caller, bucket, path, 'info'],
    queryFn: () => fileInfo(access, bucket, path),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: isNeeded,
  }).data;
}

/**
 * Returns the URL of a small picture of an image; null for other files, and until it is loaded. If the node does not
 * scale images, a small image is its own picture.
 */
export function useThumbnail(bucket: string, path: string, size: { width: number; height: number }): string | null {
  const access = useFilesAccess();
  const type = typeByName(path);
  const shown = shownAs(type);
  const { data } = useQuery({
    queryKey: [KEY, access.url, access.caller, bucket, path, 'thumbnail', size.width],
    queryFn: async ({ signal }) => {
      try {
        if (scalesNothing.has(access)) return await fileBytes(access, bucket, path, { most: SMALL, signal });
        return await scaledBytes(access, bucket, path, { ...size, signal });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ImagesUnavailable') scalesNothing.add(access);
        if (signal.aborted || (error instanceof Error && access.isLost(error))) throw error;
        return fileBytes(access, bucket, path, { most: SMALL, signal });
      }
    },
    enabled: shown?.as === 'image',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 300_000,
    retry: false,
  });
  // A browser reads an image by its first bytes, whatever image type it is given.
  return useBlobUrl(data, shown?.as === 'image' ? shown.type : '');
}

/** The most bytes of a preview that is loaded before it is shown. */
const PREVIEW_BYTES = 50 * 1024 * 1024;

/**
 * Returns the URL of an image, a video, a sound or a PDF for an element of the page; null until it is known, and for a
 * file that is too large. The bytes get a type of a fixed list, so that nothing of them can run on the page's origin.
 */
export function usePreviewUrl(bucket: string, { path, link: signed }: VisibleFile): string | null {
  const access = useFilesAccess();
  const type = previewType(path);
  const isLink = access.embedsLinks && access.links !== null && type !== 'application/pdf';
  const { data } = useQuery({
    queryKey: [KEY, access.url, access.caller, bucket, path, 'bytes'],
    queryFn: ({ signal }) => fileBytes(access, bucket, path, { most: PREVIEW_BYTES, signal }),
    enabled: !isLink && type !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  const blob = useBlobUrl(data, type ?? '');
  return type === null ? null : isLink ? `${access.links}${signed}` : blob;
}

/** Returns the type with which a preview shows a file; null if it shows none. */
export function previewType(path: string): string | null {
  const type = typeByName(path);
  const shown = shownAs(type);
  if (shown && shown.as !== 'text') return shown.type;
  return fileKind(type) === 'PDF' ? 'application/pdf' : null;
}
