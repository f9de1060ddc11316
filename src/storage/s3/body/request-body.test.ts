import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { EMPTY_SHA256 } from '../../../files/sign-v4.ts';
import { openBody, readAll } from './request-body.ts';

const content = Buffer.from('Welcome to Amazon S3.');
const digest = (algorithm: string) => createHash(algorithm).update(content).digest('base64');
const sha256 = createHash('sha256').update(content).digest('hex');
const crc = Buffer.alloc(4);
crc.writeUInt32BE(crc32(content));

const signer = { seed: '', sign: () => '', isEqual: () => false };
const streamOf = (bytes: Uint8Array) => ({
  length: bytes.length,
  async *[Symbol.asyncIterator]() {
    yield bytes.subarray(0, 5);
    yield bytes.subarray(5);
  },
});
const open = (payloadHash: string, headers: Record<string, string> = {}, bytes: Uint8Array | null = content) =>
  openBody({ headers, stream: bytes && streamOf(bytes) }, payloadHash, signer);
const read = (body: ReturnType<typeof open>, max = 1000) => readAll(body, max, () => new Error('too large'));
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('openBody', () => {
  it.each([
    ['a SHA-256', sha256, {}],
    ['no digest', 'UNSIGNED-PAYLOAD', {}],
    ['Content-MD5', 'UNSIGNED-PAYLOAD', { 'content-md5': digest('md5') }],
    [
      'a checksum',
      'UNSIGNED-PAYLOAD',
      { 'x-amz-checksum-sha1': digest('sha1'), 'x-amz-sdk-checksum-algorithm': 'SHA1' },
    ],
    [
      'two checksums',
      sha256,
      { 'x-amz-checksum-crc32': crc.toString('base64'), 'x-amz-checksum-sha256': digest('sha256') },
    ],
  ])('passes a body with %s on', async (_, payloadHash, headers) => {
    const body = open(payloadHash, headers);
    expect(body.length).toBe(content.length);
    expect(await read(body)).toEqual(content);
  });

  it.each([
    ['XAmzContentSHA256Mismatch', EMPTY_SHA256, {}],
    ['BadDigest', 'UNSIGNED-PAYLOAD', { 'content-md5': createHash('md5').digest('base64') }],
    ['BadDigest', sha256, { 'x-amz-checksum-crc32': 'AAAAAA==' }],
    ['BadDigest', sha256, { 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' }],
  ])('fails with %s at the end of other bytes', async (expected, payloadHash, headers) => {
    await expect(read(open(payloadHash, headers))).rejects.toThrow(code(expected));
  });

  it.each([
    ['InvalidArgument', 'abc', {}],
    ['NotImplemented', 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', {}],
    ['MissingContentLength', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', {}],
    ['MissingContentLength', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', { 'x-amz-decoded-content-length': '-1' }],
    ['InvalidDigest', sha256, { 'content-md5': 'abc' }],
    ['InvalidDigest', sha256, { 'x-amz-checksum-crc32': 'AAAAAAAA' }],
    ['InvalidRequest', sha256, { 'x-amz-checksum-md4': 'AAAA' }],
  ])('throws %s for the payload %s with the headers %o', (expected, payloadHash, headers) => {
    expect(() => open(payloadHash, headers)).toThrow(code(expected));
  });

  it('verifies the digest of a request without a body', async () => {
    expect(await read(open(EMPTY_SHA256, {}, null))).toEqual(Buffer.alloc(0));
    await expect(read(open(sha256, {}, null))).rejects.toThrow(code('XAmzContentSHA256Mismatch'));
  });

  it('decodes chunks and returns the length of the content', async () => {
    const headers = { 'x-amz-decoded-content-length': '21', 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const bytes = `15\r\n${content}\r\n0\r\nx-amz-checksum-crc32:${crc.toString('base64')}\r\n\r\n`;
    const body = open('STREAMING-UNSIGNED-PAYLOAD-TRAILER', headers, Buffer.from(bytes));
    expect(body.length).toBe(21);
    expect(await read(body)).toEqual(content);
  });
});

describe('readAll', () => {
  it('rejects a body that is longer than the limit, with and without an announced length', async () => {
    await expect(read(open(sha256), 20)).rejects.toThrow('too large');
    const { [Symbol.asyncIterator]: iterate } = open(sha256);
    await expect(read({ length: null, [Symbol.asyncIterator]: iterate }, 20)).rejects.toThrow('too large');
  });
});
