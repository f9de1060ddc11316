import { createServer, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { AppCalls } from './app-calls.ts';
import type { Area } from './area.ts';
import { limitSockets } from './client-sockets.ts';
import { serveErrorPages } from './error-pages.ts';
import { asNinefoldError, errorReply } from './error-reply.ts';
import { toExchange } from './exchange.ts';
import { helpLink } from './help-link.ts';
import { rewriteHost } from './host.ts';
import { refusedForHost, requestIdOf } from './incoming.ts';
import type { Pipeline } from './pipeline.ts';
import { serveConsole } from './static-files.ts';

export interface HttpParts {
  pipeline: Pipeline;
  areas: readonly Area[];
  /** Answers /apps/<ref>/openapi.json. */
  openApi: Area;
  /** The management API. */
  admin: {
    handle(exchange: Exchange): Promise<Reply>;
    /** Who a builder's call is made as; throws where the caller may not work on the app. */
    authorise(exchange: Exchange, ref: string): Promise<Identity>;
  };
  /** True while the node can answer calls. */
  isHealthy: () => Promise<boolean>;
  version: string;
  /** Where clients reach the node, without a trailing slash. */
  url: () => string;
  domain: string | null;
  defaultApp: string | null;
  trustProxy: boolean;
  /** The built web application. */
  webFolder: string;
  /** Sockets of clients that are open at the same time; more are closed. */
  clientSockets: number;
}

/** The framework's server, for those who only start and stop it. */
export type HttpServer = FastifyInstance;

/** Segments of /admin/v1/apps/:ref/rest/v1, of /admin/v1, and of /apps/:ref. */
const DOOR_SEGMENTS = 6;
const ADMIN_SEGMENTS = 2;
const APP_SEGMENTS = 2;

/** All routes on one server; nothing is bound to a port yet. */
export async function buildServer(parts: HttpParts): Promise<HttpServer> {
  const appCalls = new AppCalls(parts);
  const server = Fastify({
    serverFactory: (handler) => {
      const options = {
        // A request without Host is refused below, in words.
        requireHostHeader: false,
        maxHeaderSize: limits.urlBytes.default,
        requestTimeout: limits.requestSeconds.default * 1000,
      };
      return createServer(options, (request, response) => {
        if (!appCalls.take(request, response)) handler(request, response);
      });
    },
    bodyLimit: limits.bodyBytes.default,
    trustProxy: parts.trustProxy,
    genReqId: (request) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: limits.routeCharacters.default, ignoreTrailingSlash: false },
    rewriteUrl: (request) => rewriteHost(request.url ?? '/', request.headers.host, parts.domain, parts.defaultApp),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void send(reply, errorReply(asNinefoldError(error), request.id));
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
  server.addHook('onRequest', (request, _reply, done) => done(refusedForHost(request.raw)));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.setErrorHandler((error, request, reply) => send(reply, errorReply(asNinefoldError(error), request.id)));

  for (const area of parts.areas) {
    const door = (request: FastifyRequest, reply: FastifyReply) => {
      const { ref } = request.params as { ref: string };
      const exchange = toExchange(request, reply, DOOR_SEGMENTS, `${parts.url()}/apps/${ref}`);
      return parts.pipeline
        .answerDoor(area, ref, exchange, () => parts.admin.authorise(exchange, ref))
        .then((answered) => send(reply, answered));
    };
    server.all(`/admin/v1/apps/:ref/${area.name}/v1`, door);
    server.all(`/admin/v1/apps/:ref/${area.name}/v1/*`, door);
  }

  server.route({
    method: ['GET', 'OPTIONS'],
    url: '/apps/:ref/openapi.json',
    handler: async (request, reply) => {
      const { ref } = request.params as { ref: string };
      const exchange = toExchange(request, reply, APP_SEGMENTS, `${parts.url()}/apps/${ref}`);
      return send(reply, await parts.pipeline.answerApp(parts.openApi, ref, exchange, null));
    },
  });

  server.all('/admin/v1/*', async (request, reply) => {
    const exchange = toExchange(request, reply, ADMIN_SEGMENTS, parts.url());
    return send(reply, await parts.pipeline.answerNode(exchange, () => parts.admin.handle(exchange)));
  });

  server.get('/health', async (_request, reply) => {
    const healthy = await parts.isHealthy();
    return send(reply, {
      status: healthy ? 200 : 503,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      body: JSON.stringify({ status: healthy ? 'ok' : 'database_unavailable', version: parts.version }),
    });
  });

  serveErrorPages(server);
  await serveConsole(server, parts.webFolder, (request, reply) =>
    send(reply, errorReply(new NinefoldError('not_found'), request.id)),
  );
  return server;
}

/** Writes a reply as it is: bytes stay bytes. */
function send(reply: FastifyReply, answered: Reply): FastifyReply {
  reply.code(answered.status).headers(answered.headers);
  if (answered.cookies?.length) reply.header('set-cookie', [...answered.cookies]);
  if (!reply.hasHeader('x-request-id')) reply.header('x-request-id', reply.request.id);
  reply.header('x-content-type-options', 'nosniff');
  // An empty text would be given a content type.
  return answered.body?.length ? reply.send(answered.body) : reply.send();
}

/** What Node's parser could not read never becomes a request; it is still answered in words. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, new NinefoldError(brokenRequests[error.code ?? ''] ?? 'bad_request'));
}

/** Errors of Node's parser and timers that have a code of their own. */
const brokenRequests: Readonly<Record<string, 'headers_too_large' | 'request_timeout'>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** A refusal for what never became a request of the framework, written by hand; the connection ends with it. */
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
