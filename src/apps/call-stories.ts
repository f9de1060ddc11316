import { z } from 'zod';
import { limits } from '../../contract/limits.ts';
import type { CallStory } from '../../contract/observed.ts';
import { firstJson } from '../database/statement.ts';
import type { CallEvent, Events } from '../observe/events.ts';
import type { App } from './app.ts';
import type { Apps } from './apps.ts';
import { asServer } from './as-server.ts';
import { Background } from './background.ts';
import type { BackgroundTurns } from './background-turns.ts';
import { CallLog } from './call-log.ts';
import { type LogFilter, lineOf } from './log-lines.ts';
import { PerApp } from './per-app.ts';
import { storyOf } from './story.ts';

interface Told {
  readonly event: CallEvent;
  isWritten: boolean;
}

/** A ring buffer of recent requests. Each new one replaces the oldest. */
class Ring {
  readonly calls: Told[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(told: Told): void {
    this.calls[this.#next] = told;
    this.#next = this.#next + 1 === this.#size ? 0 : this.#next + 1;
  }
}

/** The recent requests of one app in a worker's memory. */
interface Shelf {
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
  pending: Told[];
  /** Number of flushes without a request. */
  quiet: number;
  /** The app whose notifications are received. */
  app: App | null;
  isListening: boolean;
  unsubscribe: () => void;
}

const newShelf = (): Shelf => ({
  own: new Ring(limits.rememberedCalls.default),
  builders: new Ring(limits.rememberedBuilderCalls.default),
  calls: 0,
  hasBuilder: false,
  pending: [],
  quiet: 0,
  app: null,
  isListening: false,
  unsubscribe: () => undefined,
});

/**
 * Number of flushes without a request after which the app's requests are removed from memory. They are in its database
 * by then.
 */
const QUIET_FLUSHES = 3;

/**
 * Finds the trace of a request by its request id. Each worker keeps the recent requests of each app in memory as
 * events, which costs one assignment per request. Each flush writes failed and slow requests to the app's database; the
 * others are written when the app becomes idle. If a worker does not have a request, it asks the other workers with
 * NOTIFY, and the worker that has the request writes it to the database.
 */
export class CallStories {
  readonly #apps: Apps;
  readonly #events: Events;
  readonly #background: Background;
  readonly #shelves = new PerApp<Shelf>(newShelf);
  readonly #log = new CallLog();
  #timer: NodeJS.Timeout | null = null;
  /** The flush that is running in the background. */
  #flushing: Promise<void> | null = null;

  constructor(apps: Apps, events: Events) {
    this.#apps = apps;
    this.#events = events;
    this.#background = new Background(events, 'keeping stories');
  }

  start(turns: BackgroundTurns): void {
    this.#events.listen((event) => {
      if (event.type === 'call' && event.app !== null) this.remember(event.app, event);
    });
    this.#timer = setInterval(() => {
      this.#flushing ??= this.#flush((work) => turns.run(work)).finally(() => {
        this.#flushing = null;
      });
    }, limits.observationFlushMilliseconds.default);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    const until = performance.now() + limits.lastFlushMilliseconds.default;
    for (const [ref, shelf] of this.#shelves.entries()) {
      if (performance.now() < until)
        await this.#write(ref, shelf, unwritten(new Set([...shelf.pending, ...shelf.own.calls])));
    }
  }

  /** Stores a request in memory. A request that never reached an app has no trace. */
  remember(ref: string, event: CallEvent): void {
    if (event.trace.opened === 0) return;
    const shelf = this.#shelves.of(ref);
    if (!shelf) return;
    const told: Told = { event, isWritten: false };
    if (event.isByBuilder) {
      shelf.builders.add(told);
      shelf.hasBuilder = true;
    } else {
      shelf.own.add(told);
      shelf.calls++;
    }
    if (!shelf.isListening) {
      shelf.isListening = true;
      void this.#listen(ref, shelf);
    }
    if (event.code !== null || event.milliseconds > event.trace.slowMilliseconds) keep(shelf.pending, told);
  }

  /** Immediately writes failed and slow requests of all apps. */
  flush(): Promise<void> {
    return this.#flush((work) => work());
  }

  /** Immediately writes failed and slow requests of one app. */
  async flushApp(ref: string): Promise<void> {
    const shelf = this.#shelves.peek(ref);
    if (!shelf) return;
    const { pending } = shelf;
    shelf.pending = [];
    await this.#write(ref, shelf, unwritten(pending));
  }

  async #flush(run: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    for (const [ref, shelf] of this.#shelves.entries()) {
      const isQuiet = shelf.calls === 0;
      shelf.quiet = isQuiet && !shelf.hasBuilder ? shelf.quiet + 1 : 0;
      shelf.calls = 0;
      shelf.hasBuilder = false;
      const wanted = isQuiet ? new Set([...shelf.pending, ...shelf.own.calls]) : shelf.pending;
      const toWrite = unwritten(wanted);
      shelf.pending = [];
      let isThere = true;
      const write = async () => {
        isThere = await this.#write(ref, shelf, toWrite);
      };
      await (toWrite.length > 0 ? run(write) : write());
      if (isThere && shelf.quiet < QUIET_FLUSHES) continue;
      shelf.unsubscribe();
      this.#shelves.delete(ref);
    }
  }

  /** Returns the trace of a request that any worker of any node handled; null if it is no longer stored. */
  async find(app: App, requestId: string): Promise<CallStory | null> {
    const own = this.#inMemory(app.ref, requestId);
    if (own) return storyOf(own.event);
    return (await readStory(app, requestId)) ?? this.#askOthers(app, requestId);
  }

  /** Returns the most recent matching requests of an app that any worker handled, newest first. */
  recent(app: App, filter: LogFilter, most: number): ReturnType<CallLog['read']> {
    const shelf = this.#shelves.peek(app.ref);
    return this.#log.read(app, shelf ? linesOf(shelf) : [], filter, most);
  }

  #inMemory(ref: string, requestId: string): Told | null {
    const shelf = this.#shelves.peek(ref);
    const found = shelf ? callsOf(shelf).filter(({ event }) => event.requestId === requestId) : [];
    return found.sort((a, b) => b.event.trace.at - a.event.trace.at)[0] ?? null;
  }

  async #askOthers(app: App, requestId: string): Promise<CallStory | null> {
    let stop: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.storyWaitMilliseconds.default);
      const unsubscribe = app.subscribe((notification) => {
        if (notification.type === 'story-kept' && notification.id === requestId) stop();
      });
      stop = () => {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      };
    });
    try {
      await asServer(app.database, [notify('story-wanted', requestId)]);
      await heard;
    } finally {
      stop();
    }
    return readStory(app, requestId);
  }

  async #listen(ref: string, shelf: Shelf): Promise<void> {
    const app = await this.#apps.find(ref).catch(() => null);
    if (!app || shelf.app === app) return;
    shelf.unsubscribe();
    shelf.app = app;
    shelf.unsubscribe = app.subscribe((notification) => {
      if (notification.type === 'story-wanted') void this.#answer(app, shelf, notification.id);
      if (notification.type === 'log-wanted') void this.#log.answer(app, notification.id, () => linesOf(shelf));
    });
  }

  /** Writes a request for which another worker asked. */
  async #answer(app: App, shelf: Shelf, requestId: string): Promise<void> {
    const told = this.#inMemory(app.ref, requestId);
    if (!told || told.isWritten) return;
    if (await this.#write(app.ref, shelf, [told])) {
      await asServer(app.database, [notify('story-kept', requestId)]).catch(() => undefined);
    }
  }

  /** Writes requests to the app's database. Returns false if the app is missing or cannot be written to. */
  async #write(ref: string, shelf: Shelf, told: readonly Told[]): Promise<boolean> {
    const isDone = await this.#background.attempt(ref, async () => {
      const app = await this.#apps.find(ref);
      if (shelf.app !== app) await this.#listen(ref, shelf);
      if (told.length === 0) return;
      // Set before the write, so that a concurrent flush does not write the request too.
      for (const one of told) one.isWritten = true;
      const rows = told.map(({ event }) => ({ at: event.trace.at, story: storyOf(event) }));
      const { rest } = await app.settings();
      await asServer(app.database, [
        { text: INSERT, params: [JSON.stringify(rows)] },
        { text: FORGET, params: [String(rest.logs_stories)] },
      ]);
    });
    if (!isDone) for (const one of told) one.isWritten = false;
    return isDone;
  }
}

