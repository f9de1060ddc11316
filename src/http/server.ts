import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type AppCallParts, AppCalls, HEALTH } from './app-calls.ts';
import { BufferedBodies } from './buffered-bodies.ts';
import { toCallRequest } from './call-request.ts';
import { addressReader, type TrustedProxies } from './client-address.ts';
import { limitSockets } from './client-sockets.ts';
import { serveErrorPages } from './error-pages.ts';
import { asNinefoldError, errorReply } from './error-reply.ts';
import { helpLink } from './help-link.ts';
import { inTurn } from './in-turn.ts';
import { INERT_POLICY, nodeHeaders } from './node-headers.ts';
import { PortalPages } from './portal-pages.ts';
import { hasBody, type ReceiveBody, readBody } from './read-body.ts';
import { hostHeaderError, readTarget, requestIdOf } from './request-headers.ts';
import { SitePages } from './site-pages.ts';
import { SlowReaders } from './slow-readers.ts';
import { serveConsole } from './static-files.ts';

/** The parts of the HTTP server of a worker. */
export interface HttpParts
  extends Omit<AppCallParts, 'readAddress' | 'bufferedBodies' | 'slowReaders' | 'portal' | 'sites'> {
  /**
   * Handles a request to the management API.
   * @param receive Reads the body; null if the request has none.
   */
  handleAdmin(request: CallRequest, receive: ReceiveBody | null): Promise<Reply>;
  /** Returns true if the node can serve requests. */
  isHealthy: () => Promise<boolean>;
  trustedProxies: TrustedProxies;
  /** Folder of the built console. */
  webFolder: string;
  /** Folder of the built pages for members. */
  portalFolder: string;
  /** Maximum number of open client sockets. */
  clientSockets: number;
}

/** The framework's server, for callers that only start and stop it. */
export type HttpServer = FastifyInstance;

/** Interval of the check for requests that take too long to arrive. */
const CHECK_MILLISECONDS = 5000;

/** Number of path segments in /admin/v1. */
const ADMIN_SEGMENTS = 2;

/**
 * Creates the server with all routes, without listening on a port. The framework handles requests to the node itself,
 * `AppCalls` those to apps.
 */
export async function buildServer(parts: HttpParts): Promise<HttpServer> {
  const bufferedBodies = new BufferedBodies();
  const slowReaders = new SlowReaders();
  const readAddress = addressReader(parts.trustedProxies);
  const appCalls = new AppCalls({
    ...parts,
    readAddress,
    bufferedBodies,
    slowReaders,
    portal: new PortalPages(parts.portalFolder),
    sites: new SitePages(),
  });
  const always = nodeHeaders(parts.origins);
  const receiver = ({ raw }: FastifyRequest, reply: FastifyReply): ReceiveBody | null =>
    hasBody(raw) ? (bounds) => readBody(raw, reply.raw, bounds, bufferedBodies) : null;
  const server = Fastify({
    serverFactory: (handler) => {
      const options = {
        // `hostHeaderError` rejects a request without Host, with an error message.
        requireHostHeader: false,
        maxHeaderSize: limits.urlBytes.default,
        requestTimeout: limits.requestSeconds.default * 1000,
        headersTimeout: limits.headersSeconds.default * 1000,
        connectionsCheckingInterval: CHECK_MILLISECONDS,
      };
      const server = createServer(options, (request, response) =>
        inTurn(response, () => {
          if (!appCalls.take(request, response)) handler(request, response);
        }),
      );
      slowReaders.watch(server);
      return server;
    },
    genReqId: (request) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: limits.routeCharacters.default, ignoreTrailingSlash: false },
    rewriteUrl: (request) => readTarget(request as IncomingMessage).path,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void send(reply.headers(always), errorReply(asNinefoldError(error), request.id));
    },
  });
  limitSockets(server.server, parts.clientSockets);
  server.server.on('connect', (_request, socket: Socket) =>
    answerOnSocket(socket, new NinefoldError('method_not_allowed')),
  );
  server.server.on('checkExpectation', (_request, response: ServerResponse) => {
    answerOnSocket(response.socket, new NinefoldError('expectation_failed'));
  });
  server.addHook('preClose', (done) => {
    appCalls.close();
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(always);
    done(hostHeaderError(request.raw));
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return done(null, payload);
    const body = slowReaders.body(reply.raw, payload);
    if (body !== payload) reply.header('content-length', String(Buffer.byteLength(payload)));
    done(null, body);
  });
  server.removeAllContentTypeParsers();
  // Bodies are read later, when the caller is known.
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.setErrorHandler((error, request, reply) => send(reply, errorReply(asNinefoldError(error), request.id)));

  server.all('/admin/v1/*', async (request, reply) => {
    const callRequest = toCallRequest(request, reply, {
      segments: ADMIN_SEGMENTS,
      baseUrl: parts.origins.url,
      address: readAddress(request.raw),
    });
    return send(
      reply,
      await parts.pipeline.answerNode(callRequest, () => parts.handleAdmin(callRequest, receiver(request, reply))),
    );
  });

  server.get(HEALTH, async (_request, reply) => {
    const healthy = await parts.isHealthy();
    return send(reply, {
      status: healthy ? 200 : 503,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      body: JSON.stringify({ status: healthy ? 'ok' : 'database_unavailable' }),
    });
  });

  serveErrorPages(server);
  await serveConsole(server, parts.webFolder, parts.origins, (request, reply) =>
    send(reply, errorReply(new NinefoldError('not_found'), request.id)),
  );
  return server;
}

/** Sends a reply of the node itself. Bytes are sent unchanged. */
function send(reply: FastifyReply, answered: Reply): FastifyReply {
  reply.code(answered.status).headers(answered.headers);
  if (answered.cookies?.length) reply.header('set-cookie', [...answered.cookies]);
  if (!reply.hasHeader('x-request-id')) reply.header('x-request-id', reply.request.id);
  reply.header('content-security-policy', INERT_POLICY);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  // The framework adds a content type to an empty string.
  return answered.body?.length ? reply.send(answered.body) : reply.send();
}

/** Responds to a request that Node's parser could not read. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, new NinefoldError(brokenRequests[error.code ?? ''] ?? 'bad_request'));
}

/** Error codes of Node's parser and timers that have their own error code in Ninefold. */
const brokenRequests: Readonly<Record<string, 'headers_too_large' | 'request_timeout'>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Writes an error response directly to the socket, for a request that the framework never received, and closes the
 * connection.
 */
function answerOnSocket(socket: Socket | null, error: NinefoldError): void {
  if (!socket?.writable) return;
  const requestId = requestIdOf({});
  const { body } = errorReply(error, requestId);
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(String(body))}`,
    `x-request-id: ${requestId}`,
    `link: ${helpLink(error.code)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${String(body)}`);
}
