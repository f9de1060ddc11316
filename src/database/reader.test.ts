import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageReader } from './reader.ts';

/** A backend message as it travels: type, length, body. */
function encode(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describe('MessageReader', () => {
  it('gives the same messages however the bytes are cut into chunks', () => {
    const message = fc.record({ type: fc.integer({ min: 1, max: 255 }), body: fc.uint8Array({ maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 17 })), (messages, cuts) => {
        const seen: { type: number; body: number[] }[] = [];
        const reader = new MessageReader((type, body) => seen.push({ type, body: [...body] }));
        let rest = Buffer.concat(messages.map(({ type, body }) => encode(type, Buffer.from(body))));
        for (const cut of cuts) {
          reader.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        reader.push(rest);
        expect(seen).toEqual(messages.map(({ type, body }) => ({ type, body: [...body] })));
      }),
    );
  });
});
