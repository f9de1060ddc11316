import { createHash } from 'node:crypto';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { mismatch } from './checked-body.ts';
import { type Checksum, checksumAlgorithm, readChecksum, startChecksum } from './checksum.ts';
import { ChunkedReader } from './chunked-reader.ts';

/** Bytes that each chunk except the last one must have, as in Amazon S3. */
const MIN_CHUNK = 8192;
/** Maximum number of trailers of a body. */
const MAX_TRAILERS = 16;
/** The SHA-256 of nothing, which is part of what a client signs of a chunk. */
const EMPTY_SHA256 = createHash('sha256').digest('hex');
const SIGNATURE_TRAILER = 'x-amz-trailer-signature';

/** Signs the parts of a body, each together with the signature before it. */
export interface PartSigner {
  /** The signature of the request. */
  readonly seed: string;
  /**
   * Returns the signature of a part.
   * @param kind Last word of the algorithm in the string to sign.
   * @param lines The rest of the string to sign after the date and the scope.
   */
  sign(kind: 'PAYLOAD' | 'TRAILER', lines: readonly string[]): string;
  /** Compares two signatures in constant time. */
  isEqual(sent: string, expected: string): boolean;
}

/** The form of an aws-chunked body, which the headers of its request announce. */
export interface ChunkedForm {
  /** The header x-amz-decoded-content-length. */
  readonly length: number;
  /** Null for a body without signatures. */
  readonly signer: PartSigner | null;
  /** The names in the header x-amz-trailer, in lower case; null if the body has no trailers. */
  readonly trailers: readonly string[] | null;
}

/**
 * Decodes a body with `Content-Encoding: aws-chunked`: chunks with signatures, and trailers with checksums
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and sigv4-streaming-trailers.html). It passes
 * bytes on before it has verified their signature, so a reader must discard all bytes if the body fails.
 * @throws NinefoldError SignatureDoesNotMatch, BadDigest, IncompleteBody, InvalidRequest
 */
export async function* decodeChunks(
  body: AsyncIterable<Uint8Array>,
  form: ChunkedForm,
): AsyncGenerator<Uint8Array, void> {
  const reader = new ChunkedReader(body);
  try {
    const hashes = checksumsOf(form);
    const signature = new PartSignatures(form.signer);
    let received = 0;
    for (let isLast = false; !isLast; ) {
      const { size, signature: sent } = await readHead(reader);
      received += size;
      if (received > form.length) throw wrongLength();
      isLast = size === 0;
      if (!isLast && size < MIN_CHUNK && received < form.length) throw smallChunk();
      for (let left = size; left > 0; ) {
        const bytes = await reader.bytes(left);
        left -= bytes.length;
        signature.update(bytes);
        for (const hash of hashes.values()) hash.update(bytes);
        yield bytes;
      }
      signature.verifyChunk(sent);
      if (!isLast && (await reader.line()) !== '') throw malformed();
    }
    if (received !== form.length) throw wrongLength();
    for (const { algorithm, value } of await readTrailers(reader, form, signature)) {
      if (!hashes.get(algorithm)?.digest().equals(value)) throw mismatch(algorithm);
    }
  } finally {
    await reader.close();
  }
}

/** Begins the checksums that the trailers will have. */
function checksumsOf({ trailers }: ChunkedForm) {
  const hashes = new Map<Checksum['algorithm'], ReturnType<typeof startChecksum>>();
  for (const name of trailers ?? []) {
    const algorithm = checksumAlgorithm(name);
    if (algorithm !== null) hashes.set(algorithm, startChecksum(algorithm));
  }
  return hashes;
}

const HEAD = /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i;

/** Reads the line before a chunk: its size in hexadecimal digits, and its signature. */
async function readHead(reader: ChunkedReader): Promise<{ size: number; signature: string | null }> {
  const line = await reader.line();
  if (line === null) throw new NinefoldError('IncompleteBody');
  const match = HEAD.exec(line);
  const size = Number.parseInt(match?.[1] ?? '', 16);
  if (!Number.isSafeInteger(size)) throw malformed();
  return { size, signature: match?.[2] ?? null };
}

/** Reads the trailers, verifies their signature, and returns the checksums among them. */
async function readTrailers(
  reader: ChunkedReader,
  { trailers, signer }: ChunkedForm,
  signatures: PartSignatures,
): Promise<Checksum[]> {
  const checksums: Checksum[] = [];
  const missing = new Set(trailers ?? []);
  let signed = '';
  let signature: string | null = null;
  for (let count = 0; ; count++) {
    const line = await reader.line();
    // Clients of MinIO send an empty line before the signature of the trailers.
    const isEnd = line === null || (line === '' && (trailers === null || signer === null || signature !== null));
    if (isEnd) break;
    if (count > MAX_TRAILERS) throw malformed();
    if (line === '') continue;
    const { name, value } = readTrailer(line);
    if (name === SIGNATURE_TRAILER) signature = value;
    else if (!missing.delete(name)) throw malformed();
    else {
      signed += `${name}:${value}\n`;
      const checksum = readChecksum(name, value);
      if (checksum) checksums.push(checksum);
    }
  }
  if (missing.size > 0) throw malformed();
  if (trailers !== null) signatures.verifyTrailers(signature, signed);
  return checksums;
}

function readTrailer(line: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  if (colon < 1) throw malformed();
  return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() };
}

/** Verifies the signatures of chunks and trailers; without a signer, requires that the body has none. */
class PartSignatures {
  readonly #signer: PartSigner | null;
  #previous: string;
  #hash = createHash('sha256');

  constructor(signer: PartSigner | null) {
    this.#signer = signer;
    this.#previous = signer?.seed ?? '';
  }

  update(bytes: Uint8Array): void {
    if (this.#signer) this.#hash.update(bytes);
  }

  verifyChunk(sent: string | null): void {
    if (!this.#signer) return;
    this.#verify('PAYLOAD', sent, [this.#previous, EMPTY_SHA256, this.#hash.digest('hex')]);
    this.#hash = createHash('sha256');
  }

  /** @param content The trailers, each with a line feed at its end. */
  verifyTrailers(sent: string | null, content: string): void {
    if (!this.#signer) return;
    this.#verify('TRAILER', sent, [this.#previous, createHash('sha256').update(content).digest('hex')]);
  }

  #verify(kind: 'PAYLOAD' | 'TRAILER', sent: string | null, lines: readonly string[]): void {
    const expected = this.#signer?.sign(kind, lines) ?? '';
    if (sent === null || !this.#signer?.isEqual(sent, expected)) throw new NinefoldError('SignatureDoesNotMatch');
    this.#previous = expected;
  }
}

const malformed = (): NinefoldError =>
  new NinefoldError('InvalidRequest', {
    message: 'The body does not have the form aws-chunked that its headers announce.',
  });

const wrongLength = (): NinefoldError =>
  new NinefoldError('IncompleteBody', {
    message: 'The body does not have as many bytes as the header x-amz-decoded-content-length says.',
  });

const smallChunk = (): NinefoldError =>
  new NinefoldError('InvalidRequest', { message: `Each chunk except the last one has at least ${MIN_CHUNK} bytes.` });
