import * as fs from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type ByteRange, BytesTruncatedError } from './byte-store.ts';
import { closeFile, openFile } from './disk.ts';

/** Number of bytes that are read at once. */
const CHUNK = 256 * 1024;

const statFile = promisify(fs.fstat);
const readFile = promisify(fs.read);

/**
 * Opens a file, or a range of it. The stream fails with BytesTruncatedError if the file ends before the range. It needs
 * fewer steps than `fs.createReadStream`, which reads until the end of the file and notices no truncation.
 * @param key Names the file in errors.
 */
export async function openFileStream(path: string, key: string, range?: ByteRange): Promise<Readable> {
  const file = await openFile(path, 'r');
  try {
    const { start, end } = range ?? { start: 0, end: (await statFile(file)).size - 1 };
    return new FileStream(file, key, start, end);
  } catch (error) {
    closeFile(file);
    throw error;
  }
}

/**
 * Reads a range of a file into memory.
 * @param key Names the file in errors.
 * @throws BytesTruncatedError
 */
export async function readFilePart(path: string, key: string, { start, end }: ByteRange): Promise<Uint8Array> {
  const length = end - start + 1;
  const bytes = Buffer.allocUnsafe(length);
  const file = await openFile(path, 'r');
  try {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await readFile(file, bytes, done, length - done, start + done);
      if (bytesRead === 0) throw new BytesTruncatedError(key, length, done);
      done += bytesRead;
    }
    return bytes;
  } finally {
    closeFile(file);
  }
}

class FileStream extends Readable {
  readonly #file: number;
  readonly #key: string;
  readonly #start: number;
  readonly #end: number;
  #position: number;
  #isReading = false;
  #afterReading: (() => void) | null = null;

  constructor(file: number, key: string, start: number, end: number) {
    super({ highWaterMark: CHUNK });
    this.#file = file;
    this.#key = key;
    this.#start = start;
    this.#end = end;
    this.#position = start;
  }

  override _read(): void {
    const length = Math.min(CHUNK, this.#end - this.#position + 1);
    if (length <= 0) {
      this.push(null);
      return;
    }
    this.#isReading = true;
    fs.read(this.#file, Buffer.allocUnsafe(length), 0, length, this.#position, (error, count, bytes) => {
      this.#isReading = false;
      if (this.#afterReading) this.#afterReading();
      else if (error) this.destroy(error);
      else if (count === 0) this.destroy(this.#truncated());
      else {
        this.#position += count;
        this.push(count === length ? bytes : bytes.subarray(0, count));
      }
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // The descriptor must stay open until a read ends, because the system gives its number to the next file.
    const close = () => {
      closeFile(this.#file);
      done(error);
    };
    if (this.#isReading) this.#afterReading = close;
    else close();
  }

  #truncated(): Error {
    return new BytesTruncatedError(this.#key, this.#end - this.#start + 1, this.#position - this.#start);
  }
}