const callsOf = ({ own, builders }: Shelf): Told[] => [...own.calls, ...builders.calls];

const linesOf = (shelf: Shelf) => callsOf(shelf).map(({ event }) => lineOf(event));

const unwritten = (told: Iterable<Told>): Told[] => [...told].filter(({ isWritten }) => !isWritten);

/**
 * Adds a failed or slow request to those that are to be written, unless there are enough with the same code: a frequent
 * error must not displace rare ones.
 */
function keep(pending: Told[], told: Told): void {
  if (pending.length >= limits.storiesPerFlush.default) return;
  let alike = 0;
  for (const { event } of pending) if (event.code === told.event.code) alike++;
  if (alike < limits.storiesPerFlushAndCode.default) pending.push(told);
}

const notify = (type: 'story-wanted' | 'story-kept', id: string) => ({
  text: `select pg_notify('ninefold', json_build_object('type', $1::text, 'id', $2::text)::text)`,
  params: [type, id],
});

const INSERT = `insert into ninefold.call_stories (request_id, at, call, status, code, subject, story)
  select story ->> 'request_id', to_timestamp(at / 1000.0), story ->> 'call', (story ->> 'status')::integer, story ->> 'code',
    story ->> 'subject', story
  from json_to_recordset($1::json) as c (at bigint, story jsonb)`;

