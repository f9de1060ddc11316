import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ParseOutcome, ParseTask } from './body-parser.ts';
import { readPayload } from './payload.ts';

/** Entry point of the thread that parses large bodies. It parses one body after the other. */

// On Linux, the priority applies to the thread only: with this priority, the thread gets about a third of the processor
// time of another thread. With less, a body would wait too long. On other systems, a lower priority would slow down the
// complete worker.
if (process.platform === 'linux') setPriority(5);

parentPort?.on('message', ({ kind, bytes }: ParseTask) => {
  const outcome = parse({ kind, bytes });
  const body = 'payload' in outcome && 'body' in outcome.payload ? outcome.payload.body : null;
  const transferred = body instanceof Uint8Array && body.byteLength === body.buffer.byteLength ? [body.buffer] : [];
  parentPort?.postMessage(outcome, transferred as ArrayBuffer[]);
});

function parse({ kind, bytes }: ParseTask): ParseOutcome {
  try {
    return { payload: readPayload(kind, bytes) };
  } catch (error) {
    if (!(error instanceof NinefoldError)) throw error;
    const { code, message, details, limit } = error;
    return { refused: { code, message, details, limit } };
  }
}
