import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { s3ErrorReply } from './s3-error.ts';
import { xmlReply } from './s3-reply.ts';
import { replyWhileWorking } from './slow-reply.ts';
import { readXml } from './xml/read-xml.ts';

const request = { method: 'POST', target: '/s3/b/k', requestId: 'r1' };
const renderError = (error: unknown) => s3ErrorReply(error, request);

/**
 * Returns the body of a reply that began before the work ended.
 * @param onPart Called for each part of the body with the number of parts so far.
 */
async function bodyOf(
  work: Promise<Reply>,
  onPart: (parts: number) => void = () => undefined,
): Promise<{ status: number; body: string; length: number | null }> {
  const { status, body } = await replyWhileWorking(work, renderError, 1);
  if (body === null || typeof body === 'string' || body instanceof Uint8Array)
    throw new Error('The reply is no stream.');
  const parts: string[] = [];
  for await (const part of body) onPart(parts.push(Buffer.from(part).toString()));
  return { status, body: parts.join(''), length: body.length };
}

describe('replyWhileWorking', () => {
  it('returns the reply itself, or throws the error itself, of work that ends soon', async () => {
    const reply = xmlReply('Done', {});
    expect(await replyWhileWorking(Promise.resolve(reply), renderError)).toBe(reply);
    const error = new NinefoldError('InvalidPart');
    await expect(replyWhileWorking(Promise.reject(error), renderError)).rejects.toBe(error);
  });

  it('sends spaces until the work ends, and then the document', async () => {
    let end: (reply: Reply) => void = () => undefined;
    const work = new Promise<Reply>((resolve) => {
      end = resolve;
    });
    const { status, body, length } = await bodyOf(work, (parts) => {
      // The parts so far are the head and two spaces.
      if (parts === 3) end(xmlReply('Done', { Key: 'ü' }));
    });
    expect([status, Buffer.byteLength(body)]).toEqual([200, length]);
    expect(body).toMatch(/^<\?xml [^>]*>\n {2,}<Done/);
    expect(readXml(Buffer.from(body))).toMatchObject({ name: 'Done', children: [{ name: 'Key', text: 'ü' }] });
  });

  it('sends an error of the work as a document, and closes the connection after any other failure', async () => {
    const failing = (error: Error) =>
      new Promise<Reply>((_, reject) => {
        setTimeout(() => reject(error), 20);
      });
    const { status, body } = await bodyOf(failing(new NinefoldError('InvalidPart')));
    expect([status, readXml(Buffer.from(body)).name]).toEqual([200, 'Error']);
    expect(body).toContain('<Code>InvalidPart</Code>');
    await expect(bodyOf(failing(new Error('fault')))).rejects.toThrow('fault');
  });
});
