import { limits } from '../../../contract/limits.ts';
import type { RequestTrace } from '../../../contract/observed.ts';
import type { CallEvent, Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import { Background } from '../maintenance/background.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { PerApp, type RunTask, TimedFlush } from '../statistics/buffered-counters.ts';
import { RequestLog } from './request-log.ts';
import { toRequestTrace } from './request-trace.ts';
import { readRequestTrace } from './stored-traces.ts';

/**
 * Number of flushes without a request after which the app's requests are removed from memory. They are in its database
 * by then.
 */
const MAX_IDLE_FLUSHES = 3;

interface BufferedRequest {
  readonly event: CallEvent;
  isWritten: boolean;
}

/** A ring buffer of recent requests. Each new one replaces the oldest. */
class Ring {
  readonly calls: BufferedRequest[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(buffered: BufferedRequest): void {
    this.calls[this.#next] = buffered;
    this.#next = this.#next + 1 === this.#size ? 0 : this.#next + 1;
  }
}

/** The recent requests of one app in a worker's memory. */
interface AppBuffer {
  readonly own: Ring;
  /**
   * Requests of builders, with the console or the CLI. They are separate, so that they do not replace requests of the
   * app.
   */
  readonly builders: Ring;
  /** Number of requests of the app since the last flush. */
  calls: number;
  /** True if a builder has sent a request since the last flush. */
  hasBuilder: boolean;
  /** Failed and slow requests that are to be written. */
  pending: BufferedRequest[];
  /** Number of flushes without a request. */
  idleFlushes: number;
  /** The app whose notifications are received. */
  app: App | null;
  isListening: boolean;
  unsubscribe: () => void;
}

const newBuffer = (): AppBuffer => ({
  own: new Ring(limits.rememberedCalls.default),
  builders: new Ring(limits.rememberedBuilderCalls.default),
  calls: 0,
  hasBuilder: false,
  pending: [],
  idleFlushes: 0,
  app: null,
  isListening: false,
  unsubscribe: () => undefined,
});

/**
 * Finds the trace of a request by its request id. Each worker keeps the recent requests of each app in memory as
 * events, which costs one assignment per request. The log has a line of every request. Each flush writes failed and
 * slow requests to the app's database; the other requests are written when the app becomes idle. If a worker does not
 * have a request, it asks the other workers with NOTIFY, and the worker that has the request writes it to the database.
 */
export class RequestTraces {
  readonly #apps: Apps;
  readonly #events: Events;
  readonly #background: Background;
  readonly #buffers = new PerApp<AppBuffer>(newBuffer);
  readonly log: RequestLog;
  readonly #timed = new TimedFlush((run) => this.#flush(run));

  constructor(apps: Apps, events: Events) {
    this.#apps = apps;
    this.#events = events;
    this.#background = new Background(events, 'keeping traces');
    this.log = new RequestLog(apps, events);
  }

  start(turns: BackgroundTurns): void {
    this.#events.listen(['call'], (event) => {
      if (event.app !== null) this.remember(event.app, event);
    });
    this.#timed.start(turns);
    this.log.start(turns);
  }

  async stop(): Promise<void> {
    this.#timed.stop();
    await this.log.stop();
    const until = performance.now() + limits.lastFlushMilliseconds.default;
    for (const [ref, buffer] of this.#buffers.entries()) {
      if (performance.now() < until)
        await this.#write(ref, buffer, unwritten(new Set([...buffer.pending, ...buffer.own.calls])));
    }
  }

  /** Stores a request in memory. A request that never reached an app has no trace. */
  remember(ref: string, event: CallEvent): void {
    if (event.trace.opened === 0) return;
    const buffer = this.#buffers.of(ref);
    if (!buffer) return;
    this.log.remember(ref, event);
    const buffered: BufferedRequest = { event, isWritten: false };
    if (event.isByBuilder) {
      buffer.builders.add(buffered);
      buffer.hasBuilder = true;
    } else {
      buffer.own.add(buffered);
      buffer.calls++;
    }
    if (!buffer.isListening) {
      buffer.isListening = true;
      void this.#listen(ref, buffer);
    }
    if (event.code !== null || event.milliseconds > event.trace.slowMilliseconds) keep(buffer.pending, buffered);
  }

  /** Immediately writes failed and slow requests of all apps. */
  flush(): Promise<void> {
    return this.#flush((work) => work());
  }

  /** Immediately writes failed and slow requests of one app. */
  async flushApp(ref: string): Promise<void> {
    const buffer = this.#buffers.peek(ref);
    if (!buffer) return;
    const { pending } = buffer;
    buffer.pending = [];
    await this.#write(ref, buffer, unwritten(pending));
  }

  async #flush(run: RunTask): Promise<void> {
    for (const [ref, buffer] of this.#buffers.entries()) {
      const isQuiet = buffer.calls === 0;
      buffer.idleFlushes = isQuiet && !buffer.hasBuilder ? buffer.idleFlushes + 1 : 0;
      buffer.calls = 0;
      buffer.hasBuilder = false;
      const wanted = isQuiet ? new Set([...buffer.pending, ...buffer.own.calls]) : buffer.pending;
      const toWrite = unwritten(wanted);
      buffer.pending = [];
      let isThere = true;
      const write = async () => {
        isThere = await this.#write(ref, buffer, toWrite);
      };
      await (toWrite.length > 0 ? run(write) : write());
      if (isThere && buffer.idleFlushes < MAX_IDLE_FLUSHES) continue;
      buffer.unsubscribe();
      this.#buffers.delete(ref);
    }
  }

  /** Returns the trace of a request that any worker of any node handled; null if it is no longer stored. */
  async find(app: App, requestId: string): Promise<RequestTrace | null> {
    const own = this.#inMemory(app.ref, requestId);
    if (own) return toRequestTrace(own.event);
    return (await readRequestTrace(app, requestId)) ?? this.#askOthers(app, requestId);
  }

  #inMemory(ref: string, requestId: string): BufferedRequest | null {
    const buffer = this.#buffers.peek(ref);
    const found = buffer ? callsOf(buffer).filter(({ event }) => event.requestId === requestId) : [];
    return found.sort((a, b) => b.event.trace.at - a.event.trace.at)[0] ?? null;
  }

  async #askOthers(app: App, requestId: string): Promise<RequestTrace | null> {
    let stop: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.traceWaitMilliseconds.default);
      const unsubscribe = app.subscribe((notification) => {
        if (notification.type === 'trace-stored' && notification.id === requestId) stop();
      });
      stop = () => {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      };
    });
    try {
      await runAsServerRole(app.serverDatabase, [notify('trace-wanted', requestId)]);
      await heard;
    } finally {
      stop();
    }
    return readRequestTrace(app, requestId);
  }

  async #listen(ref: string, buffer: AppBuffer): Promise<void> {
    const app = await this.#apps.find(ref).catch(() => null);
    if (!app || buffer.app === app) return;
    buffer.unsubscribe();
    buffer.app = app;
    buffer.unsubscribe = app.subscribe((notification) => {
      if (notification.type === 'trace-wanted') void this.#answer(app, buffer, notification.id);
      if (notification.type === 'log-wanted') void this.log.flushApp(ref);
    });
  }

  /** Writes a request for which another worker asked. */
  async #answer(app: App, buffer: AppBuffer, requestId: string): Promise<void> {
    const buffered = this.#inMemory(app.ref, requestId);
    if (!buffered || buffered.isWritten) return;
    if (await this.#write(app.ref, buffer, [buffered])) {
      await runAsServerRole(app.serverDatabase, [notify('trace-stored', requestId)]).catch(() => undefined);
    }
  }

  /** Writes requests to the app's database. Returns false if the app is missing or cannot be written to. */
  async #write(ref: string, buffer: AppBuffer, buffered: readonly BufferedRequest[]): Promise<boolean> {
    const isDone = await this.#background.attempt(ref, async () => {
      const app = await this.#apps.find(ref);
      if (buffer.app !== app) await this.#listen(ref, buffer);
      if (buffered.length === 0) return;
      // Marks the requests before the write, so that a concurrent flush does not write them too.
      for (const one of buffered) one.isWritten = true;
      const rows = buffered.map(({ event }) => ({ at: event.trace.at, trace: toRequestTrace(event) }));
      const { rest } = await app.settings();
      await runAsServerRole(app.serverDatabase, [
        { text: INSERT, params: [JSON.stringify(rows)] },
        { text: FORGET, params: [String(rest.logs_traces)] },
      ]);
    });
    if (!isDone) for (const one of buffered) one.isWritten = false;
    return isDone;
  }
}

