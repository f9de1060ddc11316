import { controlFrame } from './frame.ts';

/**
 * The topics that a node holds, as hashes of 32 bits. Two topics with one hash cost an additional message. The body of a
 * frame `topics` is an operation and hashes, little-endian.
 */
const REPLACE = 0;
const ADD = 1;
const REMOVE = 2;
/** The node holds more topics than it lists. */
const ALL = 3;
const HASH_BYTES = 4;

/** Number of topics from which a node receives the messages of all topics, and below which it lists them again. */
const MAX_LISTED = 50_000;
const LISTED_AGAIN = 25_000;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Returns the FNV-1a hash of a topic's key, over its UTF-16 units. */
export function topicHash(key: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}

/** The topics of another node, as its frames describe them. */
export class TopicFilter {
  #hashes = new Set<number>();
  #isAll = false;

  /** Returns true if the node may hold a topic. */
  has(hash: number): boolean {
    return this.#isAll || this.#hashes.has(hash);
  }

  /** Applies the body of a frame `topics`. Returns false if it is malformed. */
  apply(body: Uint8Array): boolean {
    const [operation = -1] = body;
    if (operation > ALL || operation < REPLACE || (body.length - 1) % HASH_BYTES !== 0) return false;
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    if (operation === REPLACE) this.#hashes = new Set();
    if (operation !== ADD && operation !== REMOVE) this.#isAll = operation === ALL;
    if (operation === ALL) this.#hashes = new Set();
    for (let at = 1; at < body.length; at += HASH_BYTES) {
      const hash = view.getUint32(at, true);
      if (operation === REMOVE) this.#hashes.delete(hash);
      else if (this.#hashes.size <= MAX_LISTED) this.#hashes.add(hash);
    }
    return true;
  }
}

/** The topics of this node, and the changes of them that the other nodes do not know yet. */
export class HeldTopics {
  /** The number of topics with each hash. */
  readonly #counts = new Map<number, number>();
  readonly #changed = new Map<number, boolean>();
  #isAll = false;
  #mustReplace = false;

  /** True if the other nodes must be informed. */
  get hasChanges(): boolean {
    return this.#mustReplace || this.#changed.size > 0;
  }

  hold(key: string): void {
    const hash = topicHash(key);
    const count = this.#counts.get(hash) ?? 0;
    this.#counts.set(hash, count + 1);
    if (count === 0) this.#change(hash, true);
  }

  release(key: string): void {
    const hash = topicHash(key);
    const count = this.#counts.get(hash) ?? 0;
    if (count > 1) {
      this.#counts.set(hash, count - 1);
    } else if (this.#counts.delete(hash)) {
      this.#change(hash, false);
    }
  }

  /** Makes the next frame contain all topics, for a node that does not know them. */
  listAll(): void {
    this.#mustReplace = true;
    this.#changed.clear();
  }

  /** Forgets the changes, because no other node runs. */
  forgetChanges(): void {
    this.#mustReplace = false;
    this.#changed.clear();
  }

  /** Returns the frames that inform the other nodes of the changes. */
  takeFrames(): Uint8Array[] {
    const frames = this.#mustReplace ? this.#completeFrames() : this.#changeFrames();
    this.forgetChanges();
    return frames;
  }

  #change(hash: number, isHeld: boolean): void {
    const wasAll = this.#isAll;
    this.#isAll = this.#counts.size > (wasAll ? LISTED_AGAIN : MAX_LISTED);
    if (this.#isAll !== wasAll) this.listAll();
    if (this.#isAll || this.#mustReplace) return;
    this.#changed.set(hash, isHeld);
  }

  #completeFrames(): Uint8Array[] {
    return [this.#isAll ? topicsFrame(ALL, []) : topicsFrame(REPLACE, [...this.#counts.keys()])];
  }

  #changeFrames(): Uint8Array[] {
    const hashes = (isHeld: boolean) => [...this.#changed].filter(([, is]) => is === isHeld).map(([hash]) => hash);
    return [[ADD, hashes(true)] as const, [REMOVE, hashes(false)] as const].flatMap(([operation, of]) =>
      of.length === 0 ? [] : [topicsFrame(operation, of)],
    );
  }
}

function topicsFrame(operation: number, hashes: readonly number[]): Uint8Array {
  const body = Buffer.allocUnsafe(1 + hashes.length * HASH_BYTES);
  body[0] = operation;
  hashes.forEach((hash, i) => void body.writeUInt32LE(hash, 1 + i * HASH_BYTES));
  return controlFrame('topics', { body });
}
