import { z } from 'zod';
import { type LogLine, loggedAreas, type RequestTrace } from '../../../contract/observed.ts';
import { firstJson } from '../../database/statement.ts';
import type { App } from '../app.ts';
import { runAsServerRole } from '../run-as-server-role.ts';

const text = z.string();

/** The fields that a line of the log and a trace have alike. */
const common = {
  ...{ request_id: text, area: z.enum(loggedAreas), call: text, method: text, path: text, query: text },
  ...{ status: z.number(), code: text.nullable(), subject: text.nullable(), milliseconds: z.number() },
};

const who = { role: text.nullable(), user_id: text.nullable(), source: text.nullable() };

const line: z.ZodType<LogLine> = z.object({ ...common, ...who, at: z.iso.datetime() });

const trace: z.ZodType<RequestTrace> = z.object({
  ...common,
  at: text,
  limit: text.nullable(),
  refused: z
    .object({
      ...{ entity: text, field: text, transition: text.nullable(), from: text.nullable(), to: text.nullable() },
      ...{ key: z.record(text, text).nullable(), message: text },
    })
    .exactOptional(),
  who: z.object({ ...who, session_id: text.nullable(), address: text }),
  steps: z.array(z.object({ name: text, from: z.number(), took: z.number(), found: text })),
  sql: z.object({ text, parameters: z.number(), truncated: z.boolean() }).nullable(),
  touched: z.array(
    z.object({ schema: text, name: text, operation: z.enum(['select', 'insert', 'update', 'delete', 'execute']) }),
  ),
});

/** Parses lines. The app's own code may write anything, so invalid values are ignored. */
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
  const [result] = await runAsServerRole(app.serverDatabase, [
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

/** Reads a trace. The app's own code can write anything into this table, so invalid values are ignored. */
export async function readRequestTrace(app: App, requestId: string): Promise<RequestTrace | null> {
  const [result] = await runAsServerRole(app.serverDatabase, [
    {
      text: 'select trace from ninefold.request_traces where request_id = $1 order by at desc limit 1',
      params: [requestId],
    },
  ]);
  const parsed = trace.safeParse(result && firstJson<unknown>(result));
  return parsed.success ? parsed.data : null;
}
