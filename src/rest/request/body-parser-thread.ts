import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ParseOutcome, ParseTask } from './body-parser.ts';
import { readPayload } from './payload.ts';

/** The entry of the thread that parses large bodies: one task after the other, each answered in its turn. */

// Linux counts a thread as a process here, and with this gives it a third of the time of the node's other threads; less would let a body wait
// too long beside other work. On another system it would slow the whole worker.
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
