import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { IncomingBody } from '../../contract/call-request.ts';
import { type ErrorCode, errors } from '../../contract/errors.ts';
import {
  APP_HEADER,
  ERROR_HEADER,
  FUNCTION_HEADER,
  IDENTITY_HEADER,
  REQUEST_ID_HEADER,
  URL_HEADER,
} from '../../contract/function-runtime.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type AppLine, DEPLOYMENTS, OUTPUT } from './host/function-host.ts';
import type { Deployment } from './host/runtime.ts';

/** Statuses of the process of the functions. */
const NO_CONTENT = 204;
const CONFLICT = 409;

/** One call of a function. */
export interface FunctionCall {
  readonly ref: string;
  readonly name: string;
  readonly method: string;
  /** Path and query as the function sees them. */
  readonly target: string;
  /** The address of the call for the function. */
  readonly url: string;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: IncomingBody | null;
  /** Called with a function that ends the call. */
  readonly onOpen: (abort: () => void) => void;
  /** Called with the socket and its first bytes if the function accepts a WebSocket; null if the call asks for none. */
  readonly onSocket: ((response: IncomingMessage, far: Socket, head: Buffer) => void) | null;
}

/** Pause before the output is read again after the process was lost. */
const RETRY_MILLISECONDS = 1000;

/** The process of the functions, as a worker uses it. */
export class FunctionClient {
  readonly #socketPath: string;
  readonly #agent = new Agent({ keepAlive: true });
  /** The identity of the deployment that the process has, by app. */
  readonly #deployed = new Map<string, string>();
  readonly #deploying = new Map<string, Promise<void>>();
  #reader: IncomingMessage | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** @param socketPath The Unix socket of the process. */
  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Passes lines of output to `onLine`, until `close`. */
  readOutput(onLine: (line: AppLine) => void): void {
    const again = () => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.readOutput(onLine), RETRY_MILLISECONDS);
    };
    const request = requestHttp({ socketPath: this.#socketPath, path: OUTPUT, agent: false }, (response) => {
      this.#reader = response;
      createInterface({ input: response }).on('line', (text) => onLine(JSON.parse(text) as AppLine));
      response.once('close', again);
    });
    request.once('error', again);
    request.end();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#reader?.destroy();
    this.#agent.destroy();
  }

  /**
   * Calls a function. The response has the status 101 if the function accepted a WebSocket.
   * @param deploymentOf Returns the functions of the app, if the process does not have them.
   * @throws NinefoldError for a call that no function answered
   */
  async call(call: FunctionCall, identity: string, deploymentOf: () => Promise<Deployment>): Promise<IncomingMessage> {
    if (this.#deployed.get(call.ref) !== identity) await this.#deploy(call.ref, identity, deploymentOf);
    const first = await this.#send(call, identity);
    if (!isReplaced(first)) return this.#checked(first);
    // The process was started again, or another worker has newer functions. A body that was read cannot be sent again.
    first.resume();
    this.#deployed.delete(call.ref);
    await this.#deploy(call.ref, identity, deploymentOf);
    if (call.body !== null) throw lost();
    const second = await this.#send(call, identity);
    if (!isReplaced(second)) return this.#checked(second);
    // Keys, secrets or functions change faster than they are sent.
    second.resume();
    throw lost();
  }

  #checked(response: IncomingMessage): IncomingMessage {
    const code = response.headers[ERROR_HEADER];
    if (code === undefined) return response;
    response.resume();
    throw new NinefoldError(codeOf(String(code)), code === 'function_busy' ? { retryAfter: 1 } : {});
  }

  #deploy(ref: string, identity: string, deploymentOf: () => Promise<Deployment>): Promise<void> {
    const known = this.#deploying.get(ref);
    if (known !== undefined) return known;
    const deploying = deploymentOf()
      .then((deployment) => this.#put(ref, deployment))
      .then(() => {
        this.#deployed.set(ref, identity);
      })
      .finally(() => this.#deploying.delete(ref));
    this.#deploying.set(ref, deploying);
    return deploying;
  }

  #put(ref: string, deployment: Deployment): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = requestHttp(
        { socketPath: this.#socketPath, agent: this.#agent, method: 'PUT', path: `${DEPLOYMENTS}${ref}` },
        (response) => {
          response.resume();
          if (response.statusCode === NO_CONTENT) resolve();
          else reject(new NinefoldError('function_not_started'));
        },
      );
      request.once('error', (cause) => reject(lost(cause)));
      request.end(JSON.stringify(deployment));
    });
  }

  #send(call: FunctionCall, identity: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = requestHttp(
        {
          socketPath: this.#socketPath,
          agent: call.onSocket === null ? this.#agent : false,
          method: call.method,
          path: call.target,
          setHost: false,
          headers: {
            ...call.headers,
            ...framing(call.body),
            ...(call.onSocket !== null && { connection: 'Upgrade', upgrade: 'websocket' }),
            [APP_HEADER]: call.ref,
            [FUNCTION_HEADER]: call.name,
            [IDENTITY_HEADER]: identity,
            [URL_HEADER]: call.url,
            [REQUEST_ID_HEADER]: call.requestId,
          },
        },
        resolve,
      );
      request.once('error', (cause) => reject(cause instanceof NinefoldError ? cause : lost(cause)));
      request.once('upgrade', (response: IncomingMessage, far: Socket, head: Buffer) => {
        call.onSocket?.(response, far, head);
        resolve(response);
      });
      call.onOpen(() => request.destroy());
      if (call.body === null) request.end();
      else void sendBody(call.body, request);
    });
  }
}

/**
 * Returns the header with which the body of a request ends. Node.js frames no body of DELETE and OPTIONS by itself: the process would read
 * its bytes as the next request of the connection, which can be of another app.
 */
const framing = (body: IncomingBody | null): Record<string, string> => {
  if (body === null) return {};
  return body.length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
};

/** Sends a body as fast as the process reads it. An error of the body, such as one that is too long, ends the call with this error. */
async function sendBody(body: IncomingBody, request: ReturnType<typeof requestHttp>): Promise<void> {
  try {
    for await (const chunk of body) {
      if (request.destroyed) return;
      if (!request.write(chunk)) await new Promise<void>((resolve) => onceWritable(request, resolve));
    }
    request.end();
  } catch (error) {
    request.destroy(error as Error);
  }
}

function onceWritable(request: ReturnType<typeof requestHttp>, resolve: () => void): void {
  const done = () => {
    request.off('drain', done);
    request.off('close', done);
    resolve();
  };
  request.on('drain', done);
  request.on('close', done);
}

const lost = (cause?: Error): NinefoldError =>
  new NinefoldError('function_busy', { status: 503, retryAfter: 1, ...(cause && { cause }) });

/** Returns true if the process does not have the functions of the call. */
const isReplaced = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === CONFLICT && headers[ERROR_HEADER] !== undefined;

const codeOf = (code: string): ErrorCode => (Object.hasOwn(errors, code) ? (code as ErrorCode) : 'function_failed');
