import type { Result } from './statement.ts';

/** One statement that a connection has prepared or is preparing. */
export interface Prepared {
  readonly name: string;
  readonly planKey: string;
  readonly text: string;
  /** True after ParseComplete. Until then later batches must not use it, because the Parse may fail. */
  ready: boolean;
  /** Known after the first execution; a prepared statement is described once. */
  fields: Result['fields'] | null;
}

const MAX_PREPARED = 400;

/** The statements that one connection has prepared. If there are too many, the oldest is closed. */
export class PreparedStatements {
  /** Keyed by `planKey`, then by text. A combined key would be a new string to hash for every call. */
  readonly #byText = new Map<string, Map<string, Prepared>>();
  readonly #inOrder = new Set<Prepared>();
  #evicted: string[] = [];
  #count = 0;

  find(planKey: string, text: string): Prepared | undefined {
    return this.#byText.get(planKey)?.get(text);
  }

  /** Adds a statement that is about to be prepared. */
  add(planKey: string, text: string): Prepared {
    this.#count++;
    const prepared: Prepared = { name: `s${this.#count}`, planKey, text, ready: false, fields: null };
    let texts = this.#byText.get(planKey);
    if (!texts) {
      texts = new Map();
      this.#byText.set(planKey, texts);
    }
    texts.set(text, prepared);
    this.#inOrder.add(prepared);
    if (this.#inOrder.size > MAX_PREPARED) this.#evictOldest();
    return prepared;
  }

  /** Removes a statement that could not be prepared or is stale. If the server has it, the next batch closes it. */
  delete(prepared: Prepared): void {
    if (!this.#inOrder.delete(prepared)) return;
    const texts = this.#byText.get(prepared.planKey);
    texts?.delete(prepared.text);
    if (texts?.size === 0) this.#byText.delete(prepared.planKey);
    if (prepared.ready) this.#evicted.push(prepared.name);
  }

  /** Returns the names of statements that the server may close, each name once. */
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
