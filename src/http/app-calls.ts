import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { Origins } from '../apps/origins.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { ApiHandler } from './api-handler.ts';
import { type HeaderPolicy, headerPolicies, refusedAsScript, withoutCookies } from './app-headers.ts';
import { type AppPath, OPEN_API, readAppPath } from './app-path.ts';
import type { BufferedBodies } from './buffered-bodies.ts';
import { toCallRequest } from './call-request.ts';
import type { AddressReader } from './client-address.ts';
import { errorReply } from './error-reply.ts';
import type { Pipeline } from './pipeline.ts';
import { isAccountPath, type PortalPages } from './portal-pages.ts';
import { hasBody, type ReceiveBody, readBody } from './read-body.ts';
import { hostHeaderError, readTarget } from './request-headers.ts';
import type { SitePages } from './site-pages.ts';
import type { SlowReaders } from './slow-readers.ts';
import { discardBody, writeReply } from './write-reply.ts';

/** The parts of the server that requests to apps use. */
export interface AppCallParts {
  pipeline: Pipeline;
  areas: readonly ApiHandler[];
  /** Handles <app>/openapi.json. */
  openApi: ApiHandler;
  /** The pages for members on the app's own origin. */
  portal: PortalPages;
  /** The apps' own front ends. */
  sites: SitePages;
  /** Returns the identity for a builder's request; throws if the builder may not work on the app. */
  authorise: (request: CallRequest, ref: string) => Promise<Identity>;
  origins: Origins;
  readAddress: AddressReader;
  bufferedBodies: BufferedBodies;
  slowReaders: SlowReaders;
}

/** Path of the health check, which works on every origin. */
export const HEALTH = '/health';

/**
 * Handles all requests to apps: the API on an app's own origin, below /apps/<ref>, and for builders below /admin/v1. No
 * other code writes a reply whose content an app can choose.
 */
export class AppCalls {
  readonly #parts: AppCallParts;
  readonly #areas: ReadonlyMap<string, ApiHandler>;
  readonly #policies: ReturnType<typeof headerPolicies>;
  #closing = false;

  constructor(parts: AppCallParts) {
    this.#parts = parts;
    this.#areas = new Map(parts.areas.map((api) => [api.name, api]));
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
    const headers = request.headers as CallRequest['headers'];
    const callRequest = toCallRequest(request, response, {
      path: to.path,
      query: to.query,
      headers: isPath ? withoutCookies(headers) : headers,
      address: this.#parts.readAddress(request),
      baseUrl: this.#parts.origins.pathUrl(to.ref),
    });
    const refused =
      hostHeaderError(request) ?? (policy === this.#policies.own ? undefined : refusedAsScript(callRequest.headers));
    const receive: ReceiveBody | null = hasBody(request)
      ? (bounds) => readBody(request, response, bounds, this.#parts.bufferedBodies)
      : null;
    const isPage = !refused && policy === this.#policies.own && to.area === null;
    const page = isPage ? await this.#page(to.ref, callRequest) : null;
    const reply = refused ? refusal(refused, callRequest) : (page ?? (await this.#reply(to, callRequest, receive)));
    if (this.#closing) reply.headers.connection = 'close';
    if (response.destroyed) discardBody(reply);
    else writeReply(response, reply, policy, this.#parts.slowReaders);
  }

  /** Returns a page or a file of the app's own front end, or of the pages for members; null if neither has the path. */
  async #page(ref: string, request: CallRequest): Promise<Reply | null> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const { pipeline, portal, sites } = this.#parts;
    const page = portal.answer(request);
    if (isAccountPath(request.path)) return page;
    return pipeline.answerPage(ref, request, page, (app) => sites.answer(app, request));
  }

  #reply(to: AppPath, request: CallRequest, receive: ReceiveBody | null): Reply | Promise<Reply> {
    const { pipeline, openApi, authorise } = this.#parts;
    const api = this.#areas.get(to.area ?? '');
    if (api && to.isByBuilder) {
      return pipeline.answerDoor(api, to.ref, request, () => authorise(request, to.ref), receive);
    }
    if (api) return pipeline.answerApp(api, to.ref, request, receive);
    const isDocument = to.area === OPEN_API && documentMethods.has(request.method);
    if (isDocument) return pipeline.answerApp(openApi, to.ref, request, null);
    return refusal(new NinefoldError('not_found'), request);
  }
}

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function refusal(error: NinefoldError, { requestId }: CallRequest): Reply {
  const reply = errorReply(error, requestId);
  reply.headers['x-request-id'] = requestId;
  return reply;
}
