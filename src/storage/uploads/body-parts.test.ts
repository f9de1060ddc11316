import { describe, expect, it } from 'vitest';
import { BodyParts } from './body-parts.ts';

async function* chunks(texts: readonly string[], failure?: Error): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
  if (failure) throw failure;
}

async function partsOf(body: BodyParts): Promise<string[]> {
  const parts: string[] = [];
  while (!body.isOver) {
    let part = '';
    for await (const chunk of body.next()) part += Buffer.from(chunk).toString();
    parts.push(part);
  }
  return parts;
}

describe('BodyParts', () => {
  it('ends a part with the chunk that reaches its size', async () => {
    const body = new BodyParts(chunks(['ab', 'cd', 'ef']), 3);
    expect(await partsOf(body)).toEqual(['abcd', 'ef']);
    expect(body.failure).toBeNull();
  });

  it('returns an empty last part if the body ends with a part', async () => {
    expect(await partsOf(new BodyParts(chunks(['abc']), 3))).toEqual(['abc', '']);
    expect(await partsOf(new BodyParts(chunks([]), 3))).toEqual(['']);
  });

  it('ends the part with the bytes before a failure, and reports the failure', async () => {
    const failure = new Error('connection lost');
    const body = new BodyParts(chunks(['ab', 'cd', 'e'], failure), 4);
    expect(await partsOf(body)).toEqual(['abcd', 'e']);
    expect(body.failure).toBe(failure);
  });

  it('ends the body when it is stopped', async () => {
    let isEnded = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('a');
      } finally {
        isEnded = true;
      }
    }
    const body = new BodyParts(endless(), 2);
    for await (const _ of body.next());
    await body.stop();
    expect(isEnded).toBe(true);
  });
});
