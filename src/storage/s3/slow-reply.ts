import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../../../contract/call-request.ts';
import { XML_TYPE } from './s3-reply.ts';
import { XML_HEAD } from './xml/write-xml.ts';

/** Time in milliseconds that a request may take before its response begins, and between two of its characters. */
const PULSE_MILLISECONDS = 10_000;
/** Length of a response that began early. Spaces fill it, which XML allows before and after the document. */
const PADDED_BYTES = 32 * 1024;

/**
 * Returns the reply of a request that can take longer than clients wait for the first byte. Like Amazon S3, the node then
 * begins the response with the status 200 and sends spaces until the result is known, which may be an error document.
 * @param work Returns the reply.
 * @param renderError Returns the reply for an error; null if the connection must be closed.
 */
export async function replyWhileWorking(
  work: Promise<Reply>,
  renderError: (error: unknown) => Reply | null,
  pulseMilliseconds = PULSE_MILLISECONDS,
): Promise<Reply> {
  const first = await Promise.race([work, delay(pulseMilliseconds, null, { ref: false })]);
  if (first !== null) return first;
  const result = work.catch((error: unknown) => {
    const reply = renderError(error);
    if (reply === null) throw error;
    return reply;
  });
  // The client may disconnect before the work fails. Then nobody else handles the error.
  result.catch(() => undefined);
  const body = Readable.from(padded(result, pulseMilliseconds), { objectMode: false });
  return {
    status: 200,
    headers: { 'content-type': XML_TYPE, 'cache-control': 'no-store' },
    body: Object.assign(body, { length: PADDED_BYTES }),
  };
}

async function* padded(work: Promise<Reply>, pulseMilliseconds: number): AsyncGenerator<Buffer, void> {
  let left = PADDED_BYTES;
  const part = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    left -= bytes.length;
    return bytes;
  };
  yield part(XML_HEAD);
  let reply: Reply | null = null;
  while (reply === null) {
    yield part(' ');
    reply = await Promise.race([work, delay(pulseMilliseconds, null, { ref: false })]);
  }
  yield part(String(reply.body).slice(XML_HEAD.length));
  yield part(' '.repeat(left));
}
