import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ByteRange } from './byte-store.ts';
import { errnoOf } from './disk.ts';
import { openFileStream } from './file-stream.ts';
import { codeOfError, NO_CODE, S3Error } from './s3-error.ts';
import { canonicalQuery, EMPTY_SHA256, encodePath, type QueryPair, signHeaders } from './sign-v4.ts';

/** Where a bucket is, and how the node reaches it. */
export interface S3Location {
  /** URL of the server, without the bucket and without a path. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Empty, or ends with a slash: the start of the names of all objects. */
  readonly prefix: string;
  readonly region: string;
  /** True if the bucket is the first segment of the path, false if it is part of the host name. */
  readonly isPathStyle: boolean;
  readonly accessKey: string;
  readonly secret: string;
}

/** Times in milliseconds. */
export interface S3Timing {
  /** Time to open a connection. */
  readonly connect: number;
  /** Time without a byte in either direction. */
  readonly idle: number;
  /** Time without a byte while the server joins or copies large objects. */
  readonly work: number;
  /** Time in which a response that is no file arrives. */
  readonly response: number;
  /** Pause before the second attempt; it doubles with each attempt, up to `longestPause`. */
  readonly pause: number;
  readonly longestPause: number;
}

export const standardTiming: S3Timing = {
  connect: 5_000,
  idle: 20_000,
  work: 300_000,
  response: 60_000,
  pause: 100,
  longestPause: 3_000,
};

/** Attempts of a request that fails for a reason that may pass. */
const ATTEMPTS = 5;
/** Open connections without a request that the node keeps for later requests. */
const FREE_SOCKETS = 32;
/** Size of the longest response that is no file. A list of 1,000 keys is half as long. */
const MAX_RESPONSE = 2 * 1024 * 1024;

/** Part of a file as the body of a request. */
export interface FileBody extends ByteRange {
  readonly path: string;
  readonly sha256: string;
}

/** Text as the body of a request. */
export interface TextBody {
  readonly text: string;
  readonly sha256: string;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Name of the object, without the bucket; empty for a request to the bucket. */
  readonly object: string;
  readonly query?: readonly QueryPair[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: FileBody | TextBody;
  /** True if the server may need minutes before it sends anything. */
  readonly isLong?: boolean;
}

export interface S3Reply {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends signed requests to one bucket. Repeats those that fail for a reason that may pass. */
export class S3Client {
  readonly location: S3Location;
  readonly timing: S3Timing;
  readonly #agent: HttpAgent;
  readonly #url: URL;

  constructor(location: S3Location, timing: S3Timing = standardTiming) {
    this.location = location;
    this.timing = timing;
    this.#url = new URL(location.endpoint);
    const options = { keepAlive: true, maxFreeSockets: FREE_SOCKETS };
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /**
   * Sends a request and reads its response.
   * @param read Reads the result. It throws an S3Error for a response of status 2xx that reports a failure.
   * @throws S3Error if the last attempt failed or the status is not 2xx.
   */
  send<Result>(request: S3Request, read: (reply: S3Reply) => Result): Promise<Result> {
    return this.#repeat(async () => read(await this.#exchange(request)));
  }

  /**
   * Sends a request and returns its response before the body has arrived. The caller reads or destroys the body, and
   * watches over its length and the time that it takes.
   * @throws S3Error
   */
  open(request: S3Request): Promise<IncomingMessage> {
    return this.#repeat(async () => {
      const { response } = await this.#start(request);
      if (isSuccess(response)) return response;
      throw new S3Error(response.statusCode ?? 0, codeOfError(await this.#textOf(response, this.timing.response)));
    });
  }

  /** Closes connections without a request. */
  close(): void {
    this.#agent.destroy();
  }

  async #repeat<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof S3Error && error.isTemporary) || count >= ATTEMPTS) throw error;
        const pause = Math.min(this.timing.pause * 2 ** (count - 1), this.timing.longestPause);
        await delay(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  async #exchange(request: S3Request): Promise<S3Reply> {
    const { outgoing, response } = await this.#start(request);
    const text = await this.#textOf(response, request.isLong ? this.timing.work : this.timing.response);
    // The server refused the request before it read the body.
    if (!outgoing.writableFinished) outgoing.destroy();
    const { statusCode = 0 } = response;
    if (!isSuccess(response)) throw new S3Error(statusCode, request.method === 'HEAD' ? NO_CODE : codeOfError(text));
    return { headers: response.headers, text };
  }

  /** Sends a request and waits for the head of the response. */
  async #start(request: S3Request): Promise<{ outgoing: ClientRequest; response: IncomingMessage }> {
    const { body } = request;
    const outgoing = this.#prepare(request);
    // Errors after the response has arrived: the reader of the response meets them.
    outgoing.on('error', () => undefined);
    this.#watch(outgoing, request.isLong ? this.timing.work : this.timing.idle);
    if (body !== undefined && 'path' in body) void sendFile(body, outgoing);
    else outgoing.end(body?.text);
    try {
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      outgoing.setTimeout(0);
      return { outgoing, response };
    } catch (error) {
      throw error instanceof LocalFileError ? error.cause : toS3Error(error);
    }
  }

