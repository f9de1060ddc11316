import { limits } from '../../../contract/limits.ts';
import { controlFrame, type Frame, topicKey } from './frame.ts';

/** Topics whose messages were dropped. Past this number, all topics count as affected. */
const MAX_LOST_TOPICS = 1000;
/**
 * Part of the free bytes that the frames of one app may occupy. Frames that subscribers could only recover by asking
 * again have a larger part than broadcasts.
 */
const BROADCAST_PART = 1;
const STATE_PART = 4;

/** Number of removed frames at the start of an array from which they are cut off. */
const COMPACT_AT = 1024;

/** A frame and the topic that it belongs to. */
export type QueuedFrame = Pick<Frame, 'kind' | 'ref' | 'topic' | 'bytes'>;

/** A topic of an app; all topics if `ref` is empty. */
export type Topic = Pick<Frame, 'ref' | 'topic'>;

/**
 * Frames that wait for one receiver. The bytes are bounded: an app may occupy as many bytes as are free, so several
 * busy apps get equal parts and room remains for others (the dynamic thresholds of Choudhury and Hahne, 1998). Frames of
 * the apps leave in turn. After frames of a topic were dropped, the receiver gets a frame `lost`.
 */
export class OutQueue {
  readonly #maxBytes: number;
  readonly #apps = new Map<string, { frames: Uint8Array[]; next: number; bytes: number }>();
  readonly #controls: Uint8Array[] = [];
  readonly #lost = new Map<string, Topic>();
  #hasLostAll = false;
  #bytes = 0;
  #dropped = 0;

  constructor(maxBytes: number = limits.realtimeWaitingBytes.default) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#controls.length === 0;
  }

  /** Bytes of the waiting frames of apps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of frames that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** True if the receiver must be informed of dropped frames. */
  get hasLost(): boolean {
    return this.#hasLostAll || this.#lost.size > 0;
  }

  /** Adds a frame of a topic. Returns false if it was dropped. */
  push(frame: QueuedFrame): boolean {
    const { kind, ref, bytes } = frame;
    const app = this.#apps.get(ref) ?? { frames: [], next: 0, bytes: 0 };
    const part = kind === 'broadcast' ? BROADCAST_PART : STATE_PART;
    const free = this.#maxBytes - this.#bytes;
    if (bytes.length > free || app.bytes + bytes.length > part * free) {
      this.drop(frame);
      return false;
    }
    app.frames.push(bytes);
    app.bytes += bytes.length;
    this.#bytes += bytes.length;
    this.#apps.set(ref, app);
    return true;
  }

  /** Adds a frame that is never dropped and overtakes all others. Its sender bounds the number of these frames. */
  pushControl(bytes: Uint8Array): void {
    this.#controls.push(bytes);
  }

  /** Records that a frame of a topic does not reach the receiver. */
  drop(topic: Topic): void {
    this.#dropped++;
    this.lose(topic);
  }

  /** Records that the receiver missed frames of a topic. */
  lose({ ref, topic }: Topic): void {
    if (ref === '' || this.#lost.size >= MAX_LOST_TOPICS) {
      this.#hasLostAll = true;
      this.#lost.clear();
    }
    if (!this.#hasLostAll) this.#lost.set(topicKey(ref, topic), { ref, topic });
  }

  /** Moves the record of dropped frames into the queue, as frames `lost`. */
  reportLost(): void {
    if (this.#hasLostAll) this.pushControl(controlFrame('lost', {}));
    for (const { ref, topic } of this.#lost.values()) this.pushControl(controlFrame('lost', { ref, topic }));
    this.#hasLostAll = false;
    this.#lost.clear();
  }

  /**
   * Removes frames and returns them as one batch.
   * @param maxBytes Size at which the batch is complete. A single larger frame is a batch of its own.
   */
  take(maxBytes: number): Uint8Array {
    const taken = this.#controls.splice(0);
    let bytes = taken.reduce((sum, frame) => sum + frame.length, 0);
    for (const [ref, app] of this.#apps) {
      const frame = app.frames[app.next];
      if (frame === undefined) throw new Error('an app without frames is in the queue');
      if (taken.length > 0 && bytes + frame.length > maxBytes) break;
      taken.push(frame);
      bytes += frame.length;
      this.#bytes -= frame.length;
      app.bytes -= frame.length;
      app.next++;
      // The app moves to the end of the map, which the loop also visits.
      this.#apps.delete(ref);
      if (app.next < app.frames.length) this.#apps.set(ref, compacted(app));
    }
    return Buffer.concat(taken, bytes);
  }

  /** Drops all frames. */
  clear(): void {
    for (const { frames, next } of this.#apps.values()) this.#dropped += frames.length - next;
    this.#apps.clear();
    this.#controls.length = 0;
    this.#bytes = 0;
  }
}

function compacted<App extends { frames: Uint8Array[]; next: number }>(app: App): App {
  if (app.next < COMPACT_AT) return app;
  return { ...app, frames: app.frames.slice(app.next), next: 0 };
}
