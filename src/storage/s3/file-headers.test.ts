import { describe, expect, it } from 'vitest';
import { metadataHeaders, readDetails, refuseUnsupported } from './file-headers.ts';

describe('readDetails', () => {
  it('reads the type, the encoding without aws-chunked, and the metadata', () => {
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'content-encoding': 'aws-chunked, gzip',
      'cache-control': 'max-age=60',
      'x-amz-meta-mtime': '12.5',
      'x-amz-date': 'other',
    };
    expect(readDetails(headers)).toEqual({
      contentType: 'text/plain; charset=utf-8',
      contentEncoding: 'gzip',
      cacheControl: 'max-age=60',
      userMetadata: { mtime: '12.5' },
    });
  });

  it('has defaults for headers that are missing', () => {
    expect(readDetails({ 'content-encoding': 'aws-chunked' })).toEqual({
      contentType: 'application/octet-stream',
      contentEncoding: null,
      cacheControl: 'no-cache',
      userMetadata: null,
    });
  });

  it('rejects metadata of more bytes than the limit', () => {
    const headers = (bytes: number) => ({ 'x-amz-meta-ab': 'x'.repeat(bytes) });
    expect(readDetails(headers(2046)).userMetadata).not.toBeNull();
    expect(() => readDetails(headers(2047))).toThrow(expect.objectContaining({ code: 'MetadataTooLarge' }));
  });
});

describe('refuseUnsupported', () => {
  it.each([
    ['x-amz-server-side-encryption-customer-key', 'k', 'NotImplemented'],
    ['x-amz-object-lock-mode', 'GOVERNANCE', 'NotImplemented'],
    ['x-amz-tagging', 'a=b', 'NotImplemented'],
    ['x-amz-acl', 'public-read', 'AccessControlListNotSupported'],
    ['x-amz-grant-read', 'id=1', 'AccessControlListNotSupported'],
  ])('rejects %s: %s with %s', (name, value, code) => {
    expect(() => refuseUnsupported({ [name]: value })).toThrow(expect.objectContaining({ code }));
  });

  it('accepts lists that grant nothing, and storage classes', () => {
    for (const list of ['private', 'bucket-owner-full-control']) {
      expect(() => refuseUnsupported({ 'x-amz-acl': list, 'x-amz-storage-class': 'GLACIER' })).not.toThrow();
    }
  });
});

describe('metadataHeaders', () => {
  it('encodes texts that a header cannot contain, and counts values that it leaves out', () => {
    expect(metadataHeaders({ Plain: 'a', text: 'ü', 'a b': 'c', number: 1, line: 'a\r\nb: c' })).toEqual({
      'x-amz-meta-plain': 'a',
      'x-amz-meta-text': '=?UTF-8?B?w7w=?=',
      'x-amz-meta-line': '=?UTF-8?B?YQ0KYjogYw==?=',
      'x-amz-missing-meta': '2',
    });
    expect(metadataHeaders(null)).toEqual({});
  });

  it('leaves values out that together are too long for headers', () => {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, 'x'.repeat(1000)]));
    const headers = metadataHeaders(metadata);
    expect(Object.keys(headers)).toHaveLength(5);
    expect(headers['x-amz-missing-meta']).toBe('16');
  });
});
