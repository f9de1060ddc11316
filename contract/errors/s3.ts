import { entries, memberTexts } from './entry.ts';

const member = memberTexts.fault;
const sendAgain = 'Send the request again. If it fails each time, the client or a proxy changes the body.';

/**
 * Errors of the S3 protocol at `/storage/v1/s3`, beside those that it has in common with the other calls of
 * `/storage/v1` (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
 */
export const s3Errors = entries('storage', {
  SignatureDoesNotMatch: {
    status: 403,
    message: 'The signature does not fit this request.',
    meaning:
      'The secret key is wrong, or the request arrived with another method, host, path, query or header than the client signed.',
    action:
      'Check the secret key. If a proxy is in front of the node, let it keep the Host header and the path. Use path-style addresses.',
    member,
  },
  InvalidAccessKeyId: {
    status: 403,
    message: 'The access key id does not exist.',
    meaning: 'The app has no S3 key with this id: it was deleted or belongs to another app.',
    action: 'Create a key on the page Files of the console, or use the ref of the app together with a session token.',
    member,
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The time of the request differs too much from the time of the node.',
    meaning: 'The signed time of the request is more than s3SkewSeconds before or after the time of the node.',
    action: 'Set the clock of the client.',
    member,
    limit: 's3SkewSeconds',
  },
  RequestExpired: {
    status: 403,
    message: 'Request has expired',
    meaning: 'The presigned URL is older than the seconds in X-Amz-Expires.',
    action: 'Sign a new URL.',
    member: 'This link has expired. Please ask for a new one.',
  },
  AuthorizationHeaderMalformed: {
    status: 400,
    message: 'The authorization of the request is malformed.',
    meaning:
      'The header Authorization or the parameters X-Amz-… do not have the form of AWS Signature Version 4 for the service s3.',
    action: 'Sign the request with AWS Signature Version 4.',
    member,
  },
  MissingSecurityHeader: {
    status: 400,
    message: 'A header that the signature needs is missing.',
    meaning: 'A signed request has the headers x-amz-date or date, and x-amz-content-sha256.',
    action: 'Send the header that the message names.',
    member,
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: 'The bytes of the body do not have the SHA-256 of the header x-amz-content-sha256.',
    meaning: 'The body changed after the client signed the request, or the client computed the header wrongly.',
    action: sendAgain,
    member,
  },
  BadDigest: {
    status: 400,
    message: 'The bytes of the body do not have the digest that the client sent.',
    meaning: 'The header Content-MD5 or a checksum of the request is of other bytes than those that arrived.',
    action: sendAgain,
    member,
  },
  InvalidDigest: {
    status: 400,
    message: 'A digest of the request is malformed.',
    meaning: 'Content-MD5 and the headers x-amz-checksum-… have the digest in base64.',
    action: 'Send the digest in base64, or leave the header out.',
    member,
  },
  IncompleteBody: {
    status: 400,
    message: 'The body ended before its announced length.',
    meaning: 'The body has fewer or more bytes than the headers of the request say.',
    action: 'Send the request again.',
    member: memberTexts.tryAgain,
  },
  MissingContentLength: {
    status: 411,
    message: 'The length of the body is missing.',
    meaning: 'An aws-chunked body needs the header x-amz-decoded-content-length.',
    action: 'Send the length of the object.',
    member,
  },
  MalformedXML: {
    status: 400,
    message: 'The XML of the body is malformed.',
    meaning:
      'The body is no well-formed XML without entities and declarations, or not of the form that the operation needs.',
    action: 'Send the document that the S3 protocol defines for this operation.',
    member,
  },
  InvalidArgument: {
    status: 400,
    message: 'A parameter of the request is not valid.',
    meaning: 'A parameter or a header has a value that the operation does not take; the message names it.',
    action: 'Correct the value that the message names.',
    member,
  },
  InvalidURI: {
    status: 400,
    message: 'The path of the request cannot be decoded.',
    meaning: 'The path or the query is no percent-encoded UTF-8.',
    action: 'Encode each byte of a key that is no letter, digit, dash, dot, underscore or tilde.',
    member,
  },
  InvalidPart: {
    status: 400,
    message: 'A part of the upload does not exist.',
    meaning: 'The list of parts names a part that was not uploaded, or with another ETag.',
    action: 'Upload the part again, and complete the upload with the ETag of the response.',
    member,
  },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts is not in ascending order.',
    meaning: 'CompleteMultipartUpload lists each part once, by ascending number.',
    action: 'Sort the list of parts.',
    member,
  },
  EntityTooSmall: {
    status: 400,
    message: 'A part of the upload is too small.',
    meaning: 'Each part except the last one has at least s3MinPartBytes.',
    action: 'Upload larger parts.',
    member,
    limit: 's3MinPartBytes',
  },
  PreconditionFailed: {
    status: 412,
    message: 'At least one of the preconditions you specified did not hold.',
    meaning: 'A condition of the request (If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since) is false.',
    action: 'Read the object again.',
    member: 'This file has changed. Please reload.',
  },
  BucketAlreadyOwnedByYou: {
    status: 409,
    message: 'The bucket exists already.',
    meaning: 'The app has a bucket with this id.',
    action: 'Use the bucket, or choose another id.',
    member,
  },
  AccessControlListNotSupported: {
    status: 400,
    message: 'The bucket does not take access control lists.',
    meaning: 'Policies on storage.objects decide who may read an object, so the header x-amz-acl has no effect.',
    action: 'Leave x-amz-acl out, or send private. Use a public bucket or a policy to make objects readable.',
    member,
  },
  MetadataTooLarge: {
    status: 400,
    message: 'The metadata of the object is too large.',
    meaning: 'The headers x-amz-meta-… together exceed s3MetadataBytes.',
    action: 'Send less metadata.',
    member,
    limit: 's3MetadataBytes',
  },
  NotImplemented: {
    status: 501,
    message: 'This operation of the S3 protocol is not supported.',
    meaning:
      'Ninefold supports buckets, objects, copies, listings and multipart uploads; the message names the unsupported part.',
    action: 'Leave the option out, or use another call.',
    member,
  },
});
