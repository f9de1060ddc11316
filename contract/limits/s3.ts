import { limitsOf } from './limit.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Limits of the S3 protocol. Most are those of Amazon S3, so that clients choose parts that fit. */
export const s3Limits = limitsOf('storage', {
  s3SkewSeconds: {
    unit: 'seconds',
    default: 15 * 60,
    meaning: 'How much the signed time of a request of the S3 protocol may differ from the time of the node.',
    code: 'RequestTimeTooSkewed',
  },
  s3PresignedSeconds: {
    unit: 'seconds',
    default: 7 * 24 * 60 * 60,
    meaning: 'The longest life of a presigned URL of the S3 protocol.',
    code: 'InvalidArgument',
  },
  s3XmlBytes: {
    unit: 'bytes',
    default: 4 * MIB,
    meaning: 'The largest XML document in a request of the S3 protocol.',
    code: 'MalformedXML',
  },
  s3MinPartBytes: {
    unit: 'bytes',
    default: 5 * MIB,
    meaning: 'The smallest part of a multipart upload, except the last one.',
    code: 'EntityTooSmall',
  },
  s3PartBytes: {
    unit: 'bytes',
    default: 5 * GIB,
    meaning: 'The largest part of a multipart upload.',
    code: 'EntityTooLarge',
  },
  s3Parts: {
    unit: 'count',
    default: 10_000,
    meaning: 'The most parts of a multipart upload.',
    code: 'InvalidArgument',
  },
  s3MetadataBytes: {
    unit: 'bytes',
    default: 2048,
    meaning: 'The names and values of the headers x-amz-meta-… of one object together.',
    code: 'MetadataTooLarge',
  },
  s3ListKeys: {
    unit: 'count',
    default: 1000,
    meaning:
      'The most objects and common prefixes of one page of a listing of the S3 protocol, and the most objects that one request deletes.',
  },
});
