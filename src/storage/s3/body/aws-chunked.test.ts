import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readSignedRequest } from '../request/signed-request.ts';
import { verifySignature } from '../request/verify-signature.ts';
import { type ChunkedForm, decodeChunks } from './aws-chunked.ts';

// The examples of Amazon's documentation of S3: 65 KiB of the letter a in chunks of 64 KiB.
const CREDENTIAL = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const content = Buffer.alloc(66_560, 'a');

function signerOf(payloadHash: string, names: string, signature: string, trailer?: string) {
  const headers = {
    host: 's3.amazonaws.com',
    'content-encoding': 'aws-chunked',
    'content-length': '66824',
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': '20130524T000000Z',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    ...(trailer && { 'x-amz-trailer': trailer }),
    authorization: `AWS4-HMAC-SHA256 Credential=${CREDENTIAL},SignedHeaders=${names},Signature=${signature}`,
  };
  const request = { method: 'PUT', target: '/examplebucket/chunkObject.txt', headers };
  return verifySignature(readSignedRequest(request, Date.UTC(2013, 4, 24)), SECRET);
}

const signed = (): ChunkedForm => ({
  length: content.length,
  signer: signerOf(
    'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class',
    '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  ),
  trailers: null,
});

const chunk = (bytes: Uint8Array, signature: string) =>
  Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)};chunk-signature=${signature}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);

const body = [
  chunk(content.subarray(0, 65_536), 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'),
  chunk(content.subarray(65_536), '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'),
  chunk(Buffer.alloc(0), 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'),
];

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function decode(bytes: Uint8Array, form: ChunkedForm, size = 10_000): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of decodeChunks(inPieces(bytes, size), form)) parts.push(part);
  return Buffer.concat(parts);
}

const rejectsWith = (code: string) => expect.objectContaining({ code });

describe('decodeChunks with signatures', () => {
  it.each([1, 7, 4096, 100_000])('decodes the example of Amazon in pieces of %i bytes', async (size) => {
    expect((await decode(Buffer.concat(body), signed(), size)).equals(content)).toBe(true);
  });

  it('rejects a changed byte, a changed signature, a missing signature and two chunks in another order', async () => {
    const [first, second, last] = body as [Buffer, Buffer, Buffer];
    const flipped = Buffer.from(first);
    flipped[1000] = 98;
    const unsigned = Buffer.concat([Buffer.from('10000\r\n'), content.subarray(0, 65_536), Buffer.from('\r\n')]);
    const other = Buffer.from(first.toString('latin1').replace('=ad80', '=bd80'), 'latin1');
    for (const parts of [
      [flipped, second, last],
      [other, second, last],
      [unsigned, second, last],
      [second, first, last],
    ]) {
      await expect(decode(Buffer.concat(parts), signed())).rejects.toThrow();
    }
    await expect(decode(Buffer.concat([flipped, second, last]), signed())).rejects.toThrow(
      rejectsWith('SignatureDoesNotMatch'),
    );
  });

  it('rejects a body that ends early, even after a complete chunk', async () => {
    const bytes = Buffer.concat(body);
    for (const length of [10, 30_000, (body[0] as Buffer).length, bytes.length - 90]) {
      await expect(decode(bytes.subarray(0, length), signed())).rejects.toThrow(rejectsWith('IncompleteBody'));
    }
  });
});

