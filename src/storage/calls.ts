import { createBucket, deleteBucket, emptyBucket, getBucket, listBuckets, updateBucket } from './buckets/calls.ts';
import type { Endpoint } from './call.ts';
import { purgeBucket, purgeObject } from './cdn.ts';
import { renderAuthenticated, renderPublic, renderSigned } from './images/calls.ts';
import { download, downloadPublic, downloadShort, downloadSigned } from './objects/download.ts';
import { info, infoAuthenticated, infoPublic } from './objects/info.ts';
import { list } from './objects/list.ts';
import { listV2 } from './objects/list-v2.ts';
import { copy, move } from './objects/move-copy.ts';
import { ownFiles } from './objects/own-files.ts';
import { remove, removeMany } from './objects/remove.ts';
import { replace, upload, uploadSigned } from './objects/upload.ts';
import { signMany, signOne } from './signed/read-url.ts';
import { signUpload } from './signed/upload-url.ts';
import { resumableUploads } from './uploads/calls.ts';

/** Every call of /storage/v1, in the order of chapter 7. If two routes fit a path, the first one counts. */
export const calls: readonly Endpoint[] = [
  listBuckets,
  createBucket,
  getBucket,
  updateBucket,
  emptyBucket,
  deleteBucket,
  list,
  listV2,
  ownFiles,
  move,
  copy,
  signUpload,
  uploadSigned,
  signOne,
  signMany,
  downloadSigned,
  renderPublic,
  renderAuthenticated,
  renderSigned,
  infoPublic,
  infoAuthenticated,
  info,
  downloadPublic,
  download,
  downloadShort,
  upload,
  replace,
  remove,
  removeMany,
  purgeObject,
  purgeBucket,
  ...resumableUploads,
];

/** The facts of all calls, which a test writes into `contract/generated/storage-calls.json`. */
export const factsOfCalls = calls.map(({ facts }) => facts);
