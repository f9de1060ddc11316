import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { defaultRestSettings, type RestSettings } from '../../contract/settings.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import type { Traffic } from '../apps/maintenance/background-turns.ts';
import { callOfRequest as callOfAuth } from '../auth/handle.ts';
import { asSafeToRetry, ConnectionError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identities } from '../identity/identities.ts';
import { type Identity, isAnonymous } from '../identity/identity.ts';
import type { AddressLimiter } from '../limits/address-limiter.ts';
import { type CallEvent, type Events, TraceRecorder } from '../observe/events.ts';
import { callOfRequest as callOfRealtime } from '../realtime/api/broadcast-calls.ts';
import { callOfRequest as callOfStorage } from '../storage/handle.ts';
import type { ApiHandler } from './api-handler.ts';
import { corsHeaders, isPreflight, preflightReply, withoutCredentials } from './app-headers.ts';
import { attributeError, type ErrorAttribution, raisedIn } from './attribute-error.ts';
import { asNinefoldError, errorReply } from './error-reply.ts';
import { helpLink } from './help-link.ts';
import { type ArrivingBody, type BodyBounds, boundOf } from './read-body.ts';
import { refusedTransition } from './refused-transition.ts';

/** The parts that the pipeline calls. */
export interface PipelineParts {
  apps: Apps;
  events: Events;
  addresses: AddressLimiter;
  traffic: Traffic;
  /** Authenticates a request to an app by its key or token. */
  identities: Pick<Identities, 'resolve'>;
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
   * Handles a request to an app's API.
   * @param body The body; null if the request has none.
   * @param authorise For a builder's request: returns the identity for the builder; throws if the builder may not work
   * on the app. By default, the key or token of the request determines the identity.
   */
  answerApp(
    api: ApiHandler,
    ref: string,
    request: CallRequest,
    body: ArrivingBody | null,
    authorise: (() => Promise<Identity>) | null = null,
  ): Promise<Reply> {
    const { traffic, identities } = this.#parts;
    const isByBuilder = authorise !== null;
    let app: App | null = null;
    let identity: Identity | null = null;
    let hasBegun = false;
    const reply = this.#answer(
      {
        ...{ area: api.name, app: ref, isByBuilder, request, extra: isByBuilder ? {} : corsHeaders },
        hasBegun: () => hasBegun,
      },
      async (trace) => {
        if (authorise) {
          // The builder is authorised before anything else, so that the response reveals nothing to a caller who may
          // not work on the app.
          identity = await authorise();
          request.headers = withoutCredentials(request.headers);
          trace.identified = performance.now();
        } else if (isPreflight(request) && !api.answersPreflight) return preflightReply(request);
        const opened = await this.#open(ref);
        app = opened;
        trace.opened = performance.now();
        const identify = async () => {
          if (identity !== null) return identity;
          identity = await identities.resolve(opened, request);
          trace.identified = performance.now();
          return identity;
        };
        if (body && api.takesStream) request.stream = body.stream();
        else if (body) {
          request.body = await body.read(await bodyBounds(opened, api, identify));
          trace.received = performance.now();
        }
        hasBegun = true;
        return api.handle(opened, request, identify, trace);
      },
      (error) =>
        isByBuilder && identity === null ? Promise.resolve(null) : api.renderError(error, app, request, identity),
      () => identity,
    );
    if (isByBuilder) return reply;
    traffic.inFlight++;
    return reply.finally(() => {
      traffic.inFlight--;
    });
  }

  /**
   * Handles a request for a page or a file on an app's own origin.
   * @param portal The reply of the pages for members, which need no database; null if they have no such page.
   * @param work Returns the reply of the app's own front end; null if the app has none.
   * @returns null if neither has the page.
   */
  async answerPage(
    ref: string,
    request: CallRequest,
    portal: Reply | null,
    work: (app: App) => Promise<Reply | null>,
  ): Promise<Reply | null> {
    const { apps, events } = this.#parts;
    try {
      if (this.#parts.addresses.perSecond > 0) await this.#limit(request.address);
      const app = await this.#open(ref).catch((error: unknown) => {
        if (portal === null) throw error;
        return null;
      });
      return (app && (await work(app))) ?? portal;
    } catch (caught) {
      const error = asNinefoldError(await apps.explain(ref, caught));
      if (error.status >= 500 && !boundCodes.includes(error.code))
        events.emit({ type: 'fault', requestId: request.requestId, where: 'the front end', error: caught });
      const reply = errorReply(error, request.requestId);
      Object.assign(reply.headers, corsHeaders);
      return reply;
    }
  }

  /** Handles a request to the node itself, such as the management API. */
  answerNode(request: CallRequest, work: () => Promise<Reply>): Promise<Reply> {
    return this.#answer(
      { area: 'admin', app: null, isByBuilder: true, request, extra: {}, hasBegun: () => true },
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
      request: CallRequest;
      extra: Readonly<Record<string, string>>;
      /** Returns true after the handler of the request has begun its work. */
      hasBegun: () => boolean;
    },
    work: (trace: TraceRecorder) => Promise<Reply>,
    renderError: (error: unknown) => Promise<Reply | null>,
    identity: () => Identity | null,
  ): Promise<Reply> {
    const { request, extra } = about;
    const trace = new TraceRecorder();
    trace.context = request.trace ?? null;
    let attribution: ErrorAttribution | null = null;
    let reply: Reply;
    try {
      if (this.#parts.addresses.perSecond > 0) await this.#limit(request.address);
      trace.limited = performance.now();
      reply = await work(trace);
    } catch (caught) {
      trace.failed = performance.now();
      const explained = about.app === null ? caught : await this.#parts.apps.explain(about.app, caught);
      const error = isRead(about) && explained instanceof ConnectionError ? asSafeToRetry(explained) : explained;
      const known = asNinefoldError(error);
      // A full disk can make every API fail. So each API reports it in its own format, but with the same code.
      const shown = known.code === 'disk_full' ? known : error;
      reply = (await renderError(shown)) ?? (await renderError(known)) ?? errorReply(known, request.requestId);
      if (severalSteps(about.area) && !isRead(about) && unrepeatable.includes(known.code) && about.hasBegun()) {
        delete reply.headers['retry-after'];
      }
      attribution = attributeError(error, reply, request.signal.aborted);
      const raised = raisedIn(error);
      trace.refused = raised && refusedTransition(raised.fields);
      reply.headers.link ??= helpLink(attribution.code);
      // A statement that ended because its client has left is no fault of the node.
      const hasLeft = request.signal.aborted && raised?.sqlstate === '57014';
      if (reply.status >= 500 && !hasLeft && !boundCodes.includes(known.code))
        this.#parts.events.emit({ type: 'fault', requestId: request.requestId, where: about.area, error });
    }
    const who = identity();
    trace.ended = performance.now();
    trace.cut = reply.headers['ninefold-max-rows'] !== undefined;
    this.#parts.events.emit({
      type: 'call',
      app: about.app,
      area: about.area,
      call: trace.call ?? callName(about.area, request),
      method: request.method,
      path: request.path,
      query: request.query,
      status: reply.status,
      code: attribution?.code ?? null,
      subject: attribution?.subject ?? null,
      limit: attribution?.limit ?? (trace.cut ? 'pageRows' : null),
      milliseconds: trace.ended - trace.started,
      requestId: request.requestId,
      address: request.address,
      role: who?.role ?? null,
      userId: who?.userId ?? null,
      sessionId: who?.sessionId ?? null,
      source: who?.source ?? null,
      isByBuilder: about.isByBuilder,
      isAbandoned: request.signal.aborted,
      trace,
    });
    const { headers } = reply;
    if (!reply.decidesCors) for (const name in extra) headers[name] ??= extra[name] as string;
    if (about.app !== null) keepPrivate(headers);
    headers['x-request-id'] = request.requestId;
    return reply;
  }

  async #limit(address: string): Promise<void> {
    const { addresses } = this.#parts;
    const wait = await addresses.take(address);
    if (wait <= 0) return;
    throw new NinefoldError('too_many_requests', {
      retryAfter: wait,
      quota: { count: addresses.perSecond, seconds: 1 },
    });
  }
}

