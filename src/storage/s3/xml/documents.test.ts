import { describe, expect, it } from 'vitest';
import { readCompletedParts, readDeletion } from './documents.ts';

const part = (number: string, etag: string) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`;
const complete = (parts: string) =>
  readCompletedParts(Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`));
const remove = (content: string) => readDeletion(Buffer.from(`<Delete>${content}</Delete>`));

describe('readCompletedParts', () => {
  it('reads numbers and ETags without quotes, and ignores checksums', () => {
    const checksum = '<ChecksumCRC32>AAAAAA==</ChecksumCRC32>';
    expect(complete(part('1', '&quot;abc&quot;') + part('3', 'def').replace('<ETag>', `${checksum}<ETag>`))).toEqual([
      { number: 1, etag: 'abc' },
      { number: 3, etag: 'def' },
    ]);
  });

  it.each([
    ['', 'MalformedXML'],
    [part('1', ''), 'MalformedXML'],
    [part('2', 'a') + part('1', 'b'), 'InvalidPartOrder'],
    [part('1', 'a') + part('1', 'a'), 'InvalidPartOrder'],
    [part('0', 'a'), 'InvalidArgument'],
    [part('10001', 'a'), 'InvalidArgument'],
    [part('1e3', 'a'), 'InvalidArgument'],
    ['<Part><PartNumber>1</PartNumber></Part>', 'MalformedXML'],
    ['<Part><ETag>a</ETag><ETag>b</ETag><PartNumber>1</PartNumber></Part>', 'MalformedXML'],
  ])('rejects %s with %s', (parts, code) => {
    expect(() => complete(parts)).toThrow(expect.objectContaining({ code }));
  });

  it('reads 10,000 parts', () => {
    const parts = Array.from({ length: 10_000 }, (_, i) =>
      part(String(i + 1), '&quot;d41d8cd98f00b204e9800998ecf8427e&quot;'),
    );
    expect(complete(parts.join('\n'))).toHaveLength(10_000);
  });
});

describe('readDeletion', () => {
  it('keeps spaces at the ends of keys', () => {
    expect(remove('<Quiet>true</Quiet><Object><Key> a </Key></Object><Object><Key>b/c</Key></Object>')).toEqual({
      keys: [' a ', 'b/c'],
      isQuiet: true,
    });
  });

  it.each([
    ['', 'MalformedXML'],
    ['<Object><Key></Key></Object>', 'MalformedXML'],
    ['<Object><Key>a</Key></Object>'.repeat(1001), 'MalformedXML'],
    ['<Object><Key>a</Key><VersionId>1</VersionId></Object>', 'NotImplemented'],
  ])('rejects a list of case %# with %s', (content, code) => {
    expect(() => remove(content)).toThrow(expect.objectContaining({ code }));
  });
});
