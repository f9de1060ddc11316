import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';
import type { Identity } from './identity.ts';

interface Remembered {
  readonly identity: Identity;
  /**
   * Time until which the token may be cached, in milliseconds since 1970; Infinity for a token that does not expire.
   */
  readonly until: number;
}

/**
 * Caches the verified tokens of one app in one process. A token is verified once, then cached until it expires or its
 * session is revoked.
 *
 * Tokens of sessions are cached only while the listener receives revocations from the app's database. The listener
 * calls `connected()` when it is connected, `disconnected()` when it lost the connection, and `revoke` or `revokeAll`
 * for each notification. Without the listener, every request queries the database. A revoked session therefore works at
 * most as long as a notification takes.
 */
export class TokenCache {
  readonly #max: number;
  /**
   * The cache of tokens, which is created with the first token. It allocates all of its memory at once, and most apps
   * of a node are idle.
   */
  #tokens: LRUCache<string, Remembered> | null = null;
  readonly #ofSession = new Map<string, Set<string>>();
  #isConnected = false;
  #epoch = 0;

  constructor(max: number = limits.rememberedTokens.default) {
    this.#max = max;
  }

  /** Called when the listener is connected and receives revocations. */
  connected(): void {
    this.revokeAll();
    this.#isConnected = true;
  }

  /** Called when the listener lost its connection and may miss revocations. */
  disconnected(): void {
    this.#isConnected = false;
    this.revokeAll();
  }

  /** Removes the tokens of sessions that have ended. */
  revoke(ids: readonly string[]): void {
    this.#epoch++;
    for (const id of ids) {
      for (const token of [...(this.#ofSession.get(id) ?? [])]) this.#tokens?.delete(token);
    }
  }

  /** Removes all tokens, because any session may have ended or the app's keys have changed. */
  revokeAll(): void {
    this.#epoch++;
    this.#tokens = null;
    this.#ofSession.clear();
  }

  /**
   * Returns the identity of a cached token; null if the token must be verified.
   * @param now Milliseconds since 1970.
   */
  find(token: string, now: number): Identity | null {
    const entry = this.#tokens?.get(token);
    if (!entry) return null;
    if (entry.until > now) return entry.identity;
    this.#tokens?.delete(token);
    return null;
  }

  /** The number of revocations so far. Read it before a session is looked up, and pass it to `remember`. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Caches a verified token. Does nothing if any session was revoked after `epoch` was read. The lookup may have read
   * this session before it ended, although the notification of its end was already processed.
   */
  remember(token: string, identity: Identity, until: number, epoch: number): void {
    const { sessionId } = identity;
    if (sessionId !== null && (!this.#isConnected || epoch !== this.#epoch)) return;
    this.#tokens ??= new LRUCache<string, Remembered>({
      max: this.#max,
      dispose: (disposed, one) => this.#forgetSession(disposed.identity.sessionId, one),
    });
    this.#tokens.set(token, { identity, until });
    if (sessionId === null) return;
    // This follows `set`, because `set` disposes an existing entry of the token, which removes the token from this map.
    const tokens = this.#ofSession.get(sessionId) ?? new Set();
    this.#ofSession.set(sessionId, tokens.add(token));
  }

  #forgetSession(sessionId: string | null, token: string): void {
    if (sessionId === null) return;
    const tokens = this.#ofSession.get(sessionId);
    if (tokens?.delete(token) && tokens.size === 0) this.#ofSession.delete(sessionId);
  }
}