/**
 * Returns the name under which a request is counted if its handler has not named it: the id of its call in chapter 7,
 * or `<area>.unresolved`. Clients therefore cannot create arbitrary names in the statistics.
 */
const callName = (area: CallEvent['area'], request: CallRequest): string =>
  callsOfArea[area]?.(request) ?? `${area}.unresolved`;

const callsOfArea: Readonly<Partial<Record<CallEvent['area'], (request: CallRequest) => string | null>>> = {
  auth: callOfAuth,
  storage: callOfStorage,
  realtime: callOfRealtime,
};

/** Returns true for a request that changes nothing, so that its client may repeat it. A GET of the auth API uses up links. */
const isRead = ({ area, request: { method } }: Pick<CallEvent, 'area'> & { request: CallRequest }): boolean =>
  area !== 'auth' && (method === 'GET' || method === 'HEAD');

/** Returns true for an API whose calls may consist of several transactions. A data request is one transaction. */
const severalSteps = (area: CallEvent['area']): boolean => area !== 'rest';

/** Codes of a step that the database refused. A previous step of the same call may have been committed. */
const unrepeatable: readonly string[] = ['database_unavailable', 'disk_full'];

/** Prevents caches from storing a response that belongs to one caller, unless the app sets these headers itself. */
function keepPrivate(headers: Reply['headers']): void {
  headers['cache-control'] ??= 'no-store';
  headers.vary ??= 'Authorization, apikey';
}

/**
 * Codes for an app that exceeds a limit. They are no fault of the node, so they are not logged for each request. The
 * place where the limit was exceeded has logged them once.
 */
const boundCodes: readonly string[] = ['app_limit_exceeded', 'app_storage_full'];

/** Returns the limits for the body of a request to the app. */
async function bodyBounds(app: App, api: ApiHandler, identify: () => Promise<Identity>): Promise<BodyBounds> {
  const settings = await restSettingsOf(app);
  const max = settings.request_body_bytes;
  if (api.body) return api.body.bytes < max ? boundOf(api.body.bytes, api.body.code) : boundOf(max);
  const free = settings.request_body_bytes_anonymous;
  if (free >= max) return boundOf(max);
  return {
    free,
    bound: async () =>
      isAnonymous(await identify())
        ? { bytes: free, code: 'anonymous_body_too_large' }
        : { bytes: max, code: 'body_too_large' },
  };
}

/**
 * Returns the settings, or the defaults if they cannot be read. The error is ignored here, because the step that needs
 * the settings reports it.
 */
async function restSettingsOf(app: App): Promise<RestSettings> {
  try {
    return (await app.settings()).rest;
  } catch {
    return defaultRestSettings;
  }
}
