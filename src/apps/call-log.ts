import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../contract/limits.ts';
import type { LogAnswer, LogLine } from '../../contract/observed.ts';
import { firstJson } from '../database/statement.ts';
import type { CallEvent } from '../observe/events.ts';
import type { App } from './app.ts';
import { asServer } from './as-server.ts';

/** Which calls are asked for; null for any. */
export interface LogFilter {
  /** The first digit of the status. */
  status: number | null;
  code: string | null;
  /** The call's id in chapter 7. */
  call: string | null;
  userId: string | null;
  requestId: string | null;
}

/** PostgreSQL takes 8,000 bytes in one notification. */
const CHUNK_BYTES = 7000;
/** How much of a path a line holds. */
const PATH_LENGTH = 300;
/** A worker tells what it remembers no more often than so, whoever asks. */
const PAUSE_MILLISECONDS = 250;

/** A call in short, for the list of the last ones. */
export const lineOf = (event: CallEvent): LogLine => ({
  request_id: event.requestId,
  at: new Date(event.trace.at).toISOString(),
  call: event.call,
  method: event.method,
  path: event.path.slice(0, PATH_LENGTH),
  status: event.status,
  code: event.code,
  subject: event.subject,
  role: event.role,
  user_id: event.userId,
  source: event.source,
  milliseconds: Math.round(event.milliseconds * 1000) / 1000,
});

const text = z.string();
const line: z.ZodType<LogLine> = z.object({
  request_id: text,
  at: z.iso.datetime(),
  call: text,
  method: text,
  path: text,
  status: z.number(),
  code: text.nullable(),
  subject: text.nullable(),
  role: text.nullable(),
  user_id: text.nullable(),
  source: text.nullable(),
  milliseconds: z.number(),
});

/** The app's own code may send anything: what is no line is passed over. */
const linesIn = (values: readonly unknown[]): LogLine[] =>
  values.flatMap((value) => {
    const parsed = line.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });

/**
 * The last calls of an app. Each worker remembers the last ones that it answered; who asks hears the others by NOTIFY and writes nothing. What
 * failed or was slow stands in the app's database.
 */
export class CallLog {
  /** What this worker asked for itself. */
  readonly #asked = new Set<string>();
  readonly #worker = randomUUID();
  readonly #toldAt = new WeakMap<App, number>();

  /** The last calls that fit, the newest first: `own`, those of the other workers, and those that the database keeps. */
  async read(app: App, own: readonly LogLine[], filter: LogFilter, most: number): Promise<LogAnswer> {
    const [heard, kept] = await Promise.all([this.#askOthers(app), readKept(app, filter, most + 1)]);
    const remembered = [...own, ...heard.lines].filter((one) => fits(one, filter));
    const all = new Map([...remembered, ...kept].map((one) => [`${one.request_id} ${one.at}`, one]));
    const calls = [...all.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
    return { calls: calls.slice(0, most), cut: calls.length > most, workers: heard.workers + 1 };
  }

  /** Another worker, or this one, wants to know. */
  async answer(app: App, id: string, own: () => readonly LogLine[]): Promise<void> {
    const now = performance.now();
    if (this.#asked.has(id) || now - (this.#toldAt.get(app) ?? -PAUSE_MILLISECONDS) < PAUSE_MILLISECONDS) return;
    this.#toldAt.set(app, now);
    const told = { type: 'log-told', id, worker: this.#worker };
    const payloads = chunks(own()).map((lines) => JSON.stringify({ ...told, lines }));
    const statements = payloads.map((payload) => ({ text: `select pg_notify('ninefold', $1)`, params: [payload] }));
    await asServer(app.database, statements).catch(() => undefined);
  }

  async #askOthers(app: App): Promise<{ lines: LogLine[]; workers: number }> {
    const id = randomUUID();
    const lines: LogLine[] = [];
    const workers = new Set<string>();
    const most = limits.rememberedCalls.default * MOST_WORKERS;
    const unsubscribe = app.subscribe((notification) => {
      if (notification.type !== 'log-told' || notification.id !== id || lines.length >= most) return;
      workers.add(notification.worker);
      lines.push(...linesIn(notification.lines));
    });
    this.#asked.add(id);
    try {
      await asServer(app.database, [
        {
          text: `select pg_notify('ninefold', json_build_object('type', 'log-wanted', 'id', $1::text)::text)`,
          params: [id],
        },
      ]);
      await new Promise((resolve) => setTimeout(resolve, limits.logWaitMilliseconds.default));
    } finally {
      unsubscribe();
      this.#asked.delete(id);
    }
    return { lines, workers: workers.size };
  }
}

/** Of how many workers the lines are taken up at most. */
const MOST_WORKERS = 64;

/** Lines in portions that fit into a notification; one empty portion where there are none. */
function chunks(lines: readonly LogLine[]): LogLine[][] {
  const all: LogLine[][] = [[]];
  let size = 0;
  for (const one of lines) {
    const bytes = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (bytes > CHUNK_BYTES) continue;
    if (size + bytes > CHUNK_BYTES) {
      all.push([]);
      size = 0;
    }
    size += bytes;
    all.at(-1)?.push(one);
  }
  return all;
}

const fits = (one: LogLine, { status, code, call, userId, requestId }: LogFilter): boolean =>
  (status === null || Math.floor(one.status / 100) === status) &&
  (code === null || one.code === code) &&
  (call === null || one.call === call) &&
  (userId === null || one.user_id === userId) &&
  (requestId === null || one.request_id === requestId);

async function readKept(app: App, filter: LogFilter, most: number): Promise<LogLine[]> {
  const { status, code, call, userId, requestId } = filter;
  const [result] = await asServer(app.database, [
    {
      text: `select pg_catalog.json_agg(story order by at desc) from (select story, at from ninefold.call_stories
        where ($1::integer is null or status / 100 = $1) and ($2::text is null or code = $2) and ($3::text is null or call = $3)
          and ($4::text is null or story -> 'who' ->> 'user_id' = $4) and ($5::text is null or request_id = $5)
        order by at desc limit $6::integer) s`,
      params: [status === null ? null : String(status), code, call, userId, requestId, String(most)],
    },
  ]);
  const stories = (result && firstJson<unknown[]>(result)) ?? [];
  return linesIn(
    stories.map((story) => (isObject(story) && isObject(story.who) ? { ...story, ...namesOf(story.who) } : null)),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const namesOf = ({ role, user_id, source }: Record<string, unknown>) => ({ role, user_id, source });
