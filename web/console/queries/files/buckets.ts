import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { fileKeys } from './file-keys.ts';
import { storage } from './storage-call.ts';

/** The parts of a bucket that a builder chooses. */
export interface BucketRules {
  public: boolean;
  /** The largest file in bytes; null for the limit of the app. */
  file_size_limit: number | null;
  /** The types that the bucket takes, such as `image/*`; null for every type. */
  allowed_mime_types: string[] | null;
}

export interface Bucket extends BucketRules {
  id: string;
  created_at: string;
}

/** Reads the buckets of an app, by name. */
export const bucketList = (ref: string) =>
  queryOptions({
    queryKey: fileKeys.buckets(ref),
    queryFn: ({ signal }) => storage<Bucket[]>(ref, '/bucket?sortColumn=name&sortOrder=asc', { signal }),
  });

const changing = <Argument>(ref: string, call: (argument: Argument) => Promise<unknown>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: fileKeys.all(ref) }),
  });

/** Creates a bucket. */
export const createBucket = (ref: string) =>
  changing(ref, ({ id, ...rules }: BucketRules & { id: string }) =>
    storage(ref, '/bucket', { method: 'POST', body: { id, name: id, ...rules } }),
  );

/** Changes the rules of a bucket. */
export const updateBucket = (ref: string) =>
  changing(ref, ({ id, ...rules }: BucketRules & { id: string }) =>
    storage(ref, `/bucket/${segment(id)}`, { method: 'PUT', body: rules }),
  );

/** Deletes every object of a bucket. */
export const emptyBucket = (ref: string) =>
  changing(ref, (id: string) => storage(ref, `/bucket/${segment(id)}/empty`, { method: 'POST', body: {} }));

/** Deletes an empty bucket. */
export const deleteBucket = (ref: string) =>
  changing(ref, (id: string) => storage(ref, `/bucket/${segment(id)}`, { method: 'DELETE' }));
