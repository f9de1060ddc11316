import { describe, expect, it } from 'vitest';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import {
  announcedLength,
  byteCount,
  capabilities,
  readFileMetadata,
  readMetadata,
  requirePartType,
  requireVersion,
  tusMethod,
} from './tus-headers.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const header = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',');

/** Returns the code of the error that a function throws. */
function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof NinefoldError ? error.code : String(error);
  }
  return 'none';
}

describe('readMetadata', () => {
  it('reads names with values in Base64, and names without a value', () => {
    const entries = readMetadata(`bucketName ${base64('b')},objectName ${base64('ü/灯.txt')}, flag,empty `);
    expect(Object.fromEntries(entries)).toEqual({ bucketName: 'b', objectName: 'ü/灯.txt', flag: '', empty: '' });
  });

  it('takes values without padding, and returns nothing for an empty header', () => {
    expect(readMetadata('a Yg').get('a')).toBe('b');
    expect(readMetadata('').size).toBe(0);
  });

  it.each([
    ['a value that is not Base64', 'a b$d'],
    ['a value in the alphabet of URLs', 'a _-8='],
    ['a value with a remainder that decoders ignore', 'a Yh=='],
    ['two spaces in a value', `a ${base64('b')} ${base64('c')}`],
    ['an empty entry', `a ${base64('b')},,c ${base64('d')}`],
    ['a name twice', `a ${base64('b')},a ${base64('c')}`],
    ['a name outside of ASCII', `ä ${base64('b')}`],
    ['bytes that are not UTF-8', `a ${Buffer.from([0xff, 0xfe]).toString('base64')}`],
    ['many entries', Array.from({ length: 33 }, (_, i) => `n${i} YQ==`).join(',')],
    ['a long row of commas', ','.repeat(10_000)],
  ])('refuses %s', (_what, value) => {
    expect(codeOf(() => readMetadata(value))).toBe('InvalidRequest');
  });

  it('reads a long hostile header in a short time', () => {
    const started = performance.now();
    for (const value of [`a${' '.repeat(60_000)}\u0001`, `${'a'.repeat(60_000)}\u0001`, `a ${'='.repeat(60_000)}`]) {
      expect(codeOf(() => readMetadata(value)).length).toBeGreaterThan(0);
    }
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('readFileMetadata', () => {
  const required = { bucketName: 'b', objectName: 'a/b.txt' };
  const read = (entries: Record<string, string>) => readFileMetadata({ 'upload-metadata': header(entries) });

  it('returns the place and the details of the file', () => {
    expect(
      read({ ...required, contentType: 'text/csv', cacheControl: '60', metadata: '{"a":1}', filename: 'ignored' }),
    ).toEqual({
      place: { bucket: 'b', name: 'a/b.txt' },
      details: { contentType: 'text/csv', cacheControl: 'max-age=60', contentEncoding: null, userMetadata: { a: 1 } },
    });
  });

  it('uses the general type and no-cache by default, and keeps the spelling of the path', () => {
    const { place, details } = read({ ...required, objectName: 'e\u0301' });
    expect(place.name).toBe('e\u0301');
    expect(details).toEqual({
      contentType: 'application/octet-stream',
      cacheControl: 'no-cache',
      contentEncoding: null,
      userMetadata: null,
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['no bucket', { objectName: 'a' }, 'InvalidRequest'],
    ['no path', { bucketName: 'b' }, 'InvalidRequest'],
    ['a path above the bucket', { ...required, objectName: '../a' }, 'InvalidKey'],
    ['a path with NUL', { ...required, objectName: 'a\0b' }, 'InvalidKey'],
    ['a bucket with a slash', { ...required, bucketName: 'a/b' }, 'InvalidBucketName'],
    ['a bucket with NUL', { ...required, bucketName: 'a\0' }, 'InvalidBucketName'],
    ['metadata that is no JSON', { ...required, metadata: '{' }, 'InvalidRequest'],
    ['metadata that is a list', { ...required, metadata: '[]' }, 'InvalidRequest'],
    ['metadata with NUL', { ...required, metadata: '{"a":"\\u0000"}' }, 'InvalidRequest'],
    ['deep metadata', { ...required, metadata: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}` }, 'InvalidRequest'],
  ])('refuses %s', (_what, entries, code) => {
    expect(codeOf(() => read(entries))).toBe(code);
  });

  it('replaces a type with control characters', () => {
    expect(read({ ...required, contentType: 'text/html\r\nx: y' }).details.contentType).toBe(
      'application/octet-stream',
    );
  });
});

describe('byteCount', () => {
  it('returns the number of a header', () => {
    expect(byteCount({ 'upload-offset': '0' }, 'upload-offset')).toBe(0);
    expect(byteCount({ 'upload-offset': '9007199254740991' }, 'upload-offset')).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each(['', '-1', '+1', '1.5', '1e3', '0x10', ' 1', '1, 1', '9007199254740992', '9'.repeat(30)])(
    'refuses the value “%s”',
    (value) => {
      expect(codeOf(() => byteCount({ 'upload-offset': value }, 'upload-offset'))).toBe('InvalidRequest');
    },
  );
});

describe('announcedLength', () => {
  it('returns the length, or null if the client sends it later', () => {
    expect(announcedLength({ 'upload-length': '7' })).toBe(7);
    expect(announcedLength({ 'upload-defer-length': '1' })).toBeNull();
  });

  it('refuses no length, both kinds of length, and another value of upload-defer-length', () => {
    for (const headers of [
      {},
      { 'upload-length': '1', 'upload-defer-length': '1' },
      { 'upload-defer-length': '0' },
      { 'upload-defer-length': '' },
    ]) {
      expect(codeOf(() => announcedLength(headers))).toBe('InvalidRequest');
    }
  });
});

describe('requireVersion and requirePartType', () => {
  it('take only the version and the content type of the protocol', () => {
    expect(codeOf(() => requireVersion({ 'tus-resumable': '1.0.0' }))).toBe('none');
    for (const version of [undefined, '', '1.0', '1.0.0, 1.0.0']) {
      expect(codeOf(() => requireVersion({ 'tus-resumable': version }))).toBe('TusVersionUnsupported');
    }
    expect(codeOf(() => requirePartType({ 'content-type': 'Application/Offset+Octet-Stream' }))).toBe('none');
    for (const type of [undefined, 'application/octet-stream', 'application/offset+octet-streams']) {
      expect(codeOf(() => requirePartType({ 'content-type': type }))).toBe('UploadTypeUnsupported');
    }
  });
});

describe('tusMethod', () => {
  const request = { method: 'POST', path: '/upload/resumable/x', headers: { 'x-http-method-override': 'patch' } };

  it('returns the method that a POST request to an upload names', () => {
    expect(tusMethod(request)).toBe('PATCH');
    expect(tusMethod({ ...request, headers: {} })).toBe('POST');
  });

  it('ignores the header of other methods and other paths', () => {
    expect(tusMethod({ ...request, method: 'GET' })).toBe('GET');
    for (const path of ['/object/b/x', '/upload/resumables', '/bucket/upload/resumable']) {
      expect(tusMethod({ ...request, path })).toBe('POST');
    }
  });
});

describe('capabilities', () => {
  it('names the largest upload', () => {
    expect(capabilities(10).headers['tus-max-size']).toBe('10');
  });
});
