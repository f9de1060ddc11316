import { limits } from '../../contract/limits.ts';
import type { CatalogQueries } from './read-catalog.ts';

/** Buckets of an app's files. */
export interface BucketFacts {
  /** The first buckets by id; none if the schema storage is not Ninefold's. */
  buckets: BucketFact[];
}

/** A row of storage.buckets. */
export interface BucketFact {
  id: string;
  name: string;
  public: boolean;
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
}

/** SQL of the buckets as one JSON value. */
export const BUCKETS = `ninefold.described_buckets(${limits.describedBuckets.default}, ${limits.bucketTypes.default})`;

/** Query of BucketFacts. */
export const bucketQueries: CatalogQueries<BucketFacts> = { buckets: `select ${BUCKETS}` };
