import type { Exchange, Reply } from '../../contract/exchange.ts';
import { defaultRestSettings, type RestSettings } from '../../contract/settings.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import type { Traffic } from '../apps/background-turns.ts';
import { storageFull } from '../apps/bounds.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type Identity, isAnonymous } from '../identity/identity.ts';
import type { AddressLimiter } from '../limits/token-bucket.ts';
import { CallTrace } from '../observe/call-trace.ts';
import type { CallEvent, Events } from '../observe/events.ts';
import { withoutCredentials } from './app-headers.ts';
import type { Area } from './area.ts';
import { type Blame, blame, raisedIn } from './blame.ts';
import { callName } from './call-name.ts';
import { corsHeaders, isPreflight, preflightReply } from './cors.ts';
import { asNinefoldError, errorReply } from './error-reply.ts';
import { helpLink } from './help-link.ts';
import { type BodyBounds, boundOf, type ReceiveBody } from './read-body.ts';
import { refusedTransition } from './refused-transition.ts';

/** The parts that the pipeline calls. */
export interface PipelineParts {
  apps: Apps;
  events: Events;
  addresses: AddressLimiter;
  traffic: Traffic;
  /** Authenticates a request to an app by its key or token. */
  identify: (app: App, exchange: Exchange) => Promise<Identity>;
}

/**
 * Handles one request: receive → rate limit by address → resolve app → authenticate → choose handler. Start reading
 * here.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /**
   * Handles a request to an app's own API.
   * @param receive Reads the body; null if the request has none.
   */
  answerApp(area: Area, ref: string, exchange: Exchange, receive: ReceiveBody | null): Promise<Reply> {
    const { traffic } = this.#parts;
    let app: App | null = null;
    let identity: Identity | null = null;
    traffic.inFlight++;
    const reply = this.#answer(
      { area: area.name, app: ref, isByBuilder: false, exchange, extra: corsHeaders },
      async (trace) => {
        if (isPreflight(exchange)) return preflightReply(exchange);
        const opened = await this.#open(ref);
        app = opened;
        if (area.name === 'rest' && opened.isFull && growsTables(exchange)) throw storageFull();
        trace.opened = performance.now();
        const identify = async () => {
          identity ??= await this.#parts.identify(opened, exchange);
          trace.identified = performance.now();
          return identity;
        };
        if (receive) {
          exchange.body = await receive(await bodyBounds(opened, area, identify));
          trace.received = performance.now();
        }
        return area.handle(opened, exchange, identify, trace);
      },
      (error) => area.renderError(error, app, exchange, identity),
      () => identity,
    );
    return reply.finally(() => {
      traffic.inFlight--;
    });
  }

  /**
   * Handles a builder's request to an app's API.
   * @param authorise Returns the identity for the builder; throws if the builder may not work on the app.
   * @param receive Reads the body; null if the request has none.
   */
  answerDoor(
    area: Area,
    ref: string,
    exchange: Exchange,
    authorise: () => Promise<Identity>,
    receive: ReceiveBody | null,
  ): Promise<Reply> {
    let app: App | null = null;
    let identity: Identity | null = null;
    return this.#answer(
      { area: area.name, app: ref, isByBuilder: true, exchange, extra: {} },
      async (trace) => {
        // Authorisation comes first, so that unauthorised callers cannot find out anything from the response.
        const known = await authorise();
        identity = known;
        exchange.headers = withoutCredentials(exchange.headers);
        trace.identified = performance.now();
        app = await this.#open(ref);
        if (area.name === 'rest' && app.isFull && growsTables(exchange)) throw storageFull();
        trace.opened = performance.now();
        if (receive) {
          exchange.body = await receive(await bodyBounds(app, area, () => Promise.resolve(known)));
          trace.received = performance.now();
        }
        return area.handle(app, exchange, () => Promise.resolve(known), trace);
      },
      (error) => (identity ? area.renderError(error, app, exchange, identity) : Promise.resolve(null)),
      () => identity,
    );
  }

  /** Handles a request to the node itself, such as the management API. */
  answerNode(exchange: Exchange, work: () => Promise<Reply>): Promise<Reply> {
    return this.#answer(
      { area: 'admin', app: null, isByBuilder: true, exchange, extra: {} },
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
    about: Pick<CallEvent, 'area' | 'app' | 'isByBuilder'> & {
      exchange: Exchange;
      extra: Readonly<Record<string, string>>;
    },
    work: (trace: CallTrace) => Promise<Reply>,
    renderError: (error: unknown) => Promise<Reply | null>,
    identity: () => Identity | null,
  ): Promise<Reply> {
    const { exchange, extra } = about;
    const trace = new CallTrace();
    let blamed: Blame | null = null;
    let reply: Reply;
    try {
      this.#limit(exchange.address);
      trace.limited = performance.now();
      reply = await work(trace);
    } catch (caught) {
      trace.failed = performance.now();
      const error = about.app === null ? caught : await this.#parts.apps.explain(about.app, caught);
      const known = asNinefoldError(error);
      // A full disk can affect every API. Each reports it in its own format with the same code.
      const shown = known.code === 'disk_full' ? known : error;
      reply = (await renderError(shown)) ?? (await renderError(known)) ?? errorReply(known, exchange.requestId);
      blamed = blame(error, reply, exchange.signal.aborted);
      const raised = raisedIn(error);
      trace.refused = raised && refusedTransition(raised.fields);
      reply.headers.link ??= helpLink(blamed.code);
      if (reply.status >= 500 && !boundCodes.includes(known.code))
        this.#parts.events.emit({ type: 'fault', requestId: exchange.requestId, where: about.area, error });
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
      isByBuilder: about.isByBuilder,
      trace,
    });
    const { headers } = reply;
    for (const name in extra) headers[name] ??= extra[name] as string;
    if (about.app !== null) keepPrivate(headers);
    headers['x-request-id'] = exchange.requestId;
    return reply;
  }

  #limit(address: string): void {
    const wait = this.#parts.addresses.take(address);
    if (wait > 0) throw new NinefoldError('too_many_requests', { headers: { 'retry-after': String(wait) } });
  }
}

