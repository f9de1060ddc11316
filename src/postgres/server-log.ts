import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { setInterval } from 'node:timers';

/** At this size the log is renamed to `<log>.1` and a new one starts, so that at most twice this size is stored. */
const largestBytes = 8 * 1024 * 1024;
const lookMilliseconds = 60_000;

/**
 * PostgreSQL's log file. The server writes through its own file descriptor, so that logging continues if Ninefold ends.
 * Rotation copies and truncates the file; the server appends at the new end.
 */
export class ServerLog {
  readonly path: string;
  readonly #timer: NodeJS.Timeout;

  constructor(path: string) {
    this.path = path;
    this.#timer = setInterval(() => void this.rotate().catch(() => undefined), lookMilliseconds);
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

  /** Returns the text from an offset in the file, at most its last 16 KB. */
  async readFrom(offset: number): Promise<string> {
    const file = await open(this.path, 'r');
    try {
      const { size } = await file.stat();
      const start = Math.max(offset > size ? 0 : offset, size - 16 * 1024);
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async rotate(): Promise<void> {
    if ((await this.size()) < largestBytes) return;
    await copyFile(this.path, `${this.path}.1`);
    await truncate(this.path);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
