/** Keys of the queries about an app's files. */
export const fileKeys = {
  all: (ref: string) => ['files', ref] as const,
  buckets: (ref: string) => ['files', ref, 'buckets'] as const,
  listings: (ref: string, bucket?: string) => ['files', ref, 'listing', ...(bucket === undefined ? [] : [bucket])],
  objects: (ref: string) => ['files', ref, 'object'] as const,
  object: (ref: string, bucket: string, name: string) => ['files', ref, 'object', bucket, name] as const,
  /** The error of a node that does not scale images. */
  unscaled: (ref: string) => ['unscaled-images', ref] as const,
  usage: (ref: string) => ['files', ref, 'usage'] as const,
  s3Keys: (ref: string) => ['files', ref, 's3-keys'] as const,
};
