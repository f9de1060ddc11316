import type { Result } from './statement.ts';

export interface Prepared {
  readonly name: string;
  readonly preparedFor: string;
  readonly text: string;
  /** False until ParseComplete: a batch behind it must not rely on it, as the Parse may yet fail. */
  ready: boolean;
  /** From the first execution; a prepared statement is described once. */
  fields: Result['fields'] | null;
}

const MAX_PREPARED = 400;

/** The statements that one connection has prepared, the oldest of them let go of when there are too many. */
export class PreparedStatements {
  /** By whom they are for, then by their text: together these would be a new text to hash with every call. */
  readonly #byText = new Map<string, Map<string, Prepared>>();
  readonly #inOrder = new Set<Prepared>();
  #evicted: string[] = [];
  #count = 0;

  find(preparedFor: string, text: string): Prepared | undefined {
    return this.#byText.get(preparedFor)?.get(text);
  }

  /** A statement that is about to be prepared. */
  add(preparedFor: string, text: string): Prepared {
    this.#count++;
    const prepared: Prepared = { name: `s${this.#count}`, preparedFor, text, ready: false, fields: null };
    let texts = this.#byText.get(preparedFor);
    if (!texts) {
      texts = new Map();
      this.#byText.set(preparedFor, texts);
    }
    texts.set(text, prepared);
    this.#inOrder.add(prepared);
    if (this.#inOrder.size > MAX_PREPARED) this.#evictOldest();
    return prepared;
  }

  /** For what could not be prepared, or can no longer be used: then the server closes it with the next batch. */
  delete(prepared: Prepared): void {
    if (!this.#inOrder.delete(prepared)) return;
    const texts = this.#byText.get(prepared.preparedFor);
    texts?.delete(prepared.text);
    if (texts?.size === 0) this.#byText.delete(prepared.preparedFor);
    if (prepared.ready) this.#evicted.push(prepared.name);
  }

  /** Names that the server may forget, each given once. */
  takeEvicted(): readonly string[] {
    if (this.#evicted.length === 0) return none;
    const evicted = this.#evicted;
    this.#evicted = [];
    return evicted;
  }

  #evictOldest(): void {
    for (const prepared of this.#inOrder) {
      if (!prepared.ready) continue;
      this.delete(prepared);
      return;
    }
  }
}

const none: readonly string[] = [];
