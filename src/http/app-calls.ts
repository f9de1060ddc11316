import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { Origins } from '../apps/origins.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { type HeaderPolicy, headerPolicies, refusedAsScript, withoutCookies } from './app-headers.ts';
import { type AppPath, OPEN_API, readAppPath } from './app-path.ts';
import type { Area } from './area.ts';
import type { AddressReader } from './client-address.ts';
import { ClientSignal } from './client-signal.ts';
import { errorReply } from './error-reply.ts';
import type { HeldBodies } from './held-bodies.ts';
import { readTarget, refusedForHost, requestIdOf } from './incoming.ts';
import type { Pipeline } from './pipeline.ts';
import type { PortalPages } from './portal-pages.ts';
import { hasBody, type ReceiveBody, readBody } from './read-body.ts';
import type { SlowReaders } from './slow-readers.ts';
import { letGo, writeReply } from './write-reply.ts';

/** The parts of the server that requests to apps use. */
export interface AppCallParts {
  pipeline: Pipeline;
  areas: readonly Area[];
  /** Handles <app>/openapi.json. */
  openApi: Area;
  /** The pages for members on the app's own origin. */
  portal: PortalPages;
  /** Returns the identity for a builder's request; throws if the builder may not work on the app. */
  authorise: (exchange: Exchange, ref: string) => Promise<Identity>;
  origins: Origins;
  readAddress: AddressReader;
  heldBodies: HeldBodies;
  slowReaders: SlowReaders;
}

/** Path of the health check, which works on every origin. */
export const HEALTH = '/health';

/**
 * Handles all requests to apps: the API on an app's own origin, below /apps/<ref>, and for builders below /admin/v1. No
 * other code writes a reply whose content an app can choose. It takes requests before the framework does, because the
 * framework's routing, hooks and replies cost as much as the rest of a short request.
 */
export class AppCalls {
  readonly #parts: AppCallParts;
  readonly #areas: ReadonlyMap<string, Area>;
  readonly #policies: ReturnType<typeof headerPolicies>;
  #closing = false;

  constructor(parts: AppCallParts) {
    this.#parts = parts;
    this.#areas = new Map(parts.areas.map((area) => [area.name, area]));
    this.#policies = headerPolicies(parts.origins);
  }

  /** Handles a request to an app. Returns false without a side effect for a request to the node itself. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { origins } = this.#parts;
    const { path, host } = readTarget(request);
    const ref = origins.appAt(host);
    const to = readAppPath(path, ref, origins.defaultApp);
    if (!to || path === HEALTH) return false;
    if (to.isByBuilder && !this.#areas.has(to.area ?? '')) return false;
    const policy = ref !== null ? this.#policies.own : to.isByBuilder ? this.#policies.builder : this.#policies.path;
    void this.#answer(to, policy, request, response);
    return true;
  }

  /** Makes every connection close after its current response. */
  close(): void {
    this.#closing = true;
  }

  async #answer(to: AppPath, policy: HeaderPolicy, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isPath = policy === this.#policies.path;
    const headers = request.headers as Exchange['headers'];
    const exchange: Exchange = {
      method: request.method ?? 'GET',
      path: to.path,
      query: to.query,
      headers: isPath ? withoutCookies(headers) : headers,
      body: null,
      address: this.#parts.readAddress(request),
      requestId: requestIdOf(headers),
      baseUrl: this.#parts.origins.pathUrl(to.ref),
      signal: new ClientSignal(response),
    };
    const refused =
      refusedForHost(request) ?? (policy === this.#policies.own ? undefined : refusedAsScript(exchange.headers));
    const receive: ReceiveBody | null = hasBody(request)
      ? (bounds) => readBody(request, response, bounds, this.#parts.heldBodies)
      : null;
    const page = policy === this.#policies.own && to.area === null ? this.#parts.portal.answer(exchange) : null;
    const reply = refused ? refusal(refused, exchange) : (page ?? (await this.#reply(to, exchange, receive)));
    if (this.#closing) reply.headers.connection = 'close';
    if (response.destroyed) letGo(reply);
    else writeReply(response, reply, policy, this.#parts.slowReaders);
  }

  #reply(to: AppPath, exchange: Exchange, receive: ReceiveBody | null): Reply | Promise<Reply> {
    const { pipeline, openApi, authorise } = this.#parts;
    const area = this.#areas.get(to.area ?? '');
    if (area && to.isByBuilder) {
      return pipeline.answerDoor(area, to.ref, exchange, () => authorise(exchange, to.ref), receive);
    }
    if (area) return pipeline.answerApp(area, to.ref, exchange, receive);
    const isDocument = to.area === OPEN_API && documentMethods.has(exchange.method);
    if (isDocument) return pipeline.answerApp(openApi, to.ref, exchange, null);
    return refusal(new NinefoldError('not_found'), exchange);
  }
}

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function refusal(error: NinefoldError, { requestId }: Exchange): Reply {
  const reply = errorReply(error, requestId);
  reply.headers['x-request-id'] = requestId;
  return reply;
}
