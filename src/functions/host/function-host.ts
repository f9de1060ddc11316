import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as requestHttp, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { ErrorCode } from '../../../contract/errors.ts';
import {
  APP_HEADER,
  ERROR_HEADER,
  FUNCTION_HEADER,
  IDENTITY_HEADER,
  REQUEST_ID_HEADER,
  URL_HEADER,
} from '../../../contract/function-runtime.ts';
import { limits } from '../../../contract/limits.ts';
import { connectionHeaders } from '../../jobs/send-request.ts';
import { openWebSocket } from '../join-sockets.ts';
import { type Deployment, type OutputLine, Runtime, type RuntimeBounds, type RuntimeParts } from './runtime.ts';

/** Bounds of a host. */
export interface HostBounds extends RuntimeBounds {
  readonly functionCalls: number;
  readonly functionIdleSeconds: number;
  readonly functionsMemoryBytes: number;
}

/** The path at which workers send functions of an app: PUT, with the ref behind it. */
export const DEPLOYMENTS = '/deployments/';
/** The path at which a worker reads output, as lines of JSON. */
export const OUTPUT = '/output';

/** A line of output with its app, as a worker reads it. */
export interface AppLine {
  readonly ref: string;
  readonly line: OutputLine;
}

/** The functions of one app, with the process that runs them. */
interface HostedApp {
  deployment: Deployment;
  runtime: Runtime | null;
  starting: Promise<Runtime> | null;
}

/** Processes of earlier deployments of an app that may finish their calls beside a new one, so that one app does not get all memory. */
const MAX_EARLIER_PROCESSES = 1;
/** How long a connection of a worker may be idle. */
const KEEP_ALIVE_MILLISECONDS = 60_000;
/** Memory that a new process needs at least. */
const NEW_PROCESS_BYTES = 64 * 1024 * 1024;
const IDLE_CHECK_MILLISECONDS = 1000;
const MILLISECONDS = 1000;
/** Time in which a process that interrupted a call is seen to end. */
const END_MILLISECONDS = 500;
const CONFLICT = 409;
const SOCKET_MODE = 0o600;
const FAILED = 500;
/** Statuses that a response of a function may have (Fetch standard, `new Response`). */
const MIN_STATUS = 200;
const MAX_STATUS = 599;
/** Lines of output that wait while no worker reads them. */
const MAX_WAITING_LINES = 10_000;

/** Headers between a worker and the host. The worker has removed those of the client's connection. */
const forHost: ReadonlySet<string> = new Set([APP_HEADER, IDENTITY_HEADER, 'connection']);

/**
 * Runs the edge functions of all apps of a node. Workers send it calls over a Unix socket; it starts a process for each app that is called,
 * passes calls on, and ends processes that rest or exceed a bound.
 */
export class FunctionHost {
  readonly #bounds: HostBounds;
  readonly #parts: RuntimeParts;
  readonly #folder: string;
  readonly #apps = new Map<string, HostedApp>();
  /** All processes that have not ended, also those of earlier deployments. */
  readonly #runtimes = new Set<Runtime>();
  readonly #server: Server;
  readonly #readers = new Set<ServerResponse>();
  readonly #waiting: string[] = [];
  #count = 0;
  readonly #timer: NodeJS.Timeout;

