import { describe, expect, it } from 'vitest';
import { readCopySource, readOperation, readQuery } from './operation.ts';

const operation = (line: string, isCopy = false) => {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  return readOperation({ method, path, query: readQuery(query), isCopy });
};

describe('readOperation', () => {
  it.each([
    ['GET /', 'ListBuckets'],
    ['GET /?x-id=ListBuckets', 'ListBuckets'],
    ['PUT /b', 'CreateBucket'],
    ['PUT /b/', 'CreateBucket'],
    ['HEAD /b', 'HeadBucket'],
    ['DELETE /b', 'DeleteBucket'],
    ['GET /b?location', 'GetBucketLocation'],
    ['GET /b/?versioning=', 'GetBucketVersioning'],
    ['GET /b?prefix=a&delimiter=%2F', 'ListObjects'],
    ['GET /b?list-type=2&prefix=', 'ListObjectsV2'],
    ['GET /b?uploads', 'ListMultipartUploads'],
    ['POST /b?delete', 'DeleteObjects'],
  ])('reads %s as %s', (line, name) => {
    expect(operation(line)).toEqual(name === 'ListBuckets' ? { name } : { name, bucket: 'b' });
  });

  it.each([
    ['GET /b/k/l', 'GetObject'],
    ['GET /b/k/l?x-id=GetObject&X-Amz-Algorithm=x', 'GetObject'],
    ['HEAD /b/k/l', 'HeadObject'],
    ['PUT /b/k/l', 'PutObject'],
    ['DELETE /b/k/l', 'DeleteObject'],
    ['DELETE /b/k/l?versionId=null', 'DeleteObject'],
    ['POST /b/k/l?uploads=', 'CreateMultipartUpload'],
    ['PUT /b/k/l?partNumber=1&uploadId=2', 'UploadPart'],
    ['POST /b/k/l?uploadId=2', 'CompleteMultipartUpload'],
    ['DELETE /b/k/l?uploadId=2', 'AbortMultipartUpload'],
    ['GET /b/k/l?uploadId=2&max-parts=1', 'ListParts'],
  ])('reads %s as %s', (line, name) => {
    expect(operation(line)).toEqual({ name, bucket: 'b', key: 'k/l' });
  });

  it('reads copies by their header', () => {
    expect(operation('PUT /b/k', true).name).toBe('CopyObject');
    expect(operation('PUT /b/k?partNumber=1&uploadId=2', true).name).toBe('UploadPartCopy');
  });

  it('decodes keys and keeps plus signs', () => {
    expect(operation('GET /b%20c/a+b%2Fc%2Bd%20%C3%BC')).toEqual({
      name: 'GetObject',
      bucket: 'b c',
      key: 'a+b/c+d ü',
    });
    expect(operation('GET /b//k')).toEqual({ name: 'GetObject', bucket: 'b', key: '/k' });
  });

  it.each([
    'GET /b?acl',
    'PUT /b?policy',
    'PUT /b?versioning',
    'GET /b?versions',
    'POST /b',
    'PATCH /b/k',
    'POST /b/k?select&select-type=2',
    'GET /b/k?tagging',
    'GET /b/k?partNumber=1',
    'PUT /b/k?uploads',
    'GET /b/k?versionId=3',
    'POST /',
  ])('rejects %s as not implemented', (line) => {
    expect(() => operation(line)).toThrow(expect.objectContaining({ code: 'NotImplemented', status: 501 }));
  });

  it('rejects a path and a query that are no percent-encoded UTF-8, or have a null character', () => {
    expect(() => operation('GET /b/%ff')).toThrow(expect.objectContaining({ code: 'InvalidURI' }));
    expect(() => operation('GET /b/a%00')).toThrow(expect.objectContaining({ code: 'InvalidURI' }));
    expect(() => operation('GET /b?prefix=%')).toThrow(expect.objectContaining({ code: 'InvalidURI' }));
  });
});

describe('readCopySource', () => {
  it.each([
    ['/b/k', 'b', 'k'],
    ['b/k%2Bl+%3Fm', 'b', 'k+l+?m'],
    ['b%2Fk', 'b', 'k'],
    ['/b/k?versionId=null', 'b', 'k'],
  ])('reads %s', (header, bucket, key) => {
    expect(readCopySource(header)).toEqual({ bucket, key });
  });

  it('rejects a source without a key, and a version', () => {
    expect(() => readCopySource('b')).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
    expect(() => readCopySource('b/k?versionId=1')).toThrow(expect.objectContaining({ code: 'NotImplemented' }));
  });
});
