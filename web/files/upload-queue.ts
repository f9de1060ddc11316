import type { NewObject, SendFile } from './storage-address.ts';

/**
 * `waiting`: others are sent first. `paused`: by the reader. `lost`: the connection failed, and the queue tries again.
 * `failed`: the server refused the file.
 */
export type UploadState = 'waiting' | 'running' | 'paused' | 'lost' | 'failed' | 'done';

/** A file in the queue. Each change makes another value. */
export interface Upload extends NewObject {
  readonly id: number;
  readonly state: UploadState;
  /** Bytes that are sent. */
  readonly sent: number;
  /** Bytes per second since the upload began or continued; null before the first ones. */
  readonly rate: number | null;
  /** The error of the states `lost` and `failed`. */
  readonly error: Error | null;
}

export interface QueueOptions {
  readonly send: SendFile;
  /** Returns true if the error is one of the connection, so that the same request can succeed later. */
  readonly isLost: (error: Error) => boolean;
  /** Called after each upload. */
  readonly onDone: (object: NewObject) => void;
}

/** Number of files that are sent at the same time. */
const AT_ONCE = 3;
/** Milliseconds before a lost upload continues, if the browser does not report a connection before. */
const PAUSE = 5000;

/** Sends files to /storage/v1, a few at a time. Its list is a store for React's useSyncExternalStore. */
export class UploadQueue {
  readonly #options: QueueOptions;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Map<number, AbortController>();
  #uploads: readonly Upload[] = [];
  #ids = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    window.addEventListener('online', () => this.#continueLost());
  }

  /** Returns the uploads in the order in which they were added. */
  readonly get = (): readonly Upload[] => this.#uploads;

  /** Calls `listener` after each change. Returns the function that ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds files. They begin at once, or after others. */
  add(objects: readonly NewObject[]): void {
    const added = objects.map(
      (object): Upload => ({ ...object, id: this.#ids++, state: 'waiting', sent: 0, rate: null, error: null }),
    );
    this.#set([...this.#uploads, ...added]);
    this.#fill();
  }

  pause(id: number): void {
    this.#change(id, { state: 'paused' });
    this.#stop(id);
  }

  /** Continues a paused or lost upload, or tries a failed one again. */
  resume(id: number): void {
    this.#change(id, { state: 'waiting', error: null });
    this.#fill();
  }

  /** Tries a file again whose path is taken, and replaces the object there. */
  replace(id: number): void {
    this.#change(id, { state: 'waiting', error: null, replaces: true });
    this.#fill();
  }

  /** Removes an upload from the list, and stops it if it runs. */
  remove(id: number): void {
    this.#set(this.#uploads.filter((upload) => upload.id !== id));
    this.#stop(id);
  }

  pauseAll(): void {
    for (const { id, state } of this.#uploads) if (state === 'running' || state === 'waiting') this.pause(id);
  }

  resumeAll(): void {
    for (const { id, state } of this.#uploads) if (state === 'paused') this.resume(id);
  }

  /** Removes the uploads that have ended. */
  clear(): void {
    this.#set(this.#uploads.filter(({ state }) => state !== 'done' && state !== 'failed'));
  }

  #continueLost(): void {
    for (const { id, state } of this.#uploads) if (state === 'lost') this.resume(id);
  }

  #stop(id: number): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
    this.#fill();
  }

  #fill(): void {
    for (const upload of this.#uploads) {
      if (this.#running.size >= AT_ONCE) return;
      if (upload.state === 'waiting') void this.#run(upload);
    }
  }

  async #run({ id, ...object }: Upload): Promise<void> {
    const { send, isLost, onDone } = this.#options;
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    this.#change(id, { state: 'running', rate: null });
    const rate = new Rate();
    try {
      await send(object, {
        signal,
        onProgress: (sent) => {
          if (!signal.aborted) this.#change(id, { sent, rate: rate.at(sent, performance.now()) });
        },
      });
      this.#change(id, { state: 'done', sent: object.file.size });
      onDone(object);
    } catch (caught) {
      if (signal.aborted) return;
      const error = caught instanceof Error ? caught : new Error(String(caught));
      const state = isLost(error) ? 'lost' : 'failed';
      this.#change(id, { state, error });
      if (state === 'lost') setTimeout(() => this.#continue(id), PAUSE);
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
      this.#fill();
    }
  }

  #continue(id: number): void {
    if (this.#uploads.some((upload) => upload.id === id && upload.state === 'lost')) this.resume(id);
  }

  #change(id: number, part: Partial<Upload>): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    for (const listener of this.#listeners) listener();
  }
}

/** Measures bytes per second, without those that an earlier attempt sent. */
class Rate {
  #from: { sent: number; at: number } | null = null;

  at(sent: number, now: number): number | null {
    this.#from ??= { sent, at: now };
    const seconds = (now - this.#from.at) / 1000;
    return seconds < 0.5 ? null : (sent - this.#from.sent) / seconds;
  }
}
