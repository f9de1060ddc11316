import type { IncomingMessage } from 'node:http';
import { NinefoldError } from '../errors/ninefold-error.ts';

const bodiless = new Set(['GET', 'HEAD']);

/** True where the request brings a body that means something (RFC 9110, section 9.3). */
export const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  !bodiless.has(method ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * The whole body, of `most` bytes; null for an empty one. Throws body_too_large, and then the connection must be closed, as the rest of the body is
 * still coming. Never settles where the client goes away before its end: nobody waits for an answer then.
 */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new NinefoldError('body_too_large', { headers: { connection: 'close' } }));
    if (Number(request.headers['content-length'] ?? 0) > most) {
      refuse();
      return;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > most) {
        request.off('data', onData);
        request.resume();
        refuse();
        return;
      }
      chunks.push(chunk);
    };
    request.on('data', onData);
    request.on('error', () => undefined);
    request.on('end', () =>
      resolve(bytes === 0 ? null : chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
  });
}
