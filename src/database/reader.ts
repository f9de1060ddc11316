import type { DatabaseErrorFields } from './database-error.ts';

/** Receives one backend message: its type byte, and its body as the bytes of `data` from `start` to before `end`. */
export type OnMessage = (type: number, data: Buffer, start: number, end: number) => void;

/**
 * Treatment of a large message that has not arrived completely: buffer the complete message (`whole`), buffer more of
 * it before deciding (`more`), or forward its bytes after the first `skip` bytes as they arrive.
 */
export type LargeMessage = 'whole' | 'more' | { skip: number; receive: (bytes: Buffer) => void; end: () => void };

/** Options for large messages. */
export interface LargeMessages {
  /** Size in bytes from which `onLarge` is called. */
  readonly large: number;
  /** Receives the part of the body of a large message that has arrived, and decides how to treat the message. */
  readonly onLarge: (type: number, start: Buffer) => LargeMessage;
  /** Size in bytes above which a message is discarded. `onTooLarge` is called when it begins. */
  readonly max: number;
  readonly onTooLarge: () => void;
}

const noLargeMessages: LargeMessages = {
  large: Number.POSITIVE_INFINITY,
  onLarge: () => 'whole',
  max: Number.POSITIVE_INFINITY,
  onTooLarge: () => undefined,
};

/** Number of bytes of a message's type and length. */
const HEAD = 5;

/** Number of bytes that are buffered in addition before `onLarge` is called again. */
const MORE = 4096;

/**
 * Splits the bytes of a socket into backend messages. A message within one chunk is passed on as a view of the chunk. A
 * message that spans chunks is joined once, when its last byte has arrived.
 */
export class MessageReader {
  readonly #onMessage: OnMessage;
  readonly #large: LargeMessages;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Number of bytes that `#pending` must contain before the reader can continue. */
  #wanted = HEAD;
  /** True if `onLarge` asked for the complete message. */
  #wantsWhole = false;
  /**
   * The functions that receive the remaining bytes of a forwarded or discarded message, and the number of these bytes.
   */
  #forward: { receive: (bytes: Buffer) => void; end: () => void } | null = null;
  #handOnBytes = 0;

  constructor(onMessage: OnMessage, large: LargeMessages = noLargeMessages) {
    this.#onMessage = onMessage;
    this.#large = large;
  }

