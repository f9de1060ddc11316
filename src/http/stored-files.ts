import { extname } from 'node:path';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { matchesEntityTag, readRange } from '../calls/conditional.ts';

/** Content types by the extension of a file. */
const types: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ogg': 'audio/ogg',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/** Returns the content type of a file by its extension; `application/octet-stream` if it is not known. */
export const contentTypeOf = (path: string): string => types[extname(path).toLowerCase()] ?? 'application/octet-stream';

/** Returns true if a path ends with the extension of a file type for browsers. Such a path does not lead to a page. */
export const hasKnownType = (path: string): boolean => Object.hasOwn(types, extname(path).toLowerCase());

/** Cache-Control of a file whose name contains a hash of its content. */
export const FOREVER = 'public, max-age=31536000, immutable';

/** Returns the accepted content codings in the order of preference (RFC 9110, section 12.5.3). */
export function acceptedCodings(accepted: string | undefined): ('br' | 'gzip')[] {
  const codings = (accepted ?? '').toLowerCase().split(',');
  const accepts = (coding: string): boolean =>
    codings.some((each) => {
      const [name = '', ...params] = each.split(';').map((part) => part.trim());
      return name === coding && !params.some((param) => /^q=0(?:\.0*)?$/.test(param));
    });
  return (['br', 'gzip'] as const).filter(accepts);
}

/** A file to send, in the content coding of the response. */
interface SentFile {
  readonly status: 200 | 404;
  readonly type: string;
  /** SHA-256 of the file without a coding, in hexadecimal digits. */
  readonly sha256: string;
  /** The content coding of the response; null for the file as it is. */
  readonly coding: 'br' | 'gzip' | null;
  readonly bytes: Buffer;
  /** Cache-Control and other headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the reply with a file, a range of its bytes, or 304 if the client has it. */
export function fileReply({ method, headers }: Pick<CallRequest, 'method' | 'headers'>, file: SentFile): Reply {
  const { status, coding, bytes } = file;
  const etag = `"${file.sha256}${coding === null ? '' : `-${coding}`}"`;
  const common = { etag, vary: 'Accept-Encoding', ...file.headers };
  if (status === 200 && matchesEntityTag(headers['if-none-match'], etag)) {
    return { status: 304, headers: common, body: null };
  }
  const range = status === 200 && coding === null ? readRange(headers.range, bytes.length) : null;
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` }, body: null };
  }
  const body = range ? bytes.subarray(range[0], range[1] + 1) : bytes;
  return {
    status: range ? 206 : status,
    headers: {
      ...common,
      'accept-ranges': 'bytes',
      'content-type': file.type,
      ...(coding !== null && { 'content-encoding': coding }),
      ...(range && { 'content-range': `bytes ${range[0]}-${range[1]}/${bytes.length}` }),
      'content-length': String(body.length),
    },
    body: method === 'HEAD' ? null : body,
  };
}
