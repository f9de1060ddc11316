import { describe, expect, it } from 'vitest';
import { AuthenticationReader, errorResponse, readFirstMessage } from './startup-message.ts';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authentication = (code: number, rest = ''): Buffer => {
  const body = Buffer.alloc(4);
  body.writeUInt32BE(code);
  return message('R', Buffer.concat([body, Buffer.from(rest)]));
};

describe('AuthenticationReader', () => {
  it('finds AuthenticationOk after other messages, whatever the size of the chunks', () => {
    const all = Buffer.concat([
      message('v', Buffer.alloc(12)),
      authentication(10, 'SCRAM-SHA-256\0\0'),
      authentication(11, 'r=nonce'),
      authentication(12, 'v=signature'),
      authentication(0),
    ]);
    for (const size of [1, 3, 7, 100, all.length]) {
      const reader = new AuthenticationReader();
      const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
        all.subarray(i * size, (i + 1) * size),
      );
      expect(parts.map((part) => reader.push(part)).indexOf(true)).toBe(parts.length - 1);
    }
  });

  it('does not mistake an error message for a login', () => {
    expect(new AuthenticationReader().push(errorResponse('FATAL', '28P01', 'no'))).toBe(false);
  });
});

describe('readFirstMessage', () => {
  const startup = (words: string, version = 3 << 16): Buffer => {
    const body = Buffer.from(words);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length + 8, 0);
    head.writeUInt32BE(version, 4);
    return Buffer.concat([head, body]);
  };

  it('reads the role, whatever the order of the parameters', () => {
    expect(readFirstMessage(startup('database\0user\0user\0ada\0\0'))).toEqual({ kind: 'login', role: 'ada' });
    expect(readFirstMessage(startup('user\0ada\0\0', (3 << 16) + 2))).toEqual({ kind: 'login', role: 'ada' });
    expect(readFirstMessage(startup(`user\0${'x'.repeat(500)}\0\0`))).toEqual({ kind: 'login', role: 'x'.repeat(63) });
  });

  it('waits for the rest of a message, and rejects a length that no client sends', () => {
    const whole = startup('user\0ada\0\0');
    expect(readFirstMessage(whole.subarray(0, 10))).toBeNull();
    expect(readFirstMessage(Buffer.from('GET / HTTP/1.1'))).toBeUndefined();
    expect(readFirstMessage(Buffer.alloc(8))).toBeUndefined();
  });
});
