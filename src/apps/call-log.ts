import { randomUUID } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { LogLine, LogResponse } from '../../contract/observed.ts';
import type { App } from './app.ts';
import { type LogFilter, matchesFilter, parseLogLines, readStoredLogLines } from './log-entries.ts';
import { runAsServerRole } from './run-as-server-role.ts';

/** Maximum bytes per notification; PostgreSQL allows 8,000. */
const CHUNK_BYTES = 7000;
/** A worker sends its requests at most once in this time, whichever worker asks for them. */
const PAUSE_MILLISECONDS = 250;

/**
 * Reads the recent requests of an app. Each worker keeps its most recent requests in memory. A worker that reads the
 * log asks the others with NOTIFY and writes nothing. Failed and slow requests are also in the app's database.
 */
export class CallLog {
  /** Ids of the queries of this worker. */
  readonly #asked = new Set<string>();
  readonly #worker = randomUUID();
  readonly #toldAt = new WeakMap<App, number>();

  /**
   * Returns the most recent requests that match, newest first: those of this worker (`own`), of the other workers, and
   * of the database.
   */
  async read(
    app: App,
    own: readonly LogLine[],
    filter: LogFilter,
    max: number,
  ): Promise<Omit<LogResponse, 'calls'> & { calls: LogLine[] }> {
    const [heard, kept, { rest }] = await Promise.all([
      this.#askOthers(app),
      readStoredLogLines(app, filter, max + 1),
      app.settings(),
    ]);
    const remembered = [...own, ...heard.lines].filter((one) => matchesFilter(one, filter));
    const all = new Map([...remembered, ...kept].map((one) => [`${one.request_id} ${one.at}`, one]));
    const calls = [...all.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
    return {
      calls: calls.slice(0, max),
      truncated: calls.length > max,
      workers: heard.workers + 1,
      kept: { traces: rest.logs_traces, slow_milliseconds: rest.logs_slow_milliseconds },
    };
  }

  /** Sends the requests of this worker to a worker that asked for them. */
  async answer(app: App, id: string, own: () => readonly LogLine[]): Promise<void> {
    const now = performance.now();
    if (this.#asked.has(id) || now - (this.#toldAt.get(app) ?? -PAUSE_MILLISECONDS) < PAUSE_MILLISECONDS) return;
    this.#toldAt.set(app, now);
    const told = { type: 'log-told', id, worker: this.#worker };
    const payloads = chunks(own()).map((lines) => JSON.stringify({ ...told, lines }));
    const statements = payloads.map((payload) => ({ text: `select pg_notify('ninefold', $1)`, params: [payload] }));
    await runAsServerRole(app.database, statements).catch(() => undefined);
  }

  async #askOthers(app: App): Promise<{ lines: LogLine[]; workers: number }> {
    const id = randomUUID();
    const lines: LogLine[] = [];
    const workers = new Set<string>();
    const max = limits.rememberedCalls.default * MOST_WORKERS;
    const unsubscribe = app.subscribe((notification) => {
      if (notification.type !== 'log-told' || notification.id !== id || lines.length >= max) return;
      workers.add(notification.worker);
      lines.push(...parseLogLines(notification.lines));
    });
    this.#asked.add(id);
    try {
      await runAsServerRole(app.database, [
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

/** Maximum number of workers whose entries are read. */
const MOST_WORKERS = 64;

/** Divides entries into portions that fit into a notification; one empty portion if there are none. */
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
