import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type AppCallParts, AppCalls } from './app-calls.ts';
import { corsHeaders } from './app-headers.ts';
import { Arrivals } from './arrival.ts';
import { BufferedBodies } from './buffered-bodies.ts';
import { headersTooLarge, PARSED_HEADER_BYTES, requestIdOf } from './call-request.ts';
import { addressReader, type TrustedProxies } from './client-address.ts';
import { limitSockets } from './client-sockets.ts';
import { errorReply } from './error-reply.ts';
import { type NodeCallParts, NodeCalls } from './node-calls.ts';
import { PortalPages } from './portal-pages.ts';
import { SitePages } from './site-pages.ts';
import { SlowReaders } from './slow-readers.ts';
import { handleWithoutUpgrade, isWebSocket } from './upgrade.ts';

/**
 * Time in ms for which a connection reads and ignores the rest of a refused request. Closing it at once would reset the
 * connection, and the client could lose the response.
 */
const LINGER_MILLISECONDS = 2000;

/** The parts that the server creates itself. */
type OwnParts = 'readAddress' | 'bufferedBodies' | 'arrivals' | 'slowReaders' | 'portal' | 'sites';

/** The parts of the HTTP server of a worker. */
export interface HttpParts extends Omit<AppCallParts, OwnParts>, Omit<NodeCallParts, OwnParts> {
  trustedProxies: TrustedProxies;
  /** Folder of the built pages for members. */
  portalFolder: string;
  /** Maximum number of open client sockets. */
  clientSockets: number;
  /** Time that a connection may be idle between two requests. */
  keepAliveSeconds: number;
}

/** The HTTP server of a worker. */
export interface HttpServer {
  /** Resolves once the server accepts connections. Rejects if the address cannot be used. */
  listen(options: ListenOptions): Promise<void>;
  /** Ends each connection after its next response. */
  drain(): void;
  /** Completes the requests in progress and closes all connections. */
  close(): Promise<void>;
  /** Returns the number of open connections, and of all bytes sent to clients. */
  traffic(): { connections: number; sentBytes: number };
}

/** Interval of the check for requests that take too long to arrive. */
const CHECK_MILLISECONDS = 5000;
/** Interval of the check whether a stopping server has open connections. */
const DRAIN_CHECK_MILLISECONDS = 20;

/**
 * Creates the server, without listening on a port. `AppCalls` handles requests to apps, `NodeCalls` all other requests.
 */
export function buildServer(parts: HttpParts): HttpServer {
  const slowReaders = new SlowReaders();
  const arrivals = new Arrivals();
  const shared = {
    ...parts,
    arrivals,
    readAddress: addressReader(parts.trustedProxies),
    bufferedBodies: new BufferedBodies(),
    slowReaders,
  };
  const appCalls = new AppCalls({
    ...shared,
    portal: new PortalPages(parts.portalFolder, parts.origins),
    sites: new SitePages(),
  });
  const nodeCalls = new NodeCalls(shared);
  const options = {
    // Node.js must not reject a request without the header Host, because `headerError` does so with an error of Ninefold.
    requireHostHeader: false,
    maxHeaderSize: PARSED_HEADER_BYTES,
    // `Arrivals` bounds the time in which a body arrives.
    requestTimeout: 0,
    headersTimeout: limits.headersSeconds.default * 1000,
    connectionsCheckingInterval: CHECK_MILLISECONDS,
    keepAliveTimeout: parts.keepAliveSeconds * 1000,
  };
  const turns = new RequestTurns();
  const server = createServer(options, (request, response) =>
    turns.take(response, () => {
      if (mustClose()) response.shouldKeepAlive = false;
      if (!appCalls.take(request, response)) void nodeCalls.handle(request, response);
    }),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isWebSocket(request) || !appCalls.takeSocket(request, socket, head)) {
      handleWithoutUpgrade(server, request, socket, head);
    }
  });
  slowReaders.watch(server);
  arrivals.watch(server);
  const sent = new SentBytes(server);
  const mustClose = limitSockets(server, parts.clientSockets);
  server.on('clientError', answerBrokenRequest);
  server.on('connect', (_request, socket: Socket) => answerOnSocket(socket, new NinefoldError('method_not_allowed')));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    answerOnSocket(response.socket, new NinefoldError('expectation_failed'));
  });
  return {
    traffic: () => ({ connections: sent.connections, sentBytes: sent.total }),
    listen: (where) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(where, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    drain: () => {
      appCalls.close();
      nodeCalls.close();
    },
    close: async () => {
      appCalls.close();
      nodeCalls.close();
      // The method of http.Server would also close idle connections.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await drained(server);
      server.closeIdleConnections();
      await closed;
    },
  };
}

/** Counts the bytes that a server sends. It adds nothing to a request: open sockets are asked when the total is read. */
class SentBytes {
  readonly #sockets = new Set<Socket>();
  #ofClosed = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#ofClosed += socket.bytesWritten;
        this.#sockets.delete(socket);
      });
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  get total(): number {
    let sum = this.#ofClosed;
    for (const socket of this.#sockets) sum += socket.bytesWritten;
    return sum;
  }
}

/**
 * Waits until no connection is open, at most for the limit drainMilliseconds. Meanwhile each response announces that its
 * connection closes. A client that uses its connections often then sees none of them end without notice.
 */
async function drained(server: Server): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  const until = performance.now() + limits.drainMilliseconds.default;
  while (performance.now() < until && (await connections()) > 0) await delay(DRAIN_CHECK_MILLISECONDS);
}

/** Responds to a request that Node's parser could not read, or that did not arrive in time. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // The parser fails again for each further part of a request whose response is already written.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, brokenRequests[error.code ?? '']?.() ?? new NinefoldError('bad_request'));
}

/** Errors for the codes of Node's parser and timers that have their own error code in Ninefold. */
const brokenRequests: Readonly<Record<string, () => NinefoldError>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: () => new NinefoldError('request_timeout'),
};

/**
 * Writes an error response directly to the socket, for a request that Node.js did not parse, and closes the connection.
 * The address of the request may be unknown, so pages of every origin may read the response. It contains no data of an
 * app or of the node, and it is the same for every caller.
 */
function answerOnSocket(socket: Socket | null, error: NinefoldError): void {
  if (!socket?.writable) return;
  const requestId = requestIdOf({});
  const { body, headers } = errorReply(error, requestId);
  const lines = Object.entries({
    ...headers,
    ...corsHeaders,
    'content-length': Buffer.byteLength(String(body)),
    'x-request-id': requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${String(body)}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Handles the requests of each connection one after the other. A client may send requests without waiting for responses
 * (RFC 9112, section 9.3.2). If they were handled in parallel, their responses would stay in memory until the client
 * reads the first one.
 */
export class RequestTurns {
  /** Number of requests on each connection that wait for the response to a previous request. */
  readonly #waiting = new WeakMap<Socket, number>();

  /** Calls `answer` once the responses to previous requests of the connection are finished. */
  take(response: ServerResponse, answer: () => void): void {
    // Node.js assigns the socket to a response as soon as the previous response is finished. So a response with a
    // socket need not wait.
    if (response.socket !== null) {
      answer();
      return;
    }
    const { socket } = response.req;
    const count = (this.#waiting.get(socket) ?? 0) + 1;
    if (count > limits.pipelinedRequests.default) {
      socket.destroy();
      return;
    }
    this.#waiting.set(socket, count);
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      answer();
    });
  }
}
