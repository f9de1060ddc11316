import type { ServerResponse } from 'node:http';
import { limits } from '../../contract/limits.ts';

/** After this time, bytes that arrived count a third when the speeds of bodies are compared. */
const RECENT_MILLISECONDS = 500;

/**
 * Counts the bytes of the request bodies that a worker holds: while they arrive, and until the response is sent. When they exceed the
 * bound, the bodies that arrive most slowly are refused, so that clients that upload at full speed are served.
 */
export class HeldBodies {
  readonly #maxBytes: number;
  readonly #arriving = new Set<HeldBody>();
  #bytes = 0;

  constructor(maxBytes: number = limits.heldBodyBytes.default) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body until `response` is closed. `refuse` is called if the body has to go; it must drop what it has gathered. */
  begin(response: ServerResponse, refuse: () => void): HeldBody {
    const body = new HeldBody(this, refuse);
    this.#arriving.add(body);
    response.once('close', () => this.release(body));
    return body;
  }

  /** Called by a body that takes more memory. */
  grew(by: number): void {
    this.#bytes += by;
    while (this.#bytes > this.#maxBytes) {
      const slowest = this.#slowest();
      if (slowest === null) return;
      this.release(slowest);
      slowest.refuse();
    }
  }

  /** The body is whole: it is not refused from then on. */
  arrived(body: HeldBody): void {
    this.#arriving.delete(body);
  }

  release(body: HeldBody): void {
    this.#arriving.delete(body);
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }

  #slowest(): HeldBody | null {
    const now = performance.now();
    let slowest: HeldBody | null = null;
    for (const body of this.#arriving) {
      if (body.bytes > 0 && (slowest === null || body.recentBytes(now) < slowest.recentBytes(now))) slowest = body;
    }
    return slowest;
  }
}

class HeldBody {
  readonly #bodies: HeldBodies;
  readonly refuse: () => void;
  /** The memory that the body takes. */
  bytes = 0;
  #recent = 0;
  #countedAt = performance.now();

  constructor(bodies: HeldBodies, refuse: () => void) {
    this.#bodies = bodies;
    this.refuse = refuse;
  }

  /** `received` bytes have come, for which `memory` more bytes were allocated. */
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

  /** The bytes that came, counted the less the longer ago they came. */
  recentBytes(now: number): number {
    return this.#recent * Math.exp((this.#countedAt - now) / RECENT_MILLISECONDS);
  }
}
