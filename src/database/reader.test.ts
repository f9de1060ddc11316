import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageReader } from './reader.ts';

/** Encodes a backend message: type, length, body. */
function encode(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describe('MessageReader', () => {
  it('delivers the same messages however the bytes are split into chunks', () => {
    const message = fc.record({ type: fc.integer({ min: 1, max: 255 }), body: fc.uint8Array({ maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 17 })), (messages, cuts) => {
        const seen: { type: number; body: number[] }[] = [];
        const reader = new MessageReader((type, data, start, end) =>
          seen.push({ type, body: [...data.subarray(start, end)] }),
        );
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

  it('skips a message that is too large, however it is split, and reads the next one', () => {
    const before = encode(0x44, Buffer.from('before'));
    const large = encode(0x44, Buffer.alloc(5000, 0x78));
    const after = encode(0x43, Buffer.from('after'));
    const bytes = Buffer.concat([before, large, after]);
    for (const size of [1, 7, 4999, bytes.length]) {
      const seen: string[] = [];
      const reader = new MessageReader((_, data, start, end) => seen.push(data.toString('utf8', start, end)), {
        large: 100,
        onLarge: () => 'whole',
        max: 1000,
        onTooLarge: () => seen.push('too large'),
      });
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      expect(seen).toEqual(['before', 'too large', 'after']);
    }
  });

  it('forwards the bytes of a large message as they arrive, once the start of the message is known', () => {
    const large = encode(0x44, Buffer.from(`head|${'x'.repeat(5000)}`));
    const bytes = Buffer.concat([encode(0x43, Buffer.from('before')), large, encode(0x43, Buffer.from('after'))]);
    for (const size of [1, 3, 4999, bytes.length]) {
      const seen: string[] = [];
      let handedOn = '';
      const reader = new MessageReader((_, data, start, end) => seen.push(data.toString('utf8', start, end)), {
        large: 100,
        max: 1000,
        onTooLarge: () => seen.push('too large'),
        onLarge: (_, start) => {
          if (!start.includes('|')) return 'more';
          return {
            skip: start.indexOf('|') + 1,
            receive: (part) => {
              handedOn += part.toString();
            },
            end: () => seen.push('end'),
          };
        },
      });
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      expect(seen).toEqual(['before', 'end', 'after']);
      expect(handedOn).toBe('x'.repeat(5000));
    }
  });
});