/** Prevents caches from storing a response that belongs to one caller, unless the app sets these headers itself. */
function keepPrivate(headers: Reply['headers']): void {
  headers['cache-control'] ??= 'no-store';
  headers.vary ??= 'Authorization, apikey';
}

/**
 * Codes for an app that exceeds a limit. They are no fault of the node and are logged once, where the limit was
 * exceeded.
 */
const boundCodes: readonly string[] = ['app_limit_exceeded', 'app_storage_full'];

/** Returns true for a data request that inserts or updates rows. `handleRest` checks functions. */
const growsTables = ({ method, path }: Exchange): boolean =>
  (method === 'POST' || method === 'PATCH' || method === 'PUT') && !path.startsWith('/rpc/');

/** Returns the limits for a body of a request to the app. */
async function bodyBounds(app: App, area: Area, identify: () => Promise<Identity>): Promise<BodyBounds> {
  const settings = await restSettingsOf(app);
  const most = settings.request_body_bytes;
  if (area.body) return area.body.bytes < most ? boundOf(area.body.bytes, area.body.code) : boundOf(most);
  const free = settings.request_body_bytes_anonymous;
  if (free >= most) return boundOf(most);
  return {
    free,
    bound: async () =>
      isAnonymous(await identify())
        ? { bytes: free, code: 'anonymous_body_too_large' }
        : { bytes: most, code: 'body_too_large' },
  };
}

/**
 * Returns the settings, or the defaults if they cannot be read. The error is reported where the settings are needed.
 */
async function restSettingsOf(app: App): Promise<RestSettings> {
  try {
    return (await app.settings()).rest;
  } catch {
    return defaultRestSettings;
  }
}
