import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EMPTY_SHA256 } from '../../../files/sign-v4.ts';
import { type ReceivedRequest, readSignedRequest } from './signed-request.ts';
import { verifySignature } from './verify-signature.ts';

// The examples of Amazon's documentation of S3.
const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const host = 'examplebucket.s3.amazonaws.com';
const TIME = '20130524T000000Z';
const signedAt = Date.UTC(2013, 4, 24);
const MINUTE = 60_000;

const authorization = (signedHeaders: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signedHeaders},Signature=${signature}`;

const getRange: ReceivedRequest = {
  method: 'GET',
  target: '/test.txt',
  headers: {
    host,
    range: 'bytes=0-9',
    'x-amz-content-sha256': EMPTY_SHA256,
    'x-amz-date': TIME,
    authorization: authorization(
      'host;range;x-amz-content-sha256;x-amz-date',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ),
  },
};

const putWithDate: ReceivedRequest = {
  method: 'PUT',
  target: '/test$file.text',
  headers: {
    host,
    date: 'Fri, 24 May 2013 00:00:00 GMT',
    'x-amz-content-sha256': createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
    'x-amz-date': TIME,
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization: authorization(
      'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ),
  },
};

const list: ReceivedRequest = {
  method: 'GET',
  target: '/?max-keys=2&prefix=J',
  headers: {
    host,
    'x-amz-content-sha256': EMPTY_SHA256,
    'x-amz-date': TIME,
    authorization: authorization(
      'host;x-amz-content-sha256;x-amz-date',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ),
  },
};

const presigned = (
  signature = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  expires = '86400',
) => ({
  method: 'GET',
  target: `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${ACCESS_KEY}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=${TIME}&X-Amz-Expires=${expires}&X-Amz-SignedHeaders=host&X-Amz-Signature=${signature}`,
  headers: { host },
});

const verify = (request: ReceivedRequest, now = signedAt, secret = SECRET) =>
  verifySignature(readSignedRequest(request, now), secret);

const changed = (request: ReceivedRequest, headers: Record<string, string | undefined>): ReceivedRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

const code = (expected: string) => expect.objectContaining({ code: expected });

describe('verifySignature', () => {
  it.each([
    ['a range of an object', getRange],
    ['an upload with a character that the client did not encode', putWithDate],
    ['a list', list],
    ['a presigned URL', presigned()],
  ])('accepts the signature of %s in the examples of Amazon', (_, request) => {
    expect(() => verify(request)).not.toThrow();
  });

  it.each<[string, ReceivedRequest]>([
    ['another method', { ...getRange, method: 'PUT' }],
    ['another path', { ...getRange, target: '/test.tx' }],
    ['another parameter', { ...list, target: '/?max-keys=2&prefix=K' }],
    ['an additional parameter', { ...list, target: '/?max-keys=2&prefix=J&a' }],
    ['another host', changed(getRange, { host: 'other' })],
    ['another signed header', changed(getRange, { range: 'bytes=0-8' })],
    ['another hash of the body', changed(getRange, { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })],
    ['a shorter signature', presigned('aeeed9')],
    ['a longer life of a presigned URL', presigned(undefined, '86401')],
  ])('rejects %s', (_, request) => {
    expect(() => verify(request)).toThrow(code('SignatureDoesNotMatch'));
  });

  it('rejects another secret', () => {
    expect(() => verify(getRange, signedAt, `${SECRET}x`)).toThrow(code('SignatureDoesNotMatch'));
  });
});

describe('readSignedRequest', () => {
  it('accepts a time that differs by 15 minutes and rejects a larger difference', () => {
    for (const minutes of [-15, 15]) expect(() => verify(getRange, signedAt + minutes * MINUTE)).not.toThrow();
    for (const minutes of [-15.1, 15.1]) {
      expect(() => verify(getRange, signedAt + minutes * MINUTE)).toThrow(code('RequestTimeTooSkewed'));
    }
  });

  it('accepts a presigned URL until it expires', () => {
    expect(() => verify(presigned(), signedAt + 86_400_000)).not.toThrow();
    expect(() => verify(presigned(), signedAt + 86_400_001)).toThrow(code('RequestExpired'));
    expect(() => verify(presigned(), signedAt - 16 * MINUTE)).toThrow(code('RequestTimeTooSkewed'));
  });

  it.each<[string, string, ReceivedRequest]>([
    ['AccessDenied', 'no signature', { method: 'GET', target: '/', headers: { host } }],
    ['AccessDenied', 'an unsigned x-amz header', changed(getRange, { 'x-amz-copy-source': '/a/b' })],
    ['AccessDenied', 'an unsigned x-amz header of a presigned URL', changed(presigned(), { 'x-amz-meta-a': 'b' })],
    [
      'AuthorizationHeaderMalformed',
      'version 2',
      changed(getRange, { authorization: 'AWS AKIAIOSFODNN7EXAMPLE:abc=' }),
    ],
    ['AuthorizationHeaderMalformed', 'a bearer token', changed(getRange, { authorization: 'Bearer abc' })],
    [
      'AuthorizationHeaderMalformed',
      'no signature field',
      changed(getRange, { authorization: 'AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host' }),
    ],
    [
      'AuthorizationHeaderMalformed',
      'another service',
      changed(getRange, { authorization: authorization('host', 'a').replace('/s3/', '/ec2/') }),
    ],
    [
      'AuthorizationHeaderMalformed',
      'a signature without the host',
      changed(
        { ...getRange, headers: { host, 'x-amz-date': TIME, 'x-amz-content-sha256': EMPTY_SHA256 } },
        { authorization: authorization('x-amz-date;x-amz-content-sha256', 'a') },
      ),
    ],
    [
      'AuthorizationHeaderMalformed',
      'the date of another day',
      changed(getRange, { 'x-amz-date': '20130523T235959Z' }),
    ],
    ['AuthorizationHeaderMalformed', 'an impossible time', changed(getRange, { 'x-amz-date': '20130524T250000Z' })],
    ['AuthorizationHeaderMalformed', 'a life of zero', presigned(undefined, '0')],
    ['AuthorizationHeaderMalformed', 'a life of more than a week', presigned(undefined, '604801')],
    ['NotImplemented', 'version 4A', changed(getRange, { authorization: 'AWS4-ECDSA-P256-SHA256 Credential=a' })],
    ['MissingSecurityHeader', 'no hash of the body', changed(getRange, { 'x-amz-content-sha256': undefined })],
    ['MissingSecurityHeader', 'no time', changed(getRange, { 'x-amz-date': undefined })],
    ['InvalidURI', 'an invalid escape', { ...getRange, target: '/%f' }],
  ])('throws %s for %s', (expected, _, request) => {
    expect(() => readSignedRequest(request, signedAt)).toThrow(code(expected));
  });
});
