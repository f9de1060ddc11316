import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { FileCheck } from '../../../../contract/file-check.ts';
import type { CreatedS3Key, FileUsage, S3KeyEntry } from '../../../../contract/files.ts';
import type { RoleCell } from '../../../../contract/specification-roles.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification.ts';
import { fileKeys } from './file-keys.ts';

const path = (ref: string) => `/apps/${segment(ref)}/files`;

/** Reads how much an app stores, by bucket and by member. */
export const fileUsage = (ref: string) =>
  queryOptions({
    queryKey: fileKeys.usage(ref),
    queryFn: ({ signal }) => api<FileUsage>(`${path(ref)}/usage`, { signal }),
    staleTime: 30_000,
  });

/** Reads who may do what with the files of each bucket. The entity of a cell is the id of the bucket. */
export const fileAccess = (ref: string) =>
  queryOptions({
    // The key is below that of the specification, so a migration refreshes the cells too.
    queryKey: [...specificationKeys.of(ref), 'file-access'],
    queryFn: ({ signal }) => api<RoleCell[]>(`${path(ref)}/access`, { signal }),
  });

/** Deletes the bytes of deleted files at once. */
export const sweepFiles = (ref: string) =>
  mutationOptions({
    mutationFn: () => api<{ deleted: number }>(`${path(ref)}/sweep`, { method: 'POST', body: {} }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: fileKeys.usage(ref) }),
  });

/** Compares the rows of the files with their bytes; with `reads`, also with the hash of all bytes. */
export const verifyFiles = (ref: string) =>
  mutationOptions({
    mutationFn: (reads: boolean) => api<FileCheck>(`${path(ref)}/verify`, { method: 'POST', body: { read: reads } }),
  });

/** Reads the access keys of the S3 protocol, newest first. */
export const s3Keys = (ref: string) =>
  queryOptions({
    queryKey: fileKeys.s3Keys(ref),
    queryFn: ({ signal }) => api<S3KeyEntry[]>(`${path(ref)}/s3-keys`, { signal }),
  });

const refreshKeys = (ref: string) => () => queryClient.invalidateQueries({ queryKey: fileKeys.s3Keys(ref) });

/** Creates an access key. Only the response contains its secret. */
export const createS3Key = (ref: string) =>
  mutationOptions({
    mutationFn: (name: string) => api<CreatedS3Key>(`${path(ref)}/s3-keys`, { method: 'POST', body: { name } }),
    gcTime: 0,
    onSuccess: refreshKeys(ref),
  });

/** Deletes an access key. */
export const deleteS3Key = (ref: string) =>
  mutationOptions({
    mutationFn: (id: string) => api<null>(`${path(ref)}/s3-keys/${segment(id)}`, { method: 'DELETE' }),
    onSuccess: refreshKeys(ref),
  });

/** Replaces the key that signs URLs, which ends all signed URLs. */
export const rotateUrlKey = (ref: string) =>
  mutationOptions({ mutationFn: () => api<null>(`${path(ref)}/url-key/rotate`, { method: 'POST', body: {} }) });
