import { z } from 'zod';
import type { LogLine } from '../../contract/observed.ts';
import { firstJson } from '../database/statement.ts';
import type { CallEvent } from '../observe/events.ts';
import type { App } from './app.ts';
import { runAsServerRole } from './run-as-server-role.ts';

/** Filter of requests; null matches any value. */
export interface LogFilter {
  /** First digit of the status. */
  status: number | null;
  code: string | null;
  /** Id of the call in chapter 7. */
  call: string | null;
  userId: string | null;
  requestId: string | null;
  /** True to include requests of builders, with the console or the CLI. */
  builders: boolean;
}

/** Maximum length of the path in an entry. */
const PATH_LENGTH = 300;

/** Returns the entry of a request for the list of recent requests. */
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

/** Parses entries. The app's own code may send anything, so invalid values are ignored. */
export const parseLogLines = (values: readonly unknown[]): LogLine[] =>
  values.flatMap((value) => {
    const parsed = line.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });

/** Returns true if an entry matches the filter. */
export const matchesFilter = (one: LogLine, { status, code, call, userId, requestId, builders }: LogFilter): boolean =>
  (builders || one.source !== 'builder') &&
  (status === null || Math.floor(one.status / 100) === status) &&
  (code === null || one.code === code) &&
  (call === null || one.call === call) &&
  (userId === null || one.user_id === userId) &&
  (requestId === null || one.request_id === requestId);

/**
 * Reads matching requests from the app's database, newest first.
 * @param filter.failed True to read only requests that returned an error.
 * @param max Maximum number of requests.
 */
export async function readStoredLogLines(
  app: App,
  filter: Partial<LogFilter> & { failed?: boolean },
  max: number,
): Promise<LogLine[]> {
  const { status = null, code = null, call = null, userId = null, requestId = null } = filter;
  const { builders = false, failed = false } = filter;
  const [result] = await runAsServerRole(app.database, [
    {
      text: `select pg_catalog.json_agg(trace order by at desc) from (select trace, at from ninefold.request_traces
        where ($1::integer is null or status / 100 = $1) and ($2::text is null or code = $2) and ($3::text is null or call = $3)
          and ($4::text is null or trace -> 'who' ->> 'user_id' = $4) and ($5::text is null or request_id = $5)
          and (code is not null or not $6::boolean)
          and ($7::boolean or trace -> 'who' ->> 'source' is distinct from 'builder')
        order by at desc limit $8::integer) s`,
      params: [
        ...[status === null ? null : String(status), code, call, userId, requestId],
        ...[String(failed), String(builders), String(max)],
      ],
    },
  ]);
  const traces = (result && firstJson<unknown[]>(result)) ?? [];
  return parseLogLines(
    traces.map((trace) => (isObject(trace) && isObject(trace.who) ? { ...trace, ...namesOf(trace.who) } : null)),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const namesOf = ({ role, user_id, source }: Record<string, unknown>) => ({ role, user_id, source });
