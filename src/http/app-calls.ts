import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '../../contract/exchange.ts';
import { type ApiPath, readApiPath } from './api-path.ts';
import type { Area } from './area.ts';
import type { AddressReader } from './client-address.ts';
import { ClientSignal } from './client-signal.ts';
import { errorReply } from './error-reply.ts';
import { rewriteHost } from './host.ts';
import { refusedForHost, requestIdOf } from './incoming.ts';
import type { Pipeline } from './pipeline.ts';
import { hasBody, readBody } from './read-body.ts';
import { letGo, writeReply } from './write-reply.ts';

export interface AppCallParts {
  pipeline: Pipeline;
  areas: readonly Area[];
  /** Where clients reach the node, without a trailing slash. */
  url: () => string;
  domain: string | null;
  defaultApp: string | null;
  readAddress: AddressReader;
}

/**
 * The calls of the apps' own APIs, taken before the framework sees them: its routing, hooks and reply cost as much as
 * the rest of a short call together.
 */
export class AppCalls {
  readonly #parts: AppCallParts;
  readonly #areas: ReadonlyMap<string, Area>;
  #closing = false;

  constructor(parts: AppCallParts) {
    this.#parts = parts;
    this.#areas = new Map(parts.areas.map((area) => [area.name, area]));
  }

  /** Answers the request where it is a call of an app's API; false where it is not, and then nothing has happened. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { domain, defaultApp } = this.#parts;
    const to = readApiPath(rewriteHost(request.url ?? '/', request.headers.host, domain, defaultApp));
    const area = to && this.#areas.get(to.area);
    if (!area) return false;
    void this.#answer(area, to, request, response);
    return true;
  }

  /** From now on every connection ends with the answer that is under way on it. */
  close(): void {
    this.#closing = true;
  }

  async #answer(area: Area, to: ApiPath, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: Exchange = {
      method: request.method ?? 'GET',
      path: to.path,
      query: to.query,
      headers: request.headers as Record<string, string | undefined>,
      body: null,
      address: this.#parts.readAddress(request),
      requestId: requestIdOf(request.headers),
      baseUrl: `${this.#parts.url()}/apps/${to.ref}`,
      signal: new ClientSignal(response),
    };
    const refused = refusedForHost(request);
    const reply = refused
      ? errorReply(refused, exchange.requestId)
      : await this.#parts.pipeline.answerApp(
          area,
          to.ref,
          exchange,
          hasBody(request) ? (most) => readBody(request, most) : null,
        );
    reply.headers['x-content-type-options'] = 'nosniff';
    if (this.#closing) reply.headers.connection = 'close';
    if (response.destroyed) letGo(reply);
    else writeReply(response, reply);
  }
}
