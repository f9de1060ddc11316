import pino from 'pino';
import type { CallEvent, Events } from './events.ts';

/**
 * Writes what happens as JSON lines on stderr: faults and lost workers as errors, calls at level debug, the rest as info. `level` is
 * pino's (`silent` for nothing). No header, body, token or SQL is ever in an event. Returns the function that stops it.
 */
export function writeLog(events: Events, level: string): () => void {
  const log = pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
  return events.listen((event) => {
    switch (event.type) {
      case 'fault':
        log.error({ ...event, error: undefined, err: event.error }, `a fault in ${event.where}`);
        return;
      case 'call':
        if (log.isLevelEnabled('debug')) log.debug(withoutValues(event), 'call');
        return;
      case 'postgres':
        log.info(event.detail ?? {}, event.message);
        return;
      case 'node':
        log[event.what === 'worker-lost' ? 'error' : 'info'](event.detail ?? {}, `node ${event.what}`);
        return;
      case 'app':
        log.info({ app: event.app, milliseconds: event.milliseconds, ...event.detail }, `app ${event.what}`);
        return;
      default:
        log.info(event, event.what);
    }
  });
}

/** A query may hold values, and the trace is for the story of the call. */
function withoutValues({ query: _query, trace: _trace, ...said }: CallEvent): object {
  return said;
}
