import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { setInterval } from 'node:timers';

/** At this size the log becomes `<log>.1` and starts anew: at most twice this is kept. */
const largestBytes = 8 * 1024 * 1024;
const lookMilliseconds = 60_000;

/**
 * PostgreSQL's log file. The server writes to it through an open file of its own, so that its log goes on when Ninefold is
 * gone; rotation copies and truncates, and appending writers go on at the new end.
 */
export class ServerLog {
  readonly path: string;
  readonly #timer: NodeJS.Timeout;

  constructor(path: string) {
    this.path = path;
    this.#timer = setInterval(() => void this.rotate().catch(() => undefined), lookMilliseconds);
    this.#timer.unref();
  }

  /** An open file for a child's standard error. The caller closes it. */
  open(): Promise<FileHandle> {
    return open(this.path, 'a', 0o600);
  }

  async size(): Promise<number> {
    return stat(this.path).then(
      (file) => file.size,
      () => 0,
    );
  }

  /** What was written from a place in the file on, at most the last 16 KB of it. */
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
