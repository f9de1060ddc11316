import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';
import type { Identity } from './identity.ts';

interface Remembered {
  readonly identity: Identity;
  /** In milliseconds since 1970; infinite for a token without an end. */
  readonly until: number;
}

/**
 * The verified tokens of one app in one process: a token is verified once, then remembered until it expires or its session
 * is revoked.
 *
 * Tokens of sessions are only remembered while the revocations of the app's database are heard (`hear`): the listener
 * calls `hear()` when listening began, `deafen()` when the connection was lost, and `revoke` or `revokeAll` for what it
 * hears. Until then every call asks the database, so a revoked session never works longer than a notification takes.
 */
export class SessionCache {
  readonly #max: number;
  /** Made with the first token, as it takes its memory at once; most apps of a node are idle. */
  #tokens: LRUCache<string, Remembered> | null = null;
  readonly #ofSession = new Map<string, Set<string>>();
  #hearing = false;
  #epoch = 0;

  constructor(max: number = limits.rememberedTokens.default) {
    this.#max = max;
  }

  /** Revocations are heard from now on. */
  hear(): void {
    this.revokeAll();
    this.#hearing = true;
  }

  /** Revocations may be missed from now on. */
  deafen(): void {
    this.#hearing = false;
    this.revokeAll();
  }

  /** The sessions with these ids have ended. */
  revoke(ids: readonly string[]): void {
    this.#epoch++;
    for (const id of ids) {
      for (const token of [...(this.#ofSession.get(id) ?? [])]) this.#tokens?.delete(token);
    }
  }

  /** Any session may have ended, or the app's keys have changed. */
  revokeAll(): void {
    this.#epoch++;
    this.#tokens = null;
    this.#ofSession.clear();
  }

  /** Whose token this is; null when it has to be verified. `now` in milliseconds. */
  find(token: string, now: number): Identity | null {
    const entry = this.#tokens?.get(token);
    if (!entry) return null;
    if (entry.until > now) return entry.identity;
    this.#tokens?.delete(token);
    return null;
  }

  /** To be read before a session is looked up, and given to `remember` after. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Remembers a verified token. Does nothing when any session was revoked since `epoch`: the look-up may have seen the
   * session before it ended, while its revocation has already been heard.
   */
  remember(token: string, identity: Identity, until: number, epoch: number): void {
    const { sessionId } = identity;
    if (sessionId !== null && (!this.#hearing || epoch !== this.#epoch)) return;
    this.#tokens ??= new LRUCache<string, Remembered>({
      max: this.#max,
      dispose: (disposed, one) => this.#forgetSession(disposed.identity.sessionId, one),
    });
    this.#tokens.set(token, { identity, until });
    if (sessionId === null) return;
    // After `set`: of a token that was there already it disposes the earlier entry.
    const tokens = this.#ofSession.get(sessionId) ?? new Set();
    this.#ofSession.set(sessionId, tokens.add(token));
  }

  #forgetSession(sessionId: string | null, token: string): void {
    if (sessionId === null) return;
    const tokens = this.#ofSession.get(sessionId);
    if (tokens?.delete(token) && tokens.size === 0) this.#ofSession.delete(sessionId);
  }
}
