import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  amzTime,
  canonicalPath,
  canonicalQuery,
  EMPTY_SHA256,
  encodePath,
  presignQuery,
  signHeaders,
} from './sign-v4.ts';

// The examples of Amazon's documentation of S3.
const credentials = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const host = 'examplebucket.s3.amazonaws.com';
const now = Date.UTC(2013, 4, 24);

describe('signHeaders', () => {
  const plain = { method: 'GET', path: '/', query: [], headers: { host }, payloadHash: EMPTY_SHA256 };
  const welcome = createHash('sha256').update('Welcome to Amazon S3.').digest('hex');
  it.each([
    [
      'a range of an object',
      { ...plain, path: '/test.txt', headers: { host, range: 'bytes=0-9' } },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'an upload with an escaped key',
      {
        ...plain,
        method: 'PUT',
        path: encodePath('/test$file.text'),
        headers: { host, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        payloadHash: welcome,
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'a query parameter without a value',
      { ...plain, query: [['lifecycle', '']] as const },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'a list of objects',
      {
        ...plain,
        query: [
          ['prefix', 'J'],
          ['max-keys', '2'],
        ] as const,
      },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('signs %s as Amazon does', (_, request, signature) => {
    expect(signHeaders(request, credentials, 'us-east-1', now).authorization).toMatch(
      new RegExp(`^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/.*,Signature=${signature}$`),
    );
  });
});

it('presignQuery signs a URL as Amazon does', () => {
  const request = { method: 'GET', path: '/test.txt', query: [], headers: { host } };
  const query = presignQuery(request, credentials, 'us-east-1', 86_400, now);
  expect(Object.fromEntries(query)).toMatchObject({
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  });
});

it('canonicalPath encodes a path of any client as encodePath encodes its text', () => {
  const text = "/bucket/ä b+c*'(1)!~/../$&=%/";
  expect(canonicalPath(encodePath(text))).toBe(encodePath(text));
  expect(canonicalPath("/a+b*c!d'(e)~/%7e/%C3%A4")).toBe('/a%2Bb%2Ac%21d%27%28e%29~/~/%C3%A4');
  expect(() => canonicalPath('/%zz')).toThrow(URIError);
});

it('canonicalQuery sorts by the encoded names and values', () => {
  const query = [
    ['b', '2'],
    ['b', '10'],
    ['é', 'ä'],
    ['a', 'x y'],
    ['B', ''],
  ] as const;
  expect(canonicalQuery(query)).toBe('%C3%A9=%C3%A4&B=&a=x%20y&b=10&b=2');
});

it('amzTime writes whole seconds', () => {
  expect(amzTime(now + 3_723_456)).toBe('20130524T010203Z');
});
