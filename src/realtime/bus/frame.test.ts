import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlFrame, encodeMessage, type Frame, MAX_FRAME_BYTES, readFrames } from './frame.ts';

const messages = fc.record({
  kind: fc.constantFrom('broadcast' as const, 'presence' as const, 'changed' as const),
  ref: fc.stringMatching(/^[a-z][a-z0-9-]{2,39}$/),
  topic: fc.string({ unit: 'binary', maxLength: 300 }),
  body: fc.uint8Array({ maxLength: 2000 }),
});

/** Reads a batch. Returns its frames without the binary form, or null if a frame is malformed. */
function read(batch: Uint8Array): Omit<Frame, 'bytes'>[] | null {
  const frames: Omit<Frame, 'bytes'>[] = [];
  const isComplete = readFrames(batch, ({ bytes: _, body, ...rest }) =>
    frames.push({ ...rest, body: Uint8Array.from(body) }),
  );
  return isComplete ? frames : null;
}

describe('readFrames', () => {
  it('returns the messages of a batch in order', () => {
    fc.assert(
      fc.property(fc.array(messages, { maxLength: 10 }), (sent) => {
        const encoded = sent.map((message) => encodeMessage(message, 'node.1') ?? new Uint8Array());
        const topicAsSent = (topic: string) => Buffer.from(topic).toString();
        expect(read(Buffer.concat(encoded))).toEqual(
          sent.map((message) => ({ ...message, topic: topicAsSent(message.topic), from: 'node.1' })),
        );
      }),
    );
  });

  it('throws for no bytes, and rejects every incomplete batch', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void read(bytes)));
    const whole = Buffer.from(
      encodeMessage({ kind: 'broadcast', ref: 'app', topic: 'a', body: Buffer.from('hello') }, 'n.1') ?? [],
    );
    for (let length = 1; length < whole.length; length++) expect(read(whole.subarray(0, length))).toBeNull();
  });

  it('rejects lengths within a frame that exceed the frame, and unknown kinds', () => {
    const frame = () => Buffer.from(controlFrame('ended', { from: 'node.1', ref: 'app', topic: 'room' }));
    for (const [at, value] of [
      [4, 200],
      [5, 255],
      [12, 255],
      [16, 255],
      [17, 255],
    ] as const) {
      const changed = frame();
      changed[at] = value;
      expect(read(changed), `byte ${at}`).toBeNull();
    }
  });
});

describe('encodeMessage', () => {
  it('returns null for a message that is larger than a frame, and for a topic longer than its length field', () => {
    const message = { kind: 'broadcast' as const, ref: 'app', topic: 'room', body: new Uint8Array(MAX_FRAME_BYTES) };
    expect(encodeMessage(message, 'n.1')).toBeNull();
    expect(encodeMessage({ ...message, body: new Uint8Array(1), topic: 'é'.repeat(40_000) }, 'n.1')).toBeNull();
  });
});
