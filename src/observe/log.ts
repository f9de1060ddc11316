import pino from 'pino';
import { type CallEvent, type Events, eventTypes } from './events.ts';
import { LineOutput } from './line-output.ts';
import { safePath } from './safe-path.ts';

const STDERR = 2;

/** Returns the output for the log of this process. Once it can be written again, a line says how many lines are lost. */
export const logOutput = (): LineOutput =>
  new LineOutput(STDERR, (count) => {
    let line = '';
    const options = { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
    const destination = {
      write: (text: string) => {
        line = text;
      },
    };
    pino(options, destination).error({ lost: count }, `${count} lines of the log could not be written`);
    return line;
  });

/** The forms of the log: events only, or also one line for each request. */
type LogFormat = 'events' | 'json';

/**
 * Writes events as JSON lines: faults, lost workers and lost links as errors, undeclared errors of calls as warnings, the
 * others as info. Requests are logged at the level debug, and with the format `json` at the level info, with fixed field
 * names. Lines contain no headers, queries, bodies, tokens or SQL. (pino's own destination is not used, because it ends
 * the process on errors and retries forever at exit.)
 * @param level Level of pino; `silent` writes nothing.
 * @returns A function that stops the log.
 */
export function writeLog(
  events: Events,
  { level, format, output }: { level: string; format: LogFormat; output: LineOutput },
): () => void {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(format === 'json' && { formatters: { level: (label: string) => ({ level: label }) } }),
  };
  const log = pino(options, { write: (line: string) => output.write(line) });
  const hasCalls = format === 'json' ? log.isLevelEnabled('info') : log.isLevelEnabled('debug');
  const types = eventTypes.filter((type) => type !== 'call' || hasCalls);
  const undeclared = new Set<string>();
  return events.listen(types, (event) => {
    switch (event.type) {
      case 'fault':
        log.error({ ...event, error: undefined, err: withoutRows(event.error) }, `a fault in ${event.where}`);
        return;
      case 'undeclared-error': {
        // One line for each error, so that no client can fill the log.
        const name = `${event.call} ${event.code}`;
        if (!undeclared.has(name)) log.warn(`undeclared error: ${name}`);
        undeclared.add(name);
        return;
      }
      case 'call':
        if (format === 'json') log.info(requestLine(event), 'request');
        else log.debug(withoutValues(event), 'call');
        return;
      case 'postgres':
      case 'backup':
        log.info(event.detail ?? {}, event.message);
        return;
      case 'node':
        log[event.what.endsWith('-lost') ? 'error' : 'info'](event.detail ?? {}, `node ${event.what}`);
        return;
      case 'app':
        log.info({ app: event.app, milliseconds: event.milliseconds, ...event.detail }, `app ${event.what}`);
        return;
      default:
        log.info(event, event.what);
    }
  });
}

/** Removes the query, which may contain values, and the trace, which is stored elsewhere. */
function withoutValues({ query: _query, trace: _trace, ...said }: CallEvent): object {
  return { ...said, path: safePath(said.path) };
}

/** Returns the fields of a request for log shippers. docs/monitoring.md describes them. */
function requestLine({ trace, ...event }: CallEvent): object {
  return {
    request_id: event.requestId,
    trace_id: trace.context?.traceId,
    span_id: trace.context?.spanId,
    app: event.app,
    area: event.area,
    call: event.call,
    method: event.method,
    path: safePath(event.path),
    status: event.status,
    code: event.code,
    limit: event.limit,
    milliseconds: Math.round(event.milliseconds * 1000) / 1000,
    address: event.address,
    role: event.role,
    user_id: event.userId,
    by_builder: event.isByBuilder,
  };
}

/**
 * Returns an error without the fields of PostgreSQL that contain values of rows: its detail, and the statement and the
 * context of a function. The message and the SQLSTATE stay.
 */
function withoutRows(error: unknown): unknown {
  if (!(error instanceof Error) || !('fields' in error)) return error;
  const { sqlstate, schema, table, column, constraint } = error.fields as Readonly<Record<string, unknown>>;
  const shown = new Error(error.message, { cause: withoutRows(error.cause) });
  shown.name = error.name;
  if (error.stack !== undefined) shown.stack = error.stack;
  return Object.assign(shown, { fields: { sqlstate, schema, table, column, constraint } });
}
