import { z } from 'zod';
import type { LogLine } from '../../contract/observed.ts';
import { firstJson } from '../database/statement.ts';
import type { App } from './app.ts';
import { runAsServerRole } from './run-as-server-role.ts';

const text = z.string();
const line: z.ZodType<LogLine> = z.object({
  request_id: text,
  at: z.iso.datetime(),
  area: z.enum(['rest', 'auth']),
  call: text,
  method: text,
  path: text,
  query: text,
  status: z.number(),
  code: text.nullable(),
  subject: text.nullable(),
  role: text.nullable(),
  user_id: text.nullable(),
  source: text.nullable(),
  milliseconds: z.number(),
});

/** Parses lines of the log. The app's own code can write any value into the table, so invalid values are ignored. */
export const parseLogLines = (values: readonly unknown[]): LogLine[] =>
  values.flatMap((value) => {
    const parsed = line.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });

/**
 * Reads the stored traces of requests that returned an error, newest first.
 * @param filter.code The code of the error; null for any code.
 * @param filter.builders True to include requests of builders, with the console or the CLI.
 * @param max Maximum number of requests.
 */
export async function readFailedRequests(
  app: App,
  { code, builders }: { code: string | null; builders: boolean },
  max: number,
): Promise<LogLine[]> {
  const [result] = await runAsServerRole(app.database, [
    {
      text: `select pg_catalog.json_agg(trace order by at desc) from (select trace, at from ninefold.request_traces
        where code is not null and ($1::text is null or code = $1)
          and ($2::boolean or trace -> 'who' ->> 'source' is distinct from 'builder')
        order by at desc limit $3::integer) s`,
      params: [code, String(builders), String(max)],
    },
  ]);
  const traces = (result && firstJson<unknown[]>(result)) ?? [];
  return parseLogLines(
    traces.map((trace) => (isObject(trace) && isObject(trace.who) ? { ...trace, ...namesOf(trace.who) } : null)),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const namesOf = ({ role, user_id, source }: Record<string, unknown>) => ({ role, user_id, source });
