import type { ServerResponse } from 'node:http';
import { limits } from '../../contract/limits.ts';

/** Time constant for comparing how fast bodies arrive. Bytes that arrived this long ago count about a third. */
const RECENT_MILLISECONDS = 500;

/**
 * Counts the bytes of request bodies that a worker holds in memory, from their arrival until the response is closed.
 * Above the limit, it rejects the bodies that arrive most slowly, so that clients with a fast upload are served.
 */
export class BufferedBodies {
  readonly #maxBytes: number;
  readonly #arriving = new Set<BufferedBody>();
  #bytes = 0;

  constructor(maxBytes: number = limits.heldBodyBytes.default) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts a body until `response` is closed.
   * @param refuse Called if the body must be rejected. It must release the buffered bytes of the body.
   */
  begin(response: ServerResponse, refuse: () => void): BufferedBody {
    const body = new BufferedBody(this, refuse);
    this.#arriving.add(body);
    response.once('close', () => this.release(body));
    return body;
  }

  /** Adds the memory that a body has allocated. If all bodies together exceed the limit, rejects the slowest ones. */
  grew(by: number): void {
    this.#bytes += by;
    while (this.#bytes > this.#maxBytes) {
      const slowest = this.#slowest();
      if (slowest === null) return;
      this.release(slowest);
      slowest.refuse();
    }
  }

  /** Marks a body as complete. A complete body is not rejected. */
  arrived(body: BufferedBody): void {
    this.#arriving.delete(body);
  }

  release(body: BufferedBody): void {
    this.#arriving.delete(body);
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }

  #slowest(): BufferedBody | null {
    const now = performance.now();
    let slowest: BufferedBody | null = null;
    for (const body of this.#arriving) {
      if (body.bytes > 0 && (slowest === null || body.recentBytes(now) < slowest.recentBytes(now))) slowest = body;
    }
    return slowest;
  }
}

class BufferedBody {
  readonly #bodies: BufferedBodies;
  readonly refuse: () => void;
  /** Memory of the body in bytes. */
  bytes = 0;
  #recent = 0;
  #countedAt = performance.now();

  constructor(bodies: BufferedBodies, refuse: () => void) {
    this.#bodies = bodies;
    this.refuse = refuse;
  }

  /**
   * Counts received bytes.
   * @param received Number of bytes that arrived.
   * @param memory Number of bytes that were allocated for them.
   */
  grow(received: number, memory: number): void {
    const now = performance.now();
    this.#recent = this.recentBytes(now) + received;
    this.#countedAt = now;
    this.bytes += memory;
    this.#bodies.grew(memory);
  }

  arrived(): void {
    this.#bodies.arrived(this);
  }

  /** Returns the number of bytes that arrived recently. The longer ago a byte arrived, the less it counts. */
  recentBytes(now: number): number {
    return this.#recent * Math.exp((this.#countedAt - now) / RECENT_MILLISECONDS);
  }
}
