import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Presence } from './presence.ts';

/** The payload of a message `presence` of a client. */
export type PresenceRequest = Readonly<Record<string, unknown>>;

/** The presence of one channel of one socket. */
export class PresenceMember {
  readonly #presence: Presence;
  readonly #key: string;
  readonly #now: () => number;
  #entry: { readonly id: number; readonly meta: string } | null = null;
  /** Calls in the current window, and its end in milliseconds. */
  #calls = 0;
  #windowEnd = Number.NEGATIVE_INFINITY;

  /** @param now Milliseconds that never go back. */
  constructor(presence: Presence, key: string, now: () => number = () => performance.now()) {
    this.#presence = presence;
    this.#key = key;
    this.#now = now;
  }

  /** True while the channel has an entry. */
  get isTracked(): boolean {
    return this.#entry !== null;
  }

  /**
   * Runs a message `presence`, `{event: "track", payload}` or `{event: "untrack"}`, of a client that may write.
   * @throws NinefoldError ClientPresenceRateLimitReached, InvalidPresencePayload, UnableToTrackPresence,
   *   UnknownPresenceEvent
   */
  handle(request: PresenceRequest): void {
    this.#count();
    const event = typeof request.event === 'string' ? request.event.toLowerCase() : '';
    if (event === 'track') this.#track(request.payload ?? {});
    else if (event === 'untrack') this.leave();
    else throw new NinefoldError('UnknownPresenceEvent');
  }

  /** Removes the entry of the channel. */
  leave(): void {
    if (this.#entry) this.#presence.remove(this.#entry.id);
    this.#entry = null;
  }

  #track(payload: unknown): void {
    const meta = metaJson(payload);
    if (meta === this.#entry?.meta) return;
    const isFull = !this.#entry && this.#presence.size >= limits.realtimePresenceMembers.default;
    const added = meta.length - (this.#entry?.meta.length ?? 0);
    if (isFull || (added > 0 && this.#presence.bytes + added > limits.realtimePresenceTopicBytes.default)) {
      throw new NinefoldError('UnableToTrackPresence');
    }
    this.#entry = { id: this.#presence.add(this.#key, meta, this.#entry?.id ?? null), meta };
  }

  #count(): void {
    const now = this.#now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + limits.realtimePresenceSeconds.default * 1000;
      this.#calls = 0;
    }
    this.#calls += 1;
    if (this.#calls > limits.realtimePresenceCalls.default) throw new NinefoldError('ClientPresenceRateLimitReached');
  }
}

function metaJson(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new NinefoldError('InvalidPresencePayload');
  }
  const maxKeys = limits.realtimePresenceKeys.default;
  if (Object.keys(payload).length > maxKeys) {
    throw new NinefoldError('InvalidPresencePayload', {
      message: `Presence track payload must have at most ${maxKeys} keys`,
      limit: 'realtimePresenceKeys',
    });
  }
  // The server sets the references.
  const own = Object.entries(payload).filter(([name]) => name !== 'phx_ref' && name !== 'phx_ref_prev');
  const meta = JSON.stringify(Object.fromEntries(own));
  if (Buffer.byteLength(meta) > limits.realtimePresenceBytes.default) {
    throw new NinefoldError('InvalidPresencePayload', {
      message: 'Track message size exceeded',
      limit: 'realtimePresenceBytes',
    });
  }
  return meta;
}
