import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { SHARED_PATH } from '../../contract/specification-links.ts';
import { equalSecrets } from '../admin/authorise.ts';
import type { Origins } from '../apps/registry/origins.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { METRICS_PATH, METRICS_TYPE } from '../monitoring/exposition.ts';
import type { Readiness } from '../observe/readiness.ts';
import type { TraceSampler } from '../observe/trace-context.ts';
import { HEALTH, LIVE, MONITORING, READY } from './app-calls.ts';
import { type HeaderPolicy, nodePolicies } from './app-headers.ts';
import type { Arrivals } from './arrival.ts';
import type { BufferedBodies } from './buffered-bodies.ts';
import { BuiltFiles } from './built-files.ts';
import { hasBody, headerError, readTarget, toCallRequest } from './call-request.ts';
import type { AddressReader } from './client-address.ts';
import { errorPageReply, missingLinkReply } from './error-pages.ts';
import { asNinefoldError, errorReply } from './error-reply.ts';
import { consolePolicy, sharedHeaders } from './node-headers.ts';
import type { Pipeline } from './pipeline.ts';
import { arrivingBody, type ReceiveBody } from './read-body.ts';
import type { SlowReaders } from './slow-readers.ts';
import { discardBody, writeReply } from './write-reply.ts';

/** The parts of the server that requests to the node itself use. */
export interface NodeCallParts {
  pipeline: Pipeline;
  /**
   * Handles a request to the management API.
   * @param receive Reads the body; null if the request has none.
   */
  handleAdmin(request: CallRequest, receive: ReceiveBody | null): Promise<Reply>;
  /** Returns the specification that a link with this secret shows; null if the link shows nothing. */
  readShared(request: CallRequest, secret: string): Promise<Reply | null>;
  /** Starts work whose result a page of the console will need. Never throws. */
  preparePage: (request: CallRequest) => void;
  /** Returns true if the node can serve requests. */
  isHealthy: () => Promise<boolean>;
  readonly readiness: Pick<Readiness, 'isDraining'>;
  /** Returns the metrics of the node in the text format of Prometheus; null if they cannot be read. */
  readMetrics: () => Promise<string | null>;
  operatorToken: string;
  /** Returns the number of lines of the log that the node could not write. */
  lostLines: () => number;
  /** Folder of the built console. */
  webFolder: string;
  origins: Origins;
  readAddress: AddressReader;
  bufferedBodies: BufferedBodies;
  arrivals: Arrivals;
  /** Decides to which trace a request belongs. */
  traces: TraceSampler;
  slowReaders: SlowReaders;
}

