import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { isStorable } from '../../calls/storable.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { JsonTooComplex, parseBoundedJson } from '../../limits/bounded-json.ts';
import { DEFAULT_TYPE } from './object-reply.ts';
import type { FileDetails } from './write-object.ts';

/** A file as it arrives. */
export interface ArrivingFile {
  readonly details: FileDetails;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The announced size; null if the client announces none. */
  readonly announced: number | null;
  /** Resolves after the last byte. Rejects if the body goes on with something else than the end of a form. */
  finished(): Promise<void>;
  /** Stops reading a body whose rest nobody needs. */
  close(): void;
}

/** The seconds for which Supabase Storage lets a browser cache a file, if the client says nothing. */
export const NO_CACHE = 'no-cache';
/** The longest name of a field of a form in characters, and the most fields and headers of a part. */
const FIELD_NAME = 100;
const FIELDS = 16;
const HEADERS = 32;
/** The most values in the metadata of a file. */
const METADATA_VALUES = 1000;
const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+/;

/**
 * Reads the description of a file: from the fields of a form (multipart/form-data), or from headers.
 * @throws NinefoldError InvalidRequest
 */
export async function readUpload(request: CallRequest): Promise<ArrivingFile> {
  const { headers, stream } = request;
  const type = headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/i.test(type)) {
    if (stream === null) throw new NinefoldError('InvalidRequest', { message: 'The form has no file.' });
    return readForm(stream, type);
  }
  return {
    details: {
      contentType: contentType(type),
      cacheControl: headers['cache-control'] ?? NO_CACHE,
      contentEncoding: headers['content-encoding'] ?? null,
      userMetadata: metadataOf(decodeBase64(headers['x-metadata'])),
    },
    bytes: stream ?? none(),
    announced: stream === null ? 0 : stream.length,
    finished: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** Returns a type that can be a header; the general type for a text that cannot. */
export const contentType = (type: string): string =>
  TYPE.test(type) && type.length <= limits.mediaTypeCharacters.default && /^[\x20-\x7E]+$/.test(type)
    ? type
    : DEFAULT_TYPE;

async function* none(): AsyncGenerator<Uint8Array> {}

/** Reads the fields before the file. The bytes of the file then stream through the parser. */
async function readForm(body: AsyncIterable<Uint8Array>, type: string): Promise<ArrivingFile> {
  const parser = openParser(type);
  const fields: Record<string, string> = {};
  parser.on('field', (name: string, value: string) => {
    fields[name] = value;
  });
  const source = Readable.from(body);
  const parsing = pipeline(source, parser);
  const file = new Promise<{ stream: Readable; type: string }>((resolve, reject) => {
    parser.once('file', (_field: string, stream: Readable, _name: string, _encoding: string, mimeType: string) =>
      resolve({ stream, type: mimeType }),
    );
    parsing.then(
      () => reject(new NinefoldError('InvalidRequest', { message: 'The form has no file.' })),
      (cause: unknown) => reject(malformed(cause)),
    );
  });
  const { stream, type: partType } = await file;
  // The parser reports its errors by `parsing`. The stream of the file can fail before it is read.
  stream.on('error', () => undefined);
  parsing.catch((error: unknown) => stream.destroy(error as Error));
  return {
    details: {
      contentType: contentType(fields.contentType ?? partType),
      cacheControl: fields.cacheControl ? maxAge(fields.cacheControl) : NO_CACHE,
      contentEncoding: fields.contentEncoding ?? null,
      userMetadata: metadataOf(fields.metadata),
    },
    bytes: partOf(stream),
    announced: null,
    finished: () =>
      parsing.catch((cause: unknown) => {
        throw malformed(cause);
      }),
    close: () => source.destroy(),
  };
}

/** Reads the part of a form. A form that ends early or is malformed ends the part with an error. */
async function* partOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (cause) {
    throw malformed(cause);
  }
}

const malformed = (cause: unknown): unknown =>
  cause instanceof NinefoldError
    ? cause
    : new NinefoldError('InvalidRequest', { message: 'The form (multipart/form-data) is malformed.', cause });

function openParser(type: string): BusboyInstance {
  const max = limits.storageMetadataBytes.default;
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        files: 1,
        fields: FIELDS,
        fieldNameSize: FIELD_NAME,
        fieldSize: max,
        headerPairs: HEADERS,
        headerSize: max,
        parts: FIELDS + 1,
      },
    });
  } catch (cause) {
    throw malformed(cause);
  }
}

/** storage-js sends seconds; a form of the app's own can send a complete value of the header. */
export const maxAge = (value: string): string => (/^\d{1,10}$/.test(value) ? `max-age=${value}` : value);

const decodeBase64 = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');

/**
 * Parses the metadata that a client sends with a file.
 * @throws NinefoldError InvalidRequest
 */
export function metadataOf(text: string | undefined): Readonly<Record<string, unknown>> | null {
  if (text === undefined || text === '') return null;
  if (Buffer.byteLength(text) > limits.storageMetadataBytes.default) {
    throw new NinefoldError('InvalidRequest', {
      message: `The metadata is longer than ${limits.storageMetadataBytes.default} bytes.`,
      limit: 'storageMetadataBytes',
    });
  }
  let value: unknown;
  try {
    value = parseBoundedJson(text, { depth: limits.storageJsonDepth.default, values: METADATA_VALUES });
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof JsonTooComplex)) throw cause;
    throw new NinefoldError('InvalidRequest', { message: 'The metadata is not valid JSON, or too complex.', cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isStorable(value)) {
    throw new NinefoldError('InvalidRequest', { message: 'The metadata must be a JSON object.' });
  }
  return value as Record<string, unknown>;
}
