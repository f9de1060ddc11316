import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { AddressLimiter } from '../limits/token-bucket.ts';
import { CallTrace } from '../observe/call-trace.ts';
import type { CallEvent, Events } from '../observe/events.ts';
import type { Traffic } from '../observe/traffic.ts';
import type { Area } from './area.ts';
import { type Blame, blame } from './blame.ts';
import { callName } from './call-name.ts';
import { corsHeaders, isPreflight, preflightReply } from './cors.ts';
import { asNinefoldError, errorReply } from './error-reply.ts';
import { helpLink } from './help-link.ts';

export interface PipelineParts {
  apps: Apps;
  events: Events;
  addresses: AddressLimiter;
  traffic: Traffic;
  /** Key or token → identity, for one app. */
  identify: (app: App, exchange: Exchange) => Promise<Identity>;
}

/**
 * The way of one call: receive → limit by address → which app? → whose identity? → which handler? A reader starts here.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** A call of an app's own API. `readBody` reads the exchange's body, where it has one, of so many bytes at most. */
  answerApp(
    area: Area,
    ref: string,
    exchange: Exchange,
    readBody: ((most: number) => Promise<Uint8Array | null>) | null,
  ): Promise<Reply> {
    let app: App | null = null;
    let identity: Identity | null = null;
    return this.#answer(
      { area: area.name, app: ref, exchange, extra: corsHeaders },
      async (trace) => {
        if (isPreflight(exchange)) return preflightReply(exchange);
        const opened = await this.#open(ref);
        app = opened;
        trace.opened = performance.now();
        if (readBody) {
          exchange.body = await readBody(await mostBytes(opened));
          trace.received = performance.now();
        }
        const identify = async () => {
          identity ??= await this.#parts.identify(opened, exchange);
          trace.identified = performance.now();
          return identity;
        };
        return area.handle(opened, exchange, identify, trace);
      },
      (error) => area.renderError(error, app, exchange, identity),
      () => identity,
    );
  }

  /** The same call through the builder's door: `authorise` says as whom. */
  answerDoor(area: Area, ref: string, exchange: Exchange, authorise: () => Promise<Identity>): Promise<Reply> {
    let app: App | null = null;
    let identity: Identity | null = null;
    return this.#answer(
      { area: area.name, app: ref, exchange, extra: {} },
      async (trace) => {
        // Who is calling comes before what is called, so that a stranger learns nothing from the answers.
        const known = await authorise();
        identity = known;
        trace.identified = performance.now();
        app = await this.#open(ref);
        trace.opened = performance.now();
        return area.handle(app, exchange, () => Promise.resolve(known), trace);
      },
      (error) => (identity ? area.renderError(error, app, exchange, identity) : Promise.resolve(null)),
      () => identity,
    );
  }

  /** A call that belongs to no app: management, health. */
  answerNode(exchange: Exchange, work: () => Promise<Reply>): Promise<Reply> {
    return this.#answer(
      { area: 'admin', app: null, exchange, extra: {} },
      work,
      () => Promise.resolve(null),
      () => null,
    );
  }

  async #open(ref: string): Promise<App> {
    const app = await this.#parts.apps.serve(ref);
    if (!app.isReady) await app.ready();
    return app;
  }

  async #answer(
    about: { area: CallEvent['area']; app: string | null; exchange: Exchange; extra: Readonly<Record<string, string>> },
    work: (trace: CallTrace) => Promise<Reply>,
    renderError: (error: unknown) => Promise<Reply | null>,
    identity: () => Identity | null,
  ): Promise<Reply> {
    const { exchange, extra } = about;
    const trace = new CallTrace();
    let blamed: Blame | null = null;
    let reply: Reply;
    this.#parts.traffic.inFlight++;
    try {
      this.#limit(exchange.address);
      trace.limited = performance.now();
      reply = await work(trace);
    } catch (error) {
      trace.failed = performance.now();
      const known = asNinefoldError(error);
      reply = (await renderError(error)) ?? (await renderError(known)) ?? errorReply(known, exchange.requestId);
      blamed = blame(error, reply, exchange.signal.aborted);
      reply.headers.link ??= helpLink(blamed.code);
      if (reply.status >= 500)
        this.#parts.events.emit({ type: 'fault', requestId: exchange.requestId, where: about.area, error });
    } finally {
      this.#parts.traffic.inFlight--;
    }
    const who = identity();
    trace.ended = performance.now();
    trace.cut = reply.headers['ninefold-max-rows'] !== undefined;
    this.#parts.events.emit({
      type: 'call',
      app: about.app,
      area: about.area,
      call: callName(about.area, exchange, trace),
      method: exchange.method,
      path: exchange.path,
      query: exchange.query,
      status: reply.status,
      code: blamed?.code ?? null,
      subject: blamed?.subject ?? null,
      limit: blamed?.limit ?? (trace.cut ? 'pageRows' : null),
      milliseconds: trace.ended - trace.started,
      requestId: exchange.requestId,
      address: exchange.address,
      role: who?.role ?? null,
      userId: who?.userId ?? null,
      sessionId: who?.sessionId ?? null,
      source: who?.source ?? null,
      trace,
    });
    const { headers } = reply;
    for (const name in extra) headers[name] ??= extra[name] as string;
    headers['x-request-id'] = exchange.requestId;
    return reply;
  }

  #limit(address: string): void {
    const wait = this.#parts.addresses.take(address);
    if (wait > 0) throw new NinefoldError('too_many_requests', { headers: { 'retry-after': String(wait) } });
  }
}

/** The largest body that the app takes; the default where its settings cannot be read, which is then said by whoever needs them. */
async function mostBytes(app: App): Promise<number> {
  try {
    return (await app.settings()).rest.request_body_bytes;
  } catch {
    return limits.bodyBytes.default;
  }
}