const callsOf = ({ own, builders }: AppBuffer): BufferedRequest[] => [...own.calls, ...builders.calls];

const unwritten = (buffered: Iterable<BufferedRequest>): BufferedRequest[] =>
  [...buffered].filter(({ isWritten }) => !isWritten);

/**
 * Adds a failed or slow request to those that are to be written, unless there are enough with the same code: a frequent
 * error must not displace rare ones.
 */
function keep(pending: BufferedRequest[], buffered: BufferedRequest): void {
  if (pending.length >= limits.tracesPerFlush.default) return;
  let alike = 0;
  for (const { event } of pending) if (event.code === buffered.event.code) alike++;
  if (alike < limits.tracesPerFlushAndCode.default) pending.push(buffered);
}

const notify = (type: 'trace-wanted' | 'trace-stored', id: string) => ({
  text: `select pg_notify('ninefold', json_build_object('type', $1::text, 'id', $2::text)::text)`,
  params: [type, id],
});

const INSERT = `insert into ninefold.request_traces (request_id, at, call, status, code, subject, trace)
  select trace ->> 'request_id', to_timestamp(at / 1000.0), trace ->> 'call', (trace ->> 'status')::integer, trace ->> 'code',
    trace ->> 'subject', trace
  from json_to_recordset($1::json) as c (at bigint, trace jsonb)`;

const FORGET = `delete from ninefold.request_traces s using (
    select ctid, row_number() over (partition by builder order by at desc) as place,
      row_number() over (partition by builder, code, status < 400 order by at desc) as alike, code is not null as failed
    from (select *, ctid, trace -> 'who' ->> 'source' is not distinct from 'builder' as builder from ninefold.request_traces) traces
  ) as old
  where s.ctid = old.ctid and (old.place > $1::int or old.failed and old.alike > ${limits.keptTracesPerCode.default})`;