describe('decodeChunks with signatures and trailers', () => {
  const form = (): ChunkedForm => ({
    length: content.length,
    signer: signerOf(
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      'content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer',
      '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
      'x-amz-checksum-crc32c',
    ),
    trailers: ['x-amz-checksum-crc32c'],
  });
  const chunks = [
    chunk(content.subarray(0, 65_536), 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2'),
    chunk(content.subarray(65_536), '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7'),
    Buffer.from('0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n'),
  ];
  const signature = 'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n';
  const withTrailers = (trailers: string) => Buffer.concat([...chunks, Buffer.from(trailers)]);

  it('decodes the example of Amazon, also as clients of MinIO write its trailers', async () => {
    for (const end of ['\r\n', '\n\r\n']) {
      const bytes = withTrailers(`x-amz-checksum-crc32c:sOO8/Q==${end}${signature}`);
      expect((await decode(bytes, form())).equals(content)).toBe(true);
    }
  });

  it('rejects trailers that are missing, unsigned, changed or not announced', async () => {
    const checksum = 'x-amz-checksum-crc32c:sOO8/Q==\r\n';
    for (const [trailers, code] of [
      ['\r\n', 'InvalidRequest'],
      [signature, 'InvalidRequest'],
      [`${checksum}\r\n`, 'SignatureDoesNotMatch'],
      [`x-amz-checksum-crc32c:sOO8/A==\r\n${signature}`, 'SignatureDoesNotMatch'],
      [`${checksum}x-amz-checksum-crc32:sOO8/A==\r\n${signature}`, 'InvalidRequest'],
      [`${'\r\n'.repeat(50)}${checksum}${signature}`, 'InvalidRequest'],
    ] as const) {
      await expect(decode(withTrailers(trailers), form())).rejects.toThrow(rejectsWith(code));
    }
  });
});

describe('decodeChunks without signatures', () => {
  const sha256 = createHash('sha256').update(content).digest('base64');
  const form = (trailers: readonly string[] = ['x-amz-checksum-sha256']): ChunkedForm => ({
    length: content.length,
    signer: null,
    trailers,
  });
  const plain = (...sizes: readonly number[]) => {
    let position = 0;
    return sizes
      .map((size) => {
        const bytes = content.subarray(position, position + size);
        position += size;
        return `${size.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
      })
      .join('');
  };
  const bytesOf = (text: string) => Buffer.from(text, 'latin1');
  const trailer = `0\r\nx-amz-checksum-sha256:${sha256}\r\n\r\n`;

  it('verifies the checksum of the trailer', async () => {
    expect(await decode(bytesOf(plain(66_560) + trailer), form())).toEqual(content);
    const wrong = `0\r\nx-amz-checksum-sha256:${createHash('sha256').digest('base64')}\r\n\r\n`;
    await expect(decode(bytesOf(plain(66_560) + wrong), form())).rejects.toThrow(rejectsWith('BadDigest'));
  });

  it('rejects bodies of another length than announced', async () => {
    for (const length of [66_559, 66_561]) {
      await expect(decode(bytesOf(plain(66_560) + trailer), { ...form(), length })).rejects.toThrow(
        rejectsWith('IncompleteBody'),
      );
    }
  });

  it('rejects small chunks that are not the last one', async () => {
    expect(await decode(bytesOf(plain(8192, 58_367, 1) + trailer), form())).toEqual(content);
    await expect(decode(bytesOf(plain(8191, 58_369) + trailer), form())).rejects.toThrow(rejectsWith('InvalidRequest'));
  });

  it.each([
    ['a size that is no number', 'x\r\n'],
    ['a negative size', '-1\r\n'],
    ['a huge size', 'ffffffffffffffff\r\n'],
    ['a long line', '1'.repeat(5000)],
    ['a chunk without its line end', plain(66_560).slice(0, -2) + trailer],
    ['an unknown checksum', `${plain(66_560)}0\r\nx-amz-checksum-md4:abc\r\n\r\n`],
    ['a trailer without a colon', `${plain(66_560)}0\r\nabc\r\n\r\n`],
  ])('rejects %s', async (_, text) => {
    await expect(decode(bytesOf(text), form())).rejects.toThrow(rejectsWith('InvalidRequest'));
  });

  it('rejects random bytes without any other error', async () => {
    for (let i = 0; i < 200; i++) {
      await expect(decode(randomBytes(300), form())).rejects.toThrow(
        expect.objectContaining({ name: 'NinefoldError' }),
      );
    }
  });
});
