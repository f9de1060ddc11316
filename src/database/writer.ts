import type { Param } from './statement.ts';

/** The first size of the buffer, and the size above which a used buffer is replaced. */
const FIRST_BYTES = 16 * 1024;
const LARGE_BYTES = 256 * 1024;

/**
 * Encodes frontend messages of the extended query protocol (PostgreSQL manual, "Message Formats") into one growing
 * buffer, so that one write can send several batches.
 */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Number of bytes in the buffer, for `cutBackTo`. */
  get length(): number {
    return this.#length;
  }

  /** Removes the bytes after `length`. A message that could not be encoded completely must not be sent in part. */
  cutBackTo(length: number): void {
    this.#length = length;
  }

  /** Returns the bytes written since the last call, and empties the buffer. The bytes belong to the caller. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#length);
    this.#buffer.copy(bytes, 0, 0, this.#length);
    this.#length = 0;
    if (this.#buffer.length > LARGE_BYTES) this.#buffer = Buffer.allocUnsafe(FIRST_BYTES);
    return bytes;
  }

  parse(name: string, text: string): void {
    const start = this.#open(0x50);
    this.#string(name);
    this.#string(text);
    this.#int16(0);
    this.#close(start);
  }

  /** Writes a Bind of the unnamed portal. All parameters and results are in text format. */
  bind(name: string, params: readonly Param[]): void {
    const start = this.#open(0x42);
    this.#string('');
    this.#string(name);
    this.#int16(0);
    this.#int16(params.length);
    for (const param of params) this.#param(param);
    this.#int16(0);
    this.#close(start);
  }

  describePortal(): void {
    const start = this.#open(0x44);
    this.#byte(0x50);
    this.#string('');
    this.#close(start);
  }

  execute(): void {
    const start = this.#open(0x45);
    this.#string('');
    this.#int32(0);
    this.#close(start);
  }

  closeStatement(name: string): void {
    const start = this.#open(0x43);
    this.#byte(0x53);
    this.#string(name);
    this.#close(start);
  }

  sync(): void {
    this.#close(this.#open(0x53));
  }

  query(sql: string): void {
    const start = this.#open(0x51);
    this.#string(sql);
    this.#close(start);
  }

  /** Writes all data of a COPY … FROM STDIN. */
  copyData(data: string): void {
    const start = this.#open(0x64);
    this.#content(data);
    this.#close(start);
    this.#close(this.#open(0x63));
  }

  copyFail(reason: string): void {
    const start = this.#open(0x66);
    this.#string(reason);
    this.#close(start);
  }

  terminate(): void {
    this.#close(this.#open(0x58));
  }

  #open(type: number): number {
    this.#byte(type);
    const start = this.#length;
    this.#reserve(4);
    this.#length += 4;
    return start;
  }

  #close(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start, start);
  }

  #param(param: Param): void {
    if (param === null) {
      this.#int32(-1);
      return;
    }
    this.#int32(typeof param === 'string' ? Buffer.byteLength(param) : param.byteLength);
    this.#content(param);
  }

  #content(param: string | Uint8Array): void {
    const bytes = typeof param === 'string' ? Buffer.byteLength(param) : param.byteLength;
    this.#reserve(bytes);
    // If the number of bytes equals the number of UTF-16 units, the string is ASCII, which latin1 writes fastest.
    if (typeof param === 'string') this.#buffer.write(param, this.#length, bytes === param.length ? 'latin1' : 'utf8');
    else this.#buffer.set(param, this.#length);
    this.#length += bytes;
  }

  /**
   * Writes a zero-terminated string. Rejects NUL characters: a NUL character inside the string would end the string
   * early, and the server would read the rest as another message.
   */
  #string(value: string): void {
    if (value.includes('\0')) throw new TypeError('SQL text cannot hold a NUL character');
    const bytes = Buffer.byteLength(value);
    this.#reserve(bytes + 1);
    this.#buffer.write(value, this.#length);
    this.#length += bytes;
    this.#buffer[this.#length++] = 0;
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeUInt16BE(value, this.#length);
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
