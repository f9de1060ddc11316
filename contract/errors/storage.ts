import { entries, memberTexts } from './entry.ts';

const notYours = 'You may not do this with this file.';
const notThere = 'This file does not exist, or you may not see it.';

/**
 * Errors of `/storage/v1` with the codes of Supabase Storage (https://supabase.com/docs/guides/storage/debugging/error-codes),
 * some of which are also codes of Amazon S3.
 */
export const storageErrors = entries('storage', {
  NoSuchBucket: {
    status: 404,
    message: 'Bucket not found',
    meaning: 'The app has no bucket with this id, or the caller may not see it.',
    action: 'Create the bucket, or correct its id.',
    member: notThere,
  },
  NoSuchKey: {
    status: 404,
    message: 'Object not found',
    meaning: 'The bucket has no object with this path, or no policy on storage.objects lets the caller see it.',
    action: 'Correct the path, or add a policy for SELECT on storage.objects.',
    member: notThere,
  },
  NoSuchUpload: {
    status: 404,
    otherStatuses: { 410: 'The upload has expired.' },
    message: 'Upload not found',
    meaning: 'The upload in parts does not exist, is complete, or has expired.',
    action: 'Begin a new upload.',
    member: 'This upload has ended. Please choose the file again.',
  },
  BytesMissing: {
    status: 500,
    message: 'The content of the object is missing',
    meaning:
      'The row of the object exists, but the node stores no bytes for it: SQL wrote the row, or files were lost.',
    action: 'Upload the object again, or restore the files. `ninefold storage verify` lists such objects.',
    member: memberTexts.fault,
  },
  Quarantined: {
    status: 403,
    message: 'The object is not released yet',
    meaning: 'The app checks new files before callers may read them, and has not released this content.',
    action: 'Wait until the app calls ninefold.release_file for this version.',
    member: 'This file is being checked. Please try again in a minute.',
  },
  BucketAlreadyExists: {
    status: 409,
    message: 'The resource already exists',
    meaning: 'The app has a bucket with this id or name.',
    action: 'Choose another id.',
    member: 'This name is taken.',
  },
  KeyAlreadyExists: {
    status: 409,
    message: 'The resource already exists',
    meaning: 'The bucket has an object with this path.',
    action: 'Choose another path, or upload with x-upsert: true.',
    member: 'A file with this name exists already.',
  },
  BucketNotEmpty: {
    status: 409,
    message: 'The bucket you tried to delete is not empty',
    meaning: 'Only an empty bucket can be deleted.',
    action: 'Empty the bucket first.',
    member: memberTexts.fault,
  },
  InvalidBucketName: {
    status: 400,
    message: 'Bucket name invalid',
    meaning: 'The id of a bucket has 1 to 100 letters, digits and the characters of a file name, and no slash.',
    action: 'Choose another id.',
    member: memberTexts.fault,
  },
  InvalidKey: {
    status: 400,
    message: 'Invalid key',
    meaning:
      'The path of an object is valid Unicode of at most storagePathBytes in UTF-8, does not start with a slash, and has no control characters and no segment that is empty, “.” or “..”.',
    action: 'Choose another path.',
    member: 'Please rename the file and try again.',
    limit: 'storagePathBytes',
  },
  InvalidRequest: {
    status: 400,
    message: 'The request is not valid',
    meaning:
      'A field, a parameter or a header of the request has a value that the call does not take; the message names it.',
    action: 'Correct the value that the message names.',
    member: memberTexts.fault,
  },
  InvalidJWT: {
    status: 400,
    otherStatuses: { 401: 'The call needs a caller and the request has neither key nor token.' },
    message: 'Invalid Compact JWS',
    meaning:
      'The token in the header Authorization, or the token of the signed URL, is malformed, expired or not of this app.',
    action: 'Send a valid access token or key, or ask for a new signed URL.',
    member: memberTexts.signInAgain,
  },
  InvalidSignature: {
    status: 400,
    message: 'The signed URL does not fit this request',
    meaning:
      'The token of a signed URL is valid for one object and one way of reading it, and this request is for another.',
    action: 'Use the URL unchanged, or sign a URL for this object.',
    member: 'This link does not work. Please ask for a new one.',
  },
  InvalidUploadSignature: {
    status: 403,
    message: 'The signed upload URL cannot be used',
    meaning:
      'The token of a signed upload URL is valid for one upload to one path, and was used or is for another path.',
    action: 'Create another signed upload URL.',
    member: 'This link was used already. Please ask for a new one.',
  },
  AccessDenied: {
    status: 403,
    message: 'new row violates row-level security policy',
    meaning: 'No policy on storage.objects or storage.buckets lets the caller do this.',
    action: 'Add a policy for the operation, or sign in as somebody who may do this. Chapter 6 shows who may.',
    member: notYours,
  },
  EntityTooLarge: {
    status: 413,
    message: 'The object exceeded the maximum allowed size',
    meaning: 'The file is larger than storageFileBytes, or than the limit of its bucket.',
    action: 'Upload a smaller file, or raise the limit of the bucket or of the app.',
    member: 'This file is too large.',
    limit: 'storageFileBytes',
  },
  QuotaExceeded: {
    status: 413,
    message: 'There is no space left for this file',
    meaning: 'The app, the bucket or the member stores as many bytes as the limit that the message names allows.',
    action: 'Delete files, or raise the limit.',
    member: 'There is no space left for this file. Please delete other files first.',
  },
  InvalidMimeType: {
    status: 415,
    message: 'mime type is not supported',
    meaning:
      'The bucket takes only some types, and the declared type or the first bytes of the file are of another type.',
    action: 'Upload a file of an allowed type with its right content type, or change allowed_mime_types of the bucket.',
    member: 'Files of this type cannot be uploaded here.',
  },
  InvalidRange: {
    status: 416,
    message: 'The requested range cannot be satisfied',
    meaning: 'The header Range asks for bytes that the object does not have.',
    action: 'Ask for a range within the size of the object.',
    member: memberTexts.fault,
  },
  TooManyUploads: {
    status: 429,
    message: 'Too many uploads at the same time',
    meaning: 'The app has as many uploads in progress on this worker as appUploads allows.',
    action: 'Wait until an upload has ended.',
    member: memberTexts.tryAgain,
    limit: 'appUploads',
  },
  ResourceLocked: {
    status: 423,
    message: 'Another request writes to this upload',
    meaning: 'Only one request at a time may send bytes of an upload in parts.',
    action: 'Wait until the other request has ended, then ask for the offset again.',
    member: memberTexts.tryAgain,
  },
  UploadOffsetConflict: {
    status: 409,
    message: 'Upload-Offset conflict',
    meaning:
      'The header Upload-Offset is not the number of bytes that the node has, because a part was lost or another request has sent it.',
    action: 'Ask for the offset with HEAD, and continue there.',
    member: memberTexts.tryAgain,
  },
  TusVersionUnsupported: {
    status: 412,
    message: 'Tus-Resumable Required',
    meaning: 'The header Tus-Resumable is missing, or names a version of the protocol other than 1.0.0.',
    action: 'Send Tus-Resumable: 1.0.0.',
    member: memberTexts.fault,
  },
  UploadTypeUnsupported: {
    status: 415,
    message: 'The body of a part has the wrong content type',
    meaning: 'The bytes of a resumable upload have the content type application/offset+octet-stream.',
    action: 'Send Content-Type: application/offset+octet-stream. The type of the file is in Upload-Metadata.',
    member: memberTexts.fault,
  },
  StorageNotInstalled: {
    status: 404,
    message: 'This app has no file storage',
    meaning: 'The app is on a database that existed before, and its schema storage is not Ninefold’s.',
    action: 'Use an app with a database that Ninefold created.',
    member: memberTexts.fault,
  },
  ImageRefused: {
    status: 422,
    message: 'The image cannot be scaled',
    meaning: 'The object is no image that can be scaled, or has more pixels or takes longer than the limits allow.',
    action: 'Use the object itself, or upload a smaller image.',
    member: 'This picture cannot be shown.',
  },
  TooManyImages: {
    status: 429,
    message: 'Too many images wait to be scaled',
    meaning:
      'Images of the app wait until this worker scales them: as many as appImagesWaiting allows, or for longer than imageWaitSeconds.',
    action: 'Try again later. Each image is scaled once and then stored.',
    member: memberTexts.tryAgain,
    limit: 'appImagesWaiting',
  },
  ImagesUnavailable: {
    status: 501,
    message: 'Images cannot be scaled here',
    meaning: 'The optional package sharp is not installed on this node.',
    action: 'Install sharp, or use the object itself.',
    member: memberTexts.fault,
  },
});
