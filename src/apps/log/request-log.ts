import { limits } from '../../../contract/limits.ts';
import type { LogLine } from '../../../contract/observed.ts';
import type { CallEvent, Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { BufferedCounters, PerApp } from '../statistics/buffered-counters.ts';
import { loggedArea, maskedQuery, withoutSecrets } from './request-trace.ts';

interface BufferedLine {
  readonly event: CallEvent;
  /** Number of requests directly after this one that the log leaves out, because there were too many. */
  leftOut: number;
}

/** Maximum characters of a path and of a query in the log. */
const PATH_CHARACTERS = 300;
const QUERY_CHARACTERS = 500;

/** Number of written lines of one app after which a worker deletes old lines. */
const LINES_PER_CLEANUP = 5000;

/**
 * The log of requests: one line for each request to an app, in the app's database. Each worker writes its lines every
 * few seconds. The size is limited twice: by the lines of a worker per write, and by the app's settings.
 */
export class RequestLog {
  readonly #lines: BufferedCounters<BufferedLine>;
  /** Number of lines of an app that this worker has written since the last cleanup. */
  readonly #written = new PerApp<{ lines: number }>(() => ({ lines: 0 }));

  constructor(apps: Apps, events: Events) {
    this.#lines = new BufferedCounters(
      { apps, events, what: 'logging requests' },
      { write: (app, lines) => this.#write(app, lines), maintain: (app, isDue) => this.#cleanUp(app, isDue) },
    );
  }

  start(turns: BackgroundTurns): void {
    this.#lines.start(turns);
  }

  stop(): Promise<void> {
    return this.#lines.stop();
  }

  /** Adds a request. A request beyond the limit is only counted, unless it failed because of the server. */
  remember(ref: string, event: CallEvent): void {
    const lines = this.#lines.of(ref);
    if (!lines) return;
    const max = limits.loggedPerFlush.default * (event.status >= 500 ? 2 : 1);
    if (lines.size < max) {
      lines.set(String(lines.size), { event, leftOut: 0 });
      return;
    }
    const last = lines.get(String(lines.size - 1));
    if (last) last.leftOut++;
  }

  /** Immediately writes the lines of this worker for one app. */
  flushApp(ref: string): Promise<void> {
    return this.#lines.flushApp(ref);
  }

  /** Immediately writes the lines of all workers for one app. Waits a fixed time for the other workers. */
  async collect(app: App): Promise<void> {
    await Promise.all([this.flushApp(app.ref), runAsServerRole(app.serverDatabase, [ASK])]);
    await new Promise((resolve) => setTimeout(resolve, limits.logWaitMilliseconds.default));
  }

  async #write(app: App, buffered: readonly BufferedLine[]): Promise<void> {
    const lines = buffered.map(({ event, leftOut }) => ({ ...lineOf(event), left_out: leftOut }));
    await runAsServerRole(app.serverDatabase, [{ text: INSERT, params: [JSON.stringify(lines)] }]);
    const written = this.#written.of(app.ref);
    if (written) written.lines += lines.length;
  }

  /** Deletes old lines, if this is due or the worker has written many lines since the last time. */
  async #cleanUp(app: App, isDue: boolean): Promise<void> {
    if (!isDue && (this.#written.peek(app.ref)?.lines ?? 0) < LINES_PER_CLEANUP) return;
    this.#written.delete(app.ref);
    const { rest } = await app.settings();
    const params = [String(rest.logs_days), String(rest.logs_requests)];
    await runAsServerRole(app.serverDatabase, [
      { text: FORGET, params },
      { text: FORGET_COUNTS, params: [] },
    ]);
  }
}

/** Returns the line of a request. */
const lineOf = (event: CallEvent): LogLine => ({
  request_id: event.requestId,
  at: new Date(event.trace.at).toISOString(),
  area: loggedArea(event),
  call: event.call,
  method: event.method,
  path: event.path.slice(0, PATH_CHARACTERS),
  query: (event.source === 'builder' ? withoutSecrets(event.query) : maskedQuery(event.query)).slice(
    0,
    QUERY_CHARACTERS,
  ),
  status: event.status,
  code: event.code,
  subject: event.subject,
  role: event.role,
  user_id: event.userId,
  source: event.source,
  milliseconds: Math.round(event.milliseconds * 1000) / 1000,
});

const ASK = {
  text: `select pg_catalog.pg_notify('ninefold', '{"type":"log-wanted"}')`,
  params: [],
};

const COLUMNS =
  'request_id, at, area, call, method, path, query, status, code, subject, role, user_id, source, milliseconds, left_out';

/** SQL: the beginning of the five minutes that a line is counted in. */
export const SLOT = `pg_catalog.date_bin('5 minutes', at, '2000-01-01 00:00:00+00')`;

/** Stores lines and counts them. The order prevents a deadlock of two workers. */
const INSERT = `with lines as (
    insert into ninefold.request_log (${COLUMNS})
    select ${COLUMNS} from pg_catalog.json_to_recordset($1::json) as c (request_id text, at timestamptz, area text, call text, method text,
      path text, query text, status integer, code text, subject text, role text, user_id text, source text, milliseconds float8,
      left_out integer)
    returning at, status, caller, path_group, left_out
  )
  insert into ninefold.request_log_counts as c (slot, status, caller, path_group, calls, left_out)
  select ${SLOT}, status / 100, caller, path_group, pg_catalog.count(*), pg_catalog.sum(left_out)
  from lines group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (slot, status, caller, path_group)
  do update set calls = c.calls + excluded.calls, left_out = c.left_out + excluded.left_out`;

const FORGET = `delete from ninefold.request_log where at < now() - make_interval(days => $1::int)
  or at < (select at from ninefold.request_log order by at desc offset $2::int limit 1)`;

/** Deletes the counts before the oldest stored line. Its own five minutes stay, with more requests than are stored. */
const FORGET_COUNTS = `delete from ninefold.request_log_counts
  where slot < coalesce((select pg_catalog.min(at) from ninefold.request_log), 'infinity') - interval '5 minutes'`;
