import { limitsOf } from './limit.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Limits of files. */
export const storageLimits = limitsOf('storage', {
  storageFileBytes: {
    unit: 'bytes',
    default: 5 * GIB,
    meaning: 'The largest file. A bucket can have a lower limit.',
    setting: 'storage_file_bytes',
    range: [1, 5 * 1024 * GIB],
    code: 'EntityTooLarge',
  },
  storageBucketBytes: {
    unit: 'bytes',
    default: 0,
    meaning: 'The files of one bucket together; 0 is no limit.',
    setting: 'storage_bucket_bytes',
    range: [0, 1024 * 1024 * GIB],
    code: 'QuotaExceeded',
  },
  storageMemberBytes: {
    unit: 'bytes',
    default: 0,
    meaning: 'The files of one member together; 0 is no limit.',
    setting: 'storage_member_bytes',
    range: [0, 1024 * 1024 * GIB],
    code: 'QuotaExceeded',
  },
  appStorageBytes: {
    unit: 'bytes',
    default: 20 * GIB,
    meaning: 'The files of one app together. Equal contents count once.',
    variable: 'NINEFOLD_APP_STORAGE_BYTES',
    range: [0, 1024 * 1024 * GIB],
    code: 'QuotaExceeded',
  },
  storageFreePercent: {
    unit: 'count',
    default: 5,
    meaning: 'Percent of the disk that uploads leave free. Below this, uploads are refused.',
    variable: 'NINEFOLD_STORAGE_FREE_PERCENT',
    range: [0, 90],
    code: 'disk_full',
  },
  storageUsageSeconds: {
    unit: 'seconds',
    default: 5,
    meaning:
      'How often a worker sums up the bytes of an app, a bucket or a member. Between two sums it adds its own uploads.',
  },
  appUploads: {
    unit: 'count',
    default: 100,
    meaning: 'Uploads of one app that one worker takes at the same time.',
    code: 'TooManyUploads',
  },
  storagePathBytes: {
    unit: 'bytes',
    default: 1024,
    meaning: 'The longest path of an object in UTF-8.',
    code: 'InvalidKey',
  },
  bucketNameCharacters: {
    unit: 'characters',
    default: 100,
    meaning: 'The longest id and name of a bucket.',
    code: 'InvalidBucketName',
  },
  storageBodyBytes: {
    unit: 'bytes',
    default: MIB,
    meaning: 'The largest body of a call of /storage/v1 that is no file.',
    code: 'EntityTooLarge',
  },
  storageMetadataBytes: {
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'The largest metadata that a client sends with a file, as JSON.',
    code: 'InvalidRequest',
  },
  bucketTypes: {
    unit: 'count',
    default: 200,
    meaning: 'Types of files that one bucket allows.',
    code: 'InvalidRequest',
  },
  mediaTypeCharacters: {
    unit: 'characters',
    default: 200,
    meaning: 'The longest type of a file. A file with a longer type has the type application/octet-stream.',
  },
  storageJsonDepth: {
    unit: 'count',
    default: 32,
    meaning: 'How deeply objects and lists may be nested in a body and in the metadata of a file.',
    code: 'InvalidRequest',
  },
  storageListOffset: {
    unit: 'count',
    default: 1_000_000_000,
    meaning: 'The most entries that a listing leaves out.',
    code: 'InvalidRequest',
  },
  storageListRows: {
    unit: 'count',
    default: 1000,
    meaning: 'The most objects and folders of one page of a listing.',
  },
  storageRemovedObjects: {
    unit: 'count',
    default: 1000,
    meaning: 'The most paths that one call removes or signs.',
    code: 'InvalidRequest',
  },
  earlyPolicyBytes: {
    unit: 'bytes',
    default: 64 * 1024,
    meaning:
      'Size from which an upload is checked against the policies before its bytes are read. All uploads are checked when their row is written.',
  },
  describedBuckets: {
    unit: 'count',
    default: 200,
    meaning: 'Buckets that the specification describes, the first ones by id.',
  },
  signedUrlSeconds: {
    unit: 'seconds',
    default: 315_360_000,
    meaning: 'The longest life of a signed URL.',
    code: 'InvalidRequest',
  },
  ownFileSeconds: {
    unit: 'seconds',
    default: 604_800,
    meaning: 'How long the links to files in a member’s download of the own data are valid.',
  },
  uploadUrlSeconds: {
    unit: 'seconds',
    default: 7200,
    meaning: 'How long a signed upload URL is valid.',
    code: 'InvalidJWT',
  },
  uploadHours: {
    unit: 'hours',
    default: 24,
    meaning: 'How long an upload in parts may take. After that, the node deletes its parts.',
    code: 'NoSuchUpload',
  },
  openUploads: {
    unit: 'count',
    default: 10_000,
    meaning: 'Uploads in parts of one app that are not complete.',
    code: 'TooManyUploads',
  },
  callerUploads: {
    unit: 'count',
    default: 1000,
    meaning: 'Uploads in parts of one member that are not complete. All callers without a session count as one member.',
    code: 'TooManyUploads',
  },
  uploadParts: {
    unit: 'count',
    default: 50_000,
    meaning: 'Parts of one resumable upload. Each request and each broken connection makes one.',
    code: 'InvalidRequest',
  },
  uploadPartBytes: {
    unit: 'bytes',
    default: 64 * MIB,
    meaning:
      'Size from which the node stores the bytes of a request to a resumable upload as a part, before more is read. If the node ends, a client repeats less than that.',
  },
  fileDifferences: {
    unit: 'count',
    default: 1000,
    meaning: 'The most differences between files and their bytes that one check reports.',
  },
  imageSourceBytes: {
    unit: 'bytes',
    default: 64 * MIB,
    meaning: 'The largest file that is scaled as an image.',
    code: 'ImageRefused',
  },
  imagePixels: {
    unit: 'count',
    default: 50_000_000,
    meaning:
      'The most pixels of an image that is scaled. The header of the file is checked before its pixels are read.',
    code: 'ImageRefused',
  },
  imageSidePixels: {
    unit: 'count',
    default: 2500,
    meaning: 'The largest width and height of a scaled image. A larger value in a request counts as this value.',
  },
  imageResultBytes: {
    unit: 'bytes',
    default: 16 * MIB,
    meaning: 'The largest scaled image.',
    code: 'ImageRefused',
  },
  imageMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long scaling one image may take. After that, the node ends the process that scales.',
    code: 'ImageRefused',
  },
  imageMemory: {
    unit: 'bytes',
    default: 768 * MIB,
    meaning: 'The memory of a process that scales images. A worker has at most two such processes.',
    code: 'ImageRefused',
  },
  appImages: {
    unit: 'count',
    default: 1,
    meaning: 'Images of one app that one worker scales at the same time.',
  },
  appImagesWaiting: {
    unit: 'count',
    default: 100,
    meaning: 'Images of one app that wait in one worker until it scales them.',
    code: 'TooManyImages',
  },
  imageWaitSeconds: {
    unit: 'seconds',
    default: 20,
    meaning: 'How long an image waits until the worker scales it.',
    code: 'TooManyImages',
  },
  refusedImageSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'How long a worker remembers that an image cannot be scaled, and refuses it without another attempt.',
  },
  imageCacheBytes: {
    unit: 'bytes',
    default: GIB,
    meaning:
      'The scaled images that a node stores. If there are more, it deletes the images that were not read for the longest time, first those of the app that has most.',
    variable: 'NINEFOLD_IMAGE_CACHE_BYTES',
    range: [0, 1024 * GIB],
  },
  orphanHours: {
    unit: 'hours',
    default: 24,
    meaning: 'How old bytes that no row names must be before the node deletes them, and how often it looks for them.',
  },
  s3Keys: {
    unit: 'count',
    default: 20,
    meaning: 'Access keys of the S3 protocol that an app has at most.',
    code: 's3_keys_full',
  },
  accessBuckets: {
    unit: 'count',
    default: 200,
    meaning: 'Buckets for which the console says who may do what.',
  },
  fileUsageSeconds: {
    unit: 'seconds',
    default: 20,
    meaning: 'How long the console may count the files of an app.',
    code: 'database_busy',
  },
});