const FORGET = `delete from ninefold.call_stories s using (
    select ctid, row_number() over (partition by builder order by at desc) as place,
      row_number() over (partition by builder, code, status < 400 order by at desc) as alike, code is not null as failed
    from (select *, ctid, story -> 'who' ->> 'source' is not distinct from 'builder' as builder from ninefold.call_stories) stories
  ) as old
  where s.ctid = old.ctid and (old.place > $1::int or old.failed and old.alike > ${limits.keptStoriesPerCode.default})`;

const text = z.string();
const story: z.ZodType<CallStory> = z.object({
  request_id: text,
  at: text,
  area: z.enum(['rest', 'auth']),
  call: text,
  method: text,
  path: text,
  query: text,
  status: z.number(),
  code: text.nullable(),
  subject: text.nullable(),
  limit: text.nullable(),
  refused: z
    .object({
      ...{ entity: text, field: text, transition: text.nullable(), from: text.nullable(), to: text.nullable() },
      ...{ key: z.record(text, text).nullable(), message: text },
    })
    .exactOptional(),
  milliseconds: z.number(),
  who: z.object({
    role: text.nullable(),
    user_id: text.nullable(),
    session_id: text.nullable(),
    source: text.nullable(),
    address: text,
  }),
  steps: z.array(z.object({ name: text, from: z.number(), took: z.number(), found: text })),
  sql: z.object({ text, parameters: z.number(), cut: z.boolean() }).nullable(),
  touched: z.array(
    z.object({ schema: text, name: text, operation: z.enum(['select', 'insert', 'update', 'delete', 'execute']) }),
  ),
});

/** Reads a trace. The app's own code can write anything into this table, so invalid values are ignored. */
async function readStory(app: App, requestId: string): Promise<CallStory | null> {
  const [result] = await asServer(app.database, [
    {
      text: 'select story from ninefold.call_stories where request_id = $1 order by at desc limit 1',
      params: [requestId],
    },
  ]);
  const parsed = story.safeParse(result && firstJson<unknown>(result));
  return parsed.success ? parsed.data : null;
}