  /** @param folder The folder for sockets and code, which only this process uses. */
  constructor(folder: string, bounds: HostBounds, parts: RuntimeParts) {
    this.#folder = folder;
    this.#bounds = bounds;
    this.#parts = parts;
    this.#server = createServer(
      { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => undefined);
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => socket.end());
      void this.#answer(request, response, head);
    });
    this.#timer = setInterval(() => this.#stopIdle(), IDLE_CHECK_MILLISECONDS);
  }

  /** Listens for workers. @param path The path of the Unix socket. */
  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      // A process that can connect can replace the functions of every app.
      this.#server.listen(path, () => chmod(path, SOCKET_MODE).then(resolve, reject));
    });
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#server.close();
    for (const runtime of this.#runtimes) runtime.kill();
    await Promise.all([...this.#runtimes].map((runtime) => runtime.ended));
  }

  /** @param head The bytes that follow a request for a WebSocket; null for any other request. */
  async #answer(request: IncomingMessage, response: ServerResponse, head: Buffer | null = null): Promise<void> {
    try {
      if (request.headers[FUNCTION_HEADER] !== undefined) await this.#call(request, response, head);
      else if (request.method === 'PUT' && request.url?.startsWith(DEPLOYMENTS)) {
        await this.#deploy(request.url.slice(DEPLOYMENTS.length), (await json(request)) as Deployment);
        response.writeHead(204).end();
      } else if (request.url === OUTPUT) this.#addReader(response);
      else response.writeHead(404).end();
    } catch (error) {
      refuse(response, error instanceof HostError ? error.code : 'function_failed');
    }
  }

  /** Replaces the functions of an app. Calls that run end in their own process. */
  async #deploy(ref: string, deployment: Deployment): Promise<void> {
    const known = this.#apps.get(ref);
    if (known?.deployment.identity === deployment.identity) return;
    this.#apps.set(ref, { deployment, runtime: null, starting: null });
    const old = known?.runtime ?? (await known?.starting?.catch(() => null));
    if (old) void this.#retire(old);
  }

  async #retire(runtime: Runtime): Promise<void> {
    while (runtime.running > 0 && !runtime.hasEnded)
      await new Promise((resolve) => setTimeout(resolve, END_MILLISECONDS));
    await runtime.stop();
  }

  /** Passes a call to the process of its app. */
  async #call(request: IncomingMessage, response: ServerResponse, head: Buffer | null): Promise<void> {
    const ref = String(request.headers[APP_HEADER]);
    const app = this.#apps.get(ref);
    if (!app || app.deployment.identity !== request.headers[IDENTITY_HEADER]) {
      response.writeHead(CONFLICT, { [ERROR_HEADER]: 'unknown' }).end();
      return;
    }
    const runtime = app.runtime?.hasEnded === false ? app.runtime : await this.#runtimeOf(ref, app);
    if (runtime.running >= this.#bounds.functionCalls) throw new HostError('function_busy');
    runtime.running++;
    const { socket } = response;
    let isFinished = false;
    const finish = () => {
      if (!isFinished) runtime.onFinished();
      isFinished = true;
    };
    if (head === null || socket === null) response.once('close', finish);
    else socket.once('close', finish);
    if (socket?.destroyed !== false) finish();
    else this.#forward(runtime, request, response, head);
  }

  #runtimeOf(ref: string, app: HostedApp): Promise<Runtime> {
    app.starting ??= this.#start(ref, app).finally(() => {
      app.starting = null;
    });
    return app.starting;
  }

  async #start(ref: string, app: HostedApp): Promise<Runtime> {
    this.#endOldest(ref);
    this.#makeRoom();
    const folder = join(this.#folder, String(this.#count++));
    await mkdir(folder);
    const runtime = new Runtime(ref, app.deployment, folder, this.#parts, (line) => this.#write({ ref, line }));
    this.#runtimes.add(runtime);
    void runtime.ended.then(() => {
      this.#runtimes.delete(runtime);
      if (app.runtime === runtime) app.runtime = null;
    });
    try {
      await runtime.start(app.deployment);
    } catch {
      throw new HostError('function_not_started');
    }
    app.runtime = runtime;
    return runtime;
  }

  /** Ends the processes that rest longest until there is memory for another one. @throws HostError function_busy */
  #makeRoom(): void {
    const memoryOf = (runtime: Runtime) => Math.max(runtime.memoryBytes, NEW_PROCESS_BYTES);
    const resting = [...this.#runtimes]
      .filter(({ running, hasEnded, startMilliseconds }) => running === 0 && !hasEnded && startMilliseconds > 0)
      .sort((a, b) => a.lastUsed - b.lastUsed);
    let sum = [...this.#runtimes].reduce((total, runtime) => total + memoryOf(runtime), NEW_PROCESS_BYTES);
    for (const runtime of resting) {
      if (sum <= this.#bounds.functionsMemoryBytes) return;
      sum -= memoryOf(runtime);
      this.#forget(runtime);
      runtime.kill();
    }
    if (sum > this.#bounds.functionsMemoryBytes) throw new HostError('function_busy');
  }

  /** Ends the process that an app started first, if deployments and changed secrets left it several. */
  #endOldest(ref: string): void {
    const own = [...this.#runtimes].filter((runtime) => runtime.ref === ref && !runtime.hasEnded);
    for (const runtime of own.slice(0, Math.max(0, own.length - MAX_EARLIER_PROCESSES))) runtime.kill('function_busy');
  }

  /** Makes the next call start another process. */
  #forget(runtime: Runtime): void {
    const app = this.#apps.get(runtime.ref);
    if (app?.runtime === runtime) app.runtime = null;
  }

  #stopIdle(): void {
    const before = performance.now() - this.#bounds.functionIdleSeconds * MILLISECONDS;
    for (const runtime of this.#runtimes) {
      if (runtime.running > 0 || runtime.lastUsed > before || this.#apps.get(runtime.ref)?.runtime !== runtime)
        continue;
      this.#forget(runtime);
      void runtime.stop();
    }
  }

  #forward(runtime: Runtime, request: IncomingMessage, response: ServerResponse, head: Buffer | null): void {
    const isSocket = head !== null;
    const { socket } = response;
    const outgoing = requestHttp(
      {
        socketPath: runtime.socketPath,
        agent: isSocket ? false : runtime.agent,
        method: request.method,
        path: request.url,
        headers: { ...headersFor(request), ...(isSocket && { connection: 'Upgrade', upgrade: 'websocket' }) },
        setHost: false,
      },
      (received) => {
        const code = received.headers[ERROR_HEADER];
        if (code !== undefined) {
          received.resume();
          refuse(response, String(code));
          return;
        }
        const status = received.statusCode ?? FAILED;
        if (status < MIN_STATUS || status > MAX_STATUS) {
          received.destroy();
          refuse(response, 'function_failed');
          return;
        }
        try {
          response.writeHead(
            status,
            received.rawHeaders.filter((_, i, all) => !connectionHeaders.has((all[i - (i % 2)] ?? '').toLowerCase())),
          );
        } catch {
          // A function can listen in place of the runtime, and send what Node.js reads but does not write.
          received.destroy();
          refuse(response, 'function_failed');
          return;
        }
        pipeline(received, bounded(limits.functionResponseBytes.default), response, () => undefined);
      },
    );
    const timer = setTimeout(() => {
      if (isSocket && response.socket === null) socket?.destroy();
      else refuse(response, 'function_timeout');
      outgoing.destroy();
    }, this.#bounds.functionSeconds * MILLISECONDS);
    (isSocket && socket ? socket : response).once('close', () => {
      clearTimeout(timer);
      outgoing.destroy();
    });
    outgoing.on('error', () => void this.#explain(runtime, response));
    outgoing.once('upgrade', (received: IncomingMessage, far: Socket, first: Buffer) => {
      if (head === null || socket === null) {
        far.destroy();
        refuse(response, 'function_failed');
        return;
      }
      response.detachSocket(socket);
      boundBytes(far, limits.functionResponseBytes.default);
      openWebSocket({ stream: socket, head }, received, far, first);
    });
    if (isSocket) outgoing.end();
    else pipeline(request, outgoing, () => undefined);
  }

  /** Responds to a call whose connection to the process broke. */
  async #explain(runtime: Runtime, response: ServerResponse): Promise<void> {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    await Promise.race([runtime.ended, new Promise((resolve) => setTimeout(resolve, END_MILLISECONDS))]);
    refuse(response, runtime.endCode);
  }

  #addReader(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    this.#readers.add(response);
    response.once('close', () => this.#readers.delete(response));
    for (const line of this.#waiting.splice(0)) response.write(line);
  }

  /** Sends a line to one of the workers. */
  #write(line: AppLine): void {
    const text = `${JSON.stringify(line)}\n`;
    const [reader] = this.#readers;
    if (reader && reader.writableLength < MAX_WAITING_LINES) reader.write(text);
    else if (this.#waiting.length < MAX_WAITING_LINES) this.#waiting.push(text);
  }
}

/** An error of a call that no function answered. */
class HostError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

function refuse(response: ServerResponse, code: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(FAILED, { [ERROR_HEADER]: code }).end();
}

/** Returns the headers for the process: those of the client, the name of the function, the address and the request id. */
function headersFor({ headers }: IncomingMessage): Record<string, string | string[]> {
  const passed = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined && !forHost.has(entry[0]),
  );
  return Object.fromEntries(passed);
}

/** Closes a socket that has received more than this number of bytes. */
function boundBytes(socket: Socket, maxBytes: number): void {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) socket.destroy();
  });
}

/** Ends a body with an error after this number of bytes. */
function bounded(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? new Error('The response is too long.') : null, chunk);
    },
  });
}

/** Headers of the runtime that a client must not set. */
export const runtimeHeaders: readonly string[] = [
  APP_HEADER,
  IDENTITY_HEADER,
  FUNCTION_HEADER,
  URL_HEADER,
  REQUEST_ID_HEADER,
  ERROR_HEADER,
];
