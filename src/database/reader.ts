import type { DatabaseErrorFields } from './database-error.ts';

/** Called once a backend message: its type byte and its body (a view into what was received, not a copy). */
export type OnMessage = (type: number, body: Buffer) => void;

/**
 * Cuts what the socket delivers into backend messages. A message that lies within one chunk is handed over as a view
 * of it; one that spans chunks is joined once, when its last byte has come.
 */
export class MessageReader {
  readonly #onMessage: OnMessage;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes that #pending must hold before another message can be cut. */
  #wanted = 5;
  readonly #maxBytes: number;
  readonly #onTooLarge: () => void;
  /** Bytes still to come of a message that was too large. */
  #skipping = 0;

  /** A message of more than `maxBytes` is not kept: `onTooLarge` is called when it begins, and its bytes are let go. */
  constructor(onMessage: OnMessage, maxBytes = Number.POSITIVE_INFINITY, onTooLarge: () => void = () => undefined) {
    this.#onMessage = onMessage;
    this.#maxBytes = maxBytes;
    this.#onTooLarge = onTooLarge;
  }

  push(chunk: Buffer): void {
    let data = chunk;
    if (this.#skipping > 0) {
      const skipped = Math.min(this.#skipping, data.length);
      this.#skipping -= skipped;
      data = data.subarray(skipped);
      if (data.length === 0) return;
    }
    if (this.#pendingBytes > 0) {
      this.#pending.push(data);
      this.#pendingBytes += data.length;
      if (this.#pendingBytes < this.#wanted) return;
      data = Buffer.concat(this.#pending, this.#pendingBytes);
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    let offset = 0;
    while (data.length - offset >= 5) {
      const end = offset + 1 + data.readUInt32BE(offset + 1);
      if (end - offset > this.#maxBytes) {
        this.#onTooLarge();
        if (end > data.length) {
          this.#skipping = end - data.length;
          return;
        }
        offset = end;
        continue;
      }
      if (end > data.length) {
        this.#keep(data.subarray(offset), end - offset);
        return;
      }
      this.#onMessage(data[offset] as number, data.subarray(offset + 5, end));
      offset = end;
    }
    if (offset < data.length) this.#keep(data.subarray(offset), 5);
  }

  #keep(rest: Buffer, wanted: number): void {
    this.#pending = [rest];
    this.#pendingBytes = rest.length;
    this.#wanted = wanted;
  }
}

/** The columns of a RowDescription. */
export function readFields(body: Buffer): { name: string; typeOid: number }[] {
  const count = body.readUInt16BE(0);
  const fields: { name: string; typeOid: number }[] = [];
  let offset = 2;
  for (let i = 0; i < count; i++) {
    const end = body.indexOf(0, offset);
    const name = body.toString('utf8', offset, end);
    const typeOid = body.readUInt32BE(end + 7);
    fields.push({ name, typeOid });
    offset = end + 19;
  }
  return fields;
}

/** The values of a DataRow, as views. */
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

/** A string that ends with a zero byte, from `offset`. */
export const readString = (body: Buffer, offset = 0): string => body.toString('utf8', offset, body.indexOf(0, offset));

/** The fields of an ErrorResponse or NoticeResponse. */
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
