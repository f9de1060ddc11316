import type { CallRequest } from '../../../../contract/call-request.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { UNSIGNED_PAYLOAD } from '../../../files/sign-v4.ts';
import { decodeChunks, type PartSigner } from './aws-chunked.ts';
import { checkedBody, type Expectation } from './checked-body.ts';
import { decodeDigest, readChecksum } from './checksum.ts';

/** The content that a client sends, without the form in which it is transferred. */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  /** Length of the content in bytes; null if the client did not announce it. */
  readonly length: number | null;
}

/** Length of an MD5 and of a SHA-256 in bytes. */
const MD5_BYTES = 16;
const SHA256 = /^[0-9a-f]{64}$/i;
const STREAMING = /^STREAMING-(AWS4-HMAC-SHA256|UNSIGNED)-PAYLOAD(-TRAILER)?$/;
/** Digits of the largest length in bytes that a number of JavaScript represents exactly. */
const LENGTH = /^\d{1,15}$/;

/**
 * Returns the content of a request. Reading it fails if its bytes do not have the digests, the signatures or the length
 * that the client sent.
 * @param payloadHash The signed header x-amz-content-sha256.
 * @throws NinefoldError InvalidArgument, InvalidDigest, InvalidRequest, MissingContentLength, NotImplemented
 */
export function openBody(
  { headers, stream }: Pick<CallRequest, 'headers' | 'stream'>,
  payloadHash: string,
  signer: PartSigner,
): RequestBody {
  const expectations = digestsOf(headers);
  const streaming = STREAMING.exec(payloadHash);
  if (streaming) {
    const length = decodedLength(headers['x-amz-decoded-content-length']);
    const isSigned = streaming[1] !== 'UNSIGNED';
    const trailers = streaming[2] === undefined ? null : namesOf(headers['x-amz-trailer']);
    const decoded = decodeChunks(stream ?? none(), { length, signer: isSigned ? signer : null, trailers });
    return bodyOf(checkedBody(decoded, expectations), length);
  }
  if (SHA256.test(payloadHash)) expectations.push({ kind: 'content-sha256', value: Buffer.from(payloadHash, 'hex') });
  else if (payloadHash.startsWith('STREAMING-')) throw unknownPayload('NotImplemented', payloadHash);
  else if (payloadHash !== UNSIGNED_PAYLOAD) throw unknownPayload('InvalidArgument', payloadHash);
  return bodyOf(checkedBody(stream ?? none(), expectations), stream === null ? 0 : stream.length);
}

/** Reads a complete body. @throws `tooLarge` if it is longer than `maxBytes`, and the errors of the body. */
export async function readAll(body: RequestBody, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  if (body.length !== null && body.length > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const bodyOf = (bytes: AsyncIterable<Uint8Array>, length: number | null): RequestBody => ({
  length,
  [Symbol.asyncIterator]: () => bytes[Symbol.asyncIterator](),
});

async function* none(): AsyncGenerator<Uint8Array, void> {}

/** Returns the digests of the content that the headers have. */
function digestsOf(headers: CallRequest['headers']): Expectation[] {
  const { 'content-md5': md5 } = headers;
  const expectations = checksumsOf(headers);
  if (md5 === undefined) return expectations;
  return [...expectations, { kind: 'content-md5', value: decodeDigest(md5, MD5_BYTES, 'The header Content-MD5') }];
}

/** Returns the checksums of the headers `x-amz-checksum-…`. @throws NinefoldError InvalidDigest, InvalidRequest */
export const checksumsOf = (headers: CallRequest['headers']): Expectation[] =>
  Object.entries(headers).flatMap(([name, value = '']) => {
    const checksum = readChecksum(name, value);
    return checksum ? [{ kind: checksum.algorithm, value: checksum.value }] : [];
  });

function decodedLength(header: string | undefined): number {
  if (header !== undefined && LENGTH.test(header)) return Number(header);
  throw new NinefoldError('MissingContentLength');
}

const namesOf = (header: string | undefined): readonly string[] =>
  (header ?? '').split(',').flatMap((name) => name.trim().toLowerCase() || []);

const unknownPayload = (code: 'NotImplemented' | 'InvalidArgument', payloadHash: string): NinefoldError =>
  new NinefoldError(code, { message: `The value ${payloadHash} of x-amz-content-sha256 is not supported.` });