  push(chunk: Buffer): void {
    let data = this.#forward ? this.#forwardFrom(chunk, this.#forward) : chunk;
    if (data.length === 0) return;
    if (this.#pendingBytes > 0) {
      this.#pending.push(data);
      this.#pendingBytes += data.length;
      if (this.#pendingBytes < this.#wanted) return;
      data = Buffer.concat(this.#pending, this.#pendingBytes);
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    let start = 0;
    while (data.length - start >= HEAD) {
      const length = 1 + data.readUInt32BE(start + 1);
      if (length > this.#large.large && !this.#wantsWhole) {
        const rest = this.#beginLarge(data.subarray(start), length);
        if (rest === null) return;
        data = rest;
        start = 0;
        continue;
      }
      const end = start + length;
      if (end > data.length) {
        this.#keep(data.subarray(start), length);
        return;
      }
      this.#wantsWhole = false;
      this.#onMessage(data[start] as number, data, start + HEAD, end);
      start = end;
    }
    if (start < data.length) this.#keep(data.subarray(start), HEAD);
  }

  /**
   * Starts a large message. Returns the bytes that follow the message. If the message is buffered, returns the bytes
   * from its start. Returns null if more bytes must arrive first.
   */
  #beginLarge(data: Buffer, length: number): Buffer | null {
    const come = Math.min(length, data.length);
    let decided = this.#large.onLarge(data[0] as number, data.subarray(HEAD, come));
    if (decided === 'more' && come < length) {
      this.#keep(data, Math.min(length, come + MORE));
      return null;
    }
    if (typeof decided === 'string') {
      if (length <= this.#large.max) {
        this.#wantsWhole = true;
        return data;
      }
      this.#large.onTooLarge();
      decided = { skip: 0, receive: () => undefined, end: () => undefined };
    }
    this.#forward = decided;
    this.#handOnBytes = length - HEAD - decided.skip;
    const rest = this.#forwardFrom(data.subarray(HEAD + decided.skip), decided);
    return rest.length > 0 ? rest : null;
  }

  /** Forwards bytes of the current message. Returns the bytes that follow the message. */
  #forwardFrom(data: Buffer, to: { receive: (bytes: Buffer) => void; end: () => void }): Buffer {
    const bytes = Math.min(this.#handOnBytes, data.length);
    this.#handOnBytes -= bytes;
    if (bytes > 0) to.receive(data.subarray(0, bytes));
    if (this.#handOnBytes === 0) {
      this.#forward = null;
      to.end();
    }
    return data.subarray(bytes);
  }

  #keep(rest: Buffer, wanted: number): void {
    this.#pending = [rest];
    this.#pendingBytes = rest.length;
    this.#wanted = wanted;
  }
}

/** Reads the columns of a RowDescription. */
export function readFields(body: Buffer, start = 0): { name: string; typeOid: number }[] {
  const count = body.readUInt16BE(start);
  const fields: { name: string; typeOid: number }[] = [];
  let offset = start + 2;
  for (let i = 0; i < count; i++) {
    const end = body.indexOf(0, offset);
    const name = body.toString('utf8', offset, end);
    const typeOid = body.readUInt32BE(end + 7);
    fields.push({ name, typeOid });
    offset = end + 19;
  }
  return fields;
}

/** Reads the values of a DataRow, as views of its bytes. */
export function readRow(body: Buffer): (Buffer | null)[] {
  const count = body.readUInt16BE(0);
  const row: (Buffer | null)[] = new Array(count);
  let offset = 2;
  for (let i = 0; i < count; i++) {
    const length = body.readInt32BE(offset);
    offset += 4;
    if (length < 0) {
      row[i] = null;
    } else {
      row[i] = body.subarray(offset, offset + length);
      offset += length;
    }
  }
  return row;
}

/**
 * Reads all values of a DataRow except the last one, and the offset and length of the last. Returns null if the other
 * values have not all arrived.
 */
export function readRowStart(
  body: Buffer,
): { values: (Buffer | null)[]; lastOffset: number; lastLength: number } | null {
  if (body.length < 2) return null;
  const values: (Buffer | null)[] = [];
  let offset = 2;
  for (let left = body.readUInt16BE(0); left > 0; left--) {
    if (body.length < offset + 4) return null;
    const length = body.readInt32BE(offset);
    offset += 4;
    if (left === 1) return { values, lastOffset: offset, lastLength: Math.max(0, length) };
    if (length >= 0) {
      if (body.length < offset + length) return null;
      values.push(body.subarray(offset, offset + length));
      offset += length;
    } else {
      values.push(null);
    }
  }
  return { values, lastOffset: offset, lastLength: 0 };
}

/** Reads a zero-terminated string that starts at `offset`. */
export const readString = (body: Buffer, offset = 0): string => body.toString('utf8', offset, body.indexOf(0, offset));

/** Reads the fields of an ErrorResponse or NoticeResponse. */
export function readErrorFields(body: Buffer): DatabaseErrorFields {
  const fields = new Map<string, string>();
  let offset = 0;
  while (offset < body.length && body[offset] !== 0) {
    const key = String.fromCharCode(body[offset] as number);
    const end = body.indexOf(0, offset + 1);
    fields.set(key, body.toString('utf8', offset + 1, end));
    offset = end + 1;
  }
  const position = fields.get('P');
  const optional: [keyof DatabaseErrorFields, string][] = [
    ['detail', 'D'],
    ['hint', 'H'],
    ['internalQuery', 'q'],
    ['where', 'W'],
    ['schema', 's'],
    ['table', 't'],
    ['column', 'c'],
    ['dataType', 'd'],
    ['constraint', 'n'],
  ];
  const result: DatabaseErrorFields = {
    sqlstate: fields.get('C') ?? 'XX000',
    severity: fields.get('V') ?? fields.get('S') ?? 'ERROR',
    message: fields.get('M') ?? 'unknown error',
    ...(position === undefined ? {} : { position: Number(position) }),
  };
  for (const [name, key] of optional) {
    const value = fields.get(key);
    if (value !== undefined) Object.assign(result, { [name]: value });
  }
  return result;
}
