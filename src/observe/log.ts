import { writeSync } from 'node:fs';
import pino from 'pino';
import type { CallEvent, Events } from './events.ts';

/**
 * Writes what happens as JSON lines on stderr: faults and lost workers as errors, calls at level debug, the rest as info. `level` is
 * pino's (`silent` for nothing). No header, body, token or SQL is ever in an event. Returns the function that stops it.
 */
export function writeLog(events: Events, level: string): () => void {
  const log = pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    { write: writeToStderr },
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

const STDERR = 2;
/** How often a line is tried while the reader of a pipe is slow, and the pause between two tries. */
const ATTEMPTS = 7;
const PAUSE_MILLISECONDS = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line at once. A line that cannot be written is lost, on a full disk for one: the log must neither end a node nor
 * keep it from ending. (pino's own destination ends a process that does not handle its errors, and tries for ever at exit.)
 */
function writeToStderr(line: string): void {
  let rest = Buffer.from(line);
  for (let attempt = 0; rest.length > 0 && attempt < ATTEMPTS; attempt++) {
    try {
      rest = rest.subarray(writeSync(STDERR, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      Atomics.wait(pause, 0, 0, PAUSE_MILLISECONDS);
    }
  }
}
