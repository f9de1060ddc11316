import http from 'node:http';
import net from 'node:net';

/** A response, exactly as it was received. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request. A header contains its length. */
  readonly body?: string | Uint8Array;
  /** The body of the request in pieces. No header contains its length. */
  readonly chunks?: Iterable<Uint8Array>;
  /** True if the request uses a new connection. It may then reach another worker than the last request. */
  readonly ownConnection?: boolean;
}

/**
 * Closes an idle connection before the server closes it (after 5 s), because a request would fail on a connection that
 * the server is closing.
 */
const agent = new http.Agent({ keepAlive: true, maxSockets: 8, timeout: 3000 });

/**
 * Sends one request without correcting it. Unlike `fetch`, it keeps the path and the headers exactly as they are given.
 * @param target Path and query.
 */
export function send(origin: string, target: string, options: HttpRequest = {}): Promise<HttpResponse> {
  const { method = 'GET', headers = {}, body, chunks } = options;
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        hostname,
        port,
        method,
        path: target,
        agent: options.ownConnection ? false : agent,
        headers: { ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }), ...headers },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString('utf8'),
          }),
        );
      },
    );
    request.on('error', reject);
    if (body !== undefined) request.write(body);
    for (const chunk of chunks ?? []) request.write(chunk);
    request.end();
  });
}

/**
 * Writes bytes to a new connection. Returns all received bytes, as soon as the server has closed the connection or has
 * sent nothing for `quiet` milliseconds.
 */
export function sendBytes(origin: string, bytes: string | Uint8Array, quiet = 300): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    let heard = '';
    socket.on('connect', () => socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes));
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      socket.setTimeout(quiet, () => socket.destroy());
    });
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on('close', () => resolve(heard));
    socket.on('error', (error) => (heard === '' ? reject(error) : resolve(heard)));
  });
}
