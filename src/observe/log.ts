import pino from 'pino';
import { type CallEvent, type Events, eventTypes } from './events.ts';
import { LineOutput } from './line-output.ts';

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

/**
 * Writes events as JSON lines: faults, lost workers and lost links as errors, undeclared errors of calls as warnings, requests at level debug, the others as info. Events
 * contain no headers, bodies, tokens or SQL. (pino's own destination is not used, because it ends the process on errors
 * and retries forever at exit.)
 * @param level Level of pino; `silent` writes nothing.
 * @returns A function that stops the log.
 */
export function writeLog(events: Events, level: string, output: LineOutput): () => void {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  const log = pino(options, { write: (line: string) => output.write(line) });
  const types = eventTypes.filter((type) => type !== 'call' || log.isLevelEnabled('debug'));
  const undeclared = new Set<string>();
  return events.listen(types, (event) => {
    switch (event.type) {
      case 'fault':
        log.error({ ...event, error: undefined, err: event.error }, `a fault in ${event.where}`);
        return;
      case 'undeclared-error': {
        // One line for each error, so that no client can fill the log.
        const name = `${event.call} ${event.code}`;
        if (!undeclared.has(name)) log.warn(`undeclared error: ${name}`);
        undeclared.add(name);
        return;
      }
      case 'call':
        log.debug(withoutValues(event), 'call');
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
  return said;
}
