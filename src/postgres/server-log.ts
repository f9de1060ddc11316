import { type FileHandle, open, rename, stat, truncate } from 'node:fs/promises';
import { setInterval } from 'node:timers';

/** When the log has this size, its end is copied to `<log>.1`, and the log is emptied. */
const LARGEST_BYTES = 8 * 1024 * 1024;
/**
 * Interval of the size check. It is short, because code of an app can write hundreds of megabytes in a minute with
 * RAISE LOG.
 */
const LOOK_MILLISECONDS = 1000;

/**
 * PostgreSQL's log file. The server writes through its own file descriptor, so that logging continues if Ninefold ends.
 * Rotation copies the end of the file and truncates it; the server appends at the new end.
 */
export class ServerLog {
  readonly path: string;
  readonly #timer: NodeJS.Timeout;
  #isRotating = false;

  constructor(path: string) {
    this.path = path;
    this.#timer = setInterval(() => void this.rotate().catch(() => undefined), LOOK_MILLISECONDS);
    this.#timer.unref();
  }

  /** Opens the file for a child's standard error. The caller closes it. */
  open(): Promise<FileHandle> {
    return open(this.path, 'a', 0o600);
  }

  async size(): Promise<number> {
    return stat(this.path).then(
      (file) => file.size,
      () => 0,
    );
  }

  /** Returns the text of the log from an offset on; at most the last 16 KB of the log. */
  async readFrom(offset: number): Promise<string> {
    return (await this.#end(offset, 16 * 1024)).toString('utf8');
  }

  /** If the log is larger than LARGEST_BYTES, keeps its last LARGEST_BYTES in another file and empties the log. */
  async rotate(): Promise<void> {
    if (this.#isRotating || (await this.size()) < LARGEST_BYTES) return;
    this.#isRotating = true;
    try {
      await this.#copyEnd(`${this.path}.1`);
      await truncate(this.path);
    } finally {
      this.#isRotating = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #copyEnd(path: string): Promise<void> {
    const draft = await open(`${path}.new`, 'w', 0o600);
    try {
      await draft.writeFile(await this.#end(0, LARGEST_BYTES));
    } finally {
      await draft.close();
    }
    await rename(`${path}.new`, path);
  }

  /**
   * Returns the bytes of the log from an offset on; at most the last `max` bytes. If the file is shorter than the
   * offset, returns them from the start of the file.
   */
  async #end(offset: number, max: number): Promise<Buffer> {
    const file = await open(this.path, 'r');
    try {
      const { size } = await file.stat();
      const start = Math.max(offset > size ? 0 : offset, size - max);
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}