/** The methods of the management API. A request with any other method is not passed to it. */
const adminMethods: ReadonlySet<string> = new Set([
  ...['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
]);

/** Matches a media type with or without parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/;

const PAGE = 'index.html';
/** Paths that never lead to a page of the console. */
const NO_PAGE = /^\/(?:admin|apps|assets|shared)(?:\/|$)/;

/** A reply, and the header policy for it. */
interface Answer {
  readonly reply: Reply;
  readonly policy: HeaderPolicy;
}

/** Handles the requests to the node itself: management API, health check, documentation of errors, and console. */
export class NodeCalls {
  readonly #parts: NodeCallParts;
  readonly #console: BuiltFiles;
  readonly #policies: ReturnType<typeof nodePolicies>;
  #closing = false;

  constructor(parts: NodeCallParts) {
    this.#parts = parts;
    this.#console = new BuiltFiles(parts.webFolder, PAGE, /\.(?:br|gz)$/);
    this.#policies = nodePolicies(parts.origins);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = readTarget(request).path;
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const callRequest = toCallRequest(request, response, this.#parts.traces, {
      path,
      query: mark < 0 ? '' : target.slice(mark + 1),
      address: this.#parts.readAddress(request),
      baseUrl: this.#parts.origins.url,
    });
    const { reply, policy } = await this.#answer(callRequest, request, response).catch((error: unknown) =>
      this.#api(errorReply(asNinefoldError(error), callRequest.requestId), callRequest),
    );
    if (this.#closing) reply.headers.connection = 'close';
    if (response.destroyed) discardBody(reply);
    else writeReply(response, reply, policy, this.#parts.slowReaders);
  }

  /** Makes every connection close after its current response. */
  close(): void {
    this.#closing = true;
  }

  async #answer(callRequest: CallRequest, request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const refused = headerError(request);
    if (refused) throw refused;
    const { method, path } = callRequest;
    // Clients may percent-encode letters of each segment, so the segments are decoded before they are compared.
    const segments = path.split('/').map(decoded);
    const [, first, second] = segments;
    const isServed = this.#parts.origins.isServed(request.headers.host, request.socket);
    if (!isServed && !MONITORING.has(segments.join('/'))) {
      throw new NinefoldError('misdirected_request');
    }
    if (first === 'admin' && second === 'v1' && segments.length > 3 && adminMethods.has(method)) {
      return this.#api(await this.#admin(callRequest, request, response), callRequest);
    }
    if (method === 'GET' || method === 'HEAD') {
      const check = this.#checks[segments.join('/')];
      if (check) return this.#api(await check(callRequest), callRequest);
      if (first === SHARED_PATH && second !== undefined && segments.length === 3) {
        return this.#shared(callRequest, second);
      }
      const page =
        errorPageReply(segments) ??
        this.#consoleFile(callRequest, segments.slice(1).join('/')) ??
        this.#consolePage(callRequest);
      if (page) return { reply: page, policy: this.#policies.page };
    }
    throw new NinefoldError('not_found');
  }

  async #admin(callRequest: CallRequest, request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const { pipeline, handleAdmin, bufferedBodies, arrivals } = this.#parts;
    const { headers, path } = callRequest;
    const type = headers['content-type'];
    const isBodyless = callRequest.method === 'GET' || callRequest.method === 'HEAD' || callRequest.method === 'TRACE';
    if (!isBodyless && type !== undefined && !MEDIA_TYPE.test(type)) throw new NinefoldError('media_type_unsupported');
    const body = hasBody(request)
      ? arrivingBody(request, response, bufferedBodies, arrivals.begin(request, response))
      : null;
    const below = { ...callRequest, path: `/${path.split('/').slice(3).join('/')}` };
    return pipeline.answerNode(below, () => handleAdmin(below, body?.read ?? null));
  }

  async #shared(callRequest: CallRequest, secret: string): Promise<Answer> {
    const { pipeline, readShared } = this.#parts;
    // The path of the event contains no secret, because the log has paths.
    const reply = await pipeline.answerNode(
      { ...callRequest, path: `/${SHARED_PATH}` },
      async () => (await readShared(callRequest, secret)) ?? missingLinkReply(),
    );
    Object.assign(reply.headers, sharedHeaders);
    return { reply, policy: this.#policies.page };
  }

  /** The calls of monitoring, by path. */
  readonly #checks: Readonly<Record<string, (request: CallRequest) => Promise<Reply>>> = {
    [HEALTH]: () => this.#health(),
    [LIVE]: async () => checkReply(200, { status: 'ok' }),
    [READY]: () => this.#ready(),
    [METRICS_PATH]: (request) => this.#metrics(request),
  };

  async #ready(): Promise<Reply> {
    if (this.#parts.readiness.isDraining) return checkReply(503, { status: 'draining' });
    const isHealthy = await this.#parts.isHealthy();
    return checkReply(isHealthy ? 200 : 503, { status: isHealthy ? 'ok' : 'database_unavailable' });
  }

  async #metrics({ headers }: CallRequest): Promise<Reply> {
    const token = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || !equalSecrets(token, this.#parts.operatorToken)) {
      throw new NinefoldError('operator_required');
    }
    const body = await this.#parts.readMetrics();
    if (body === null) throw new NinefoldError('metrics_unavailable');
    return { status: 200, headers: { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }, body };
  }

  async #health(): Promise<Reply> {
    if (this.#parts.readiness.isDraining) return checkReply(503, { status: 'draining' });
    const isHealthy = await this.#parts.isHealthy();
    const lostLines = this.#parts.lostLines();
    return checkReply(isHealthy ? 200 : 503, {
      status: isHealthy ? 'ok' : 'database_unavailable',
      ...(lostLines > 0 && { lost_log_lines: lostLines }),
    });
  }

  #consoleFile(request: CallRequest, name: string): Reply | null {
    return name === PAGE ? null : this.#console.answer(request, name);
  }

  /**
   * Returns the page of the console, whose script reads the path itself. Returns null for paths that do not lead to a
   * page.
   */
  #consolePage(request: CallRequest): Reply | null {
    const { headers, path } = request;
    if (NO_PAGE.test(path) || !(headers.accept ?? '').includes('text/html')) return null;
    if (request.method === 'GET') this.#parts.preparePage(request);
    return this.#console.answer(request, PAGE, {
      'content-security-policy': consolePolicy(this.#parts.origins, headers.host),
      'x-frame-options': 'DENY',
    });
  }

  #api(reply: Reply, { requestId }: CallRequest): Answer {
    reply.headers['x-request-id'] ??= requestId;
    return { reply, policy: this.#policies.api };
  }
}

const checkReply = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** Percent-decodes a segment of a path. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new NinefoldError('bad_request', { cause });
  }
}
