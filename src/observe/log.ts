import { writeSync } from 'node:fs';
import pino from 'pino';
import { type CallEvent, type Events, eventTypes } from './events.ts';

/**
 * Writes events as JSON lines to stderr: faults and lost workers as errors, requests at level debug, the others as
 * info. Events contain no headers, bodies, tokens or SQL.
 * @param level Level of pino; `silent` writes nothing.
 * @returns A function that stops the log.
 */
export function writeLog(events: Events, level: string): () => void {
  const log = pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    { write: writeToStderr },
  );
  const types = eventTypes.filter((type) => type !== 'call' || log.isLevelEnabled('debug'));
  return events.listen(types, (event) => {
    switch (event.type) {
      case 'fault':
        log.error({ ...event, error: undefined, err: event.error }, `a fault in ${event.where}`);
        return;
      case 'call':
        log.debug(withoutValues(event), 'call');
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

/** Removes the query, which may contain values, and the trace, which is stored elsewhere. */
function withoutValues({ query: _query, trace: _trace, ...said }: CallEvent): object {
  return said;
}

const STDERR = 2;
/** Number of attempts to write a line while the reader of a pipe is slow, and the pause between them. */
const ATTEMPTS = 7;
const PAUSE_MILLISECONDS = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line synchronously. Drops a line that cannot be written, for example because the disk is full: the log must
 * neither end a node nor delay its end. (pino's own destination ends the process on errors, and retries forever at
 * exit.)
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
