import type { FunctionLogLine } from '../../../contract/functions.ts';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { BufferedCounters } from '../statistics/buffered-counters.ts';

/** A line before it is stored. */
export type NewLogLine = Omit<FunctionLogLine, 'id'>;

/** Maximum number of lines of one app that a worker holds between two writes. */
const MAX_BUFFERED = 2000;

/** Writes the output of edge functions to the databases of their apps, every few seconds. */
export class FunctionLogs {
  readonly #lines: BufferedCounters<NewLogLine>;

  constructor(apps: Apps, events: Events) {
    this.#lines = new BufferedCounters(
      { apps, events, what: 'logging functions' },
      { write, maintain: async () => undefined },
    );
  }

  start(turns: BackgroundTurns): void {
    this.#lines.start(turns);
  }

  stop(): Promise<void> {
    return this.#lines.stop();
  }

  /** Adds a line. Lines beyond the maximum are dropped. */
  add(ref: string, line: NewLogLine): void {
    const lines = this.#lines.of(ref);
    if (lines && lines.size < MAX_BUFFERED) lines.set(String(lines.size), line);
  }

  /** Immediately writes the lines of this worker for one app. */
  flushApp(ref: string): Promise<void> {
    return this.#lines.flushApp(ref);
  }
}

async function write(app: App, lines: readonly NewLogLine[]): Promise<void> {
  await runAsServerRole(app.serverDatabase, [
    {
      text: `insert into ninefold.function_logs (at, function, request_id, level, message, milliseconds)
        select at, function, request_id, level, message, milliseconds from pg_catalog.json_to_recordset($1::json)
          as c (at timestamptz, function text, request_id text, level text, message text, milliseconds real)`,
      // PostgreSQL cannot store the character NUL.
      params: [JSON.stringify(lines).replaceAll('\\u0000', '')],
    },
    {
      text: `delete from ninefold.function_logs
        where id <= (select id from ninefold.function_logs order by id desc offset $1::integer limit 1)`,
      params: [String(limits.functionLogsStored.default)],
    },
  ]);
}

/** Which lines of output are read. */
export interface LogFilter {
  readonly function: string | null;
  readonly requestId: string | null;
  /** Only lines with a greater id. */
  readonly after: number;
  readonly onlyErrors: boolean;
  readonly limit: number;
}

/** Returns the newest lines that match, in the order of their times. */
export async function readFunctionLogs(database: Executor, filter: LogFilter): Promise<FunctionLogLine[]> {
  const [result] = await runAsServerRole(database, [
    {
      text: `select coalesce(pg_catalog.json_agg(l order by l.at, l.id), '[]') from (
        select id, pg_catalog.to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, function, request_id, level, message,
          milliseconds
        from ninefold.function_logs
        where ($1::text is null or function = $1 or function is null) and ($2::text is null or request_id = $2) and id > $3::bigint
          and (not $4::boolean or level in ('error', 'warn'))
        order by id desc limit $5::integer) l`,
      params: [
        filter.function,
        filter.requestId,
        String(filter.after),
        String(filter.onlyErrors),
        String(filter.limit),
      ],
    },
  ]);
  return (result && firstJson<FunctionLogLine[]>(result)) ?? [];
}

/** Returns the median duration of a start of the process in the last day, in milliseconds; null without one. */
export async function readStartMilliseconds(database: Executor): Promise<number | null> {
  const [result] = await runAsServerRole(database, [
    {
      text: `select pg_catalog.to_json(pg_catalog.percentile_cont(0.5) within group (order by milliseconds::double precision))
        from ninefold.function_logs where level = 'start' and at > pg_catalog.now() - interval '1 day'`,
      params: [],
    },
  ]);
  return (result && firstJson<number | null>(result)) ?? null;
}