  #prepare({ method, object, query = [], headers = {}, body }: S3Request): ClientRequest {
    const { bucket, region, isPathStyle } = this.location;
    const { protocol, hostname, port, host } = this.#url;
    const path = encodePath(`${isPathStyle ? `/${bucket}` : ''}/${object}`);
    const length = body === undefined ? 0 : 'path' in body ? body.end - body.start + 1 : Buffer.byteLength(body.text);
    const hasBody = method === 'PUT' || method === 'POST';
    const all = {
      ...headers,
      host: isPathStyle ? host : `${bucket}.${host}`,
      ...(hasBody && { 'content-length': String(length) }),
    };
    const unsigned = { method, path, query, headers: all, payloadHash: body?.sha256 ?? EMPTY_SHA256 };
    const search = canonicalQuery(query);
    const send = protocol === 'https:' ? requestHttps : requestHttp;
    return send({
      protocol,
      hostname: (isPathStyle ? hostname : `${bucket}.${hostname}`).replace(/^\[|\]$/g, ''),
      port,
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers: signHeaders(unsigned, this.location, region, Date.now()),
      agent: this.#agent,
    });
  }

  /** Ends a request that finds no connection or on whose connection nothing moves. */
  #watch(outgoing: ClientRequest, idle: number): void {
    outgoing.setTimeout(idle, () => outgoing.destroy(new S3Error(0, 'Timeout')));
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => outgoing.destroy(new S3Error(0, 'ConnectTimeout')), this.timing.connect);
      const stop = () => clearTimeout(timer);
      socket.once('connect', stop).once('close', stop);
    });
  }

  /** Reads a response that is no file. */
  async #textOf(response: IncomingMessage, maxTime: number): Promise<string> {
    const timer = setTimeout(() => response.destroy(new S3Error(0, 'Timeout')), maxTime);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_RESPONSE) throw new S3Error(response.statusCode ?? 0, 'ResponseTooLong');
        chunks.push(chunk);
      }
    } catch (error) {
      throw toS3Error(error);
    } finally {
      clearTimeout(timer);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

/** Error of a file of the spool that could not be read while it was sent. */
class LocalFileError extends Error {
  override readonly name = 'LocalFileError';
}

/** Sends a part of a file as the body. A fault of the file destroys the request with a LocalFileError. */
async function sendFile({ path, start, end }: FileBody, outgoing: ClientRequest): Promise<void> {
  const fail = (error: unknown) => outgoing.destroy(new LocalFileError('The file cannot be read.', { cause: error }));
  if (end < start) {
    outgoing.end();
    return;
  }
  try {
    const file = await openFileStream(path, path, { start, end });
    // This listener is older than that of `pipeline`, which would report a lost connection instead.
    file.once('error', fail);
    // The request itself reports its errors.
    await pipeline(file, outgoing).catch(() => undefined);
  } catch (error) {
    fail(error);
  }
}

/** Converts an error of the connection. The result does not contain the address, which the error of Node.js names. */
export function toS3Error(error: unknown): S3Error {
  return error instanceof S3Error ? error : new S3Error(0, errnoOf(error) ?? 'ConnectionLost');
}
