/** An entry as the clients of a channel see it. */
export interface Announced {
  /** The value of `phx_ref`, which no other entry of the topic has or had. */
  readonly ref: string;
  readonly key: string;
  /** The object in `metas` as JSON, with `phx_ref`. */
  readonly json: string;
}

/**
 * The entries that the clients of a topic know, and the changes that they do not know yet. A join and a leave of the
 * same entry between two diffs cancel each other.
 */
export class AnnouncedEntries {
  /** The known entries by key, then by reference. */
  readonly #known = new Map<string, Map<string, Announced>>();
  readonly #joins = new Map<string, Announced>();
  readonly #leaves = new Map<string, Announced>();

  add(entry: Announced): void {
    if (!this.#leaves.delete(entry.ref)) this.#joins.set(entry.ref, entry);
  }

  remove(entry: Announced): void {
    if (!this.#joins.delete(entry.ref)) this.#leaves.set(entry.ref, entry);
  }

  /** Returns true if the clients do not know the entry yet. */
  isPending(ref: string): boolean {
    return this.#joins.has(ref);
  }

  /** Returns the payload of `presence_state`: the known entries. The next diff has the other changes. */
  state(): string {
    const keys = [...this.#known].map(([key, entries]) => keyJson(key, [...entries.values()]));
    return `{${keys.join(',')}}`;
  }

  /** Returns the payload of `presence_diff`, and makes its changes known; null without changes. */
  takeDiff(): string | null {
    if (this.#joins.size === 0 && this.#leaves.size === 0) return null;
    const diff = `{"joins":${byKey(this.#joins.values())},"leaves":${byKey(this.#leaves.values())}}`;
    for (const { key, ref } of this.#leaves.values()) {
      const entries = this.#known.get(key);
      entries?.delete(ref);
      if (entries?.size === 0) this.#known.delete(key);
    }
    for (const entry of this.#joins.values()) {
      const entries = this.#known.get(entry.key);
      if (entries) entries.set(entry.ref, entry);
      else this.#known.set(entry.key, new Map([[entry.ref, entry]]));
    }
    this.#joins.clear();
    this.#leaves.clear();
    return diff;
  }
}

const keyJson = (key: string, entries: readonly Announced[]): string =>
  `${JSON.stringify(key)}:{"metas":[${entries.map(({ json }) => json).join(',')}]}`;

function byKey(entries: Iterable<Announced>): string {
  const groups = new Map<string, Announced[]>();
  for (const entry of entries) {
    const group = groups.get(entry.key);
    if (group) group.push(entry);
    else groups.set(entry.key, [entry]);
  }
  return `{${[...groups].map(([key, group]) => keyJson(key, group)).join(',')}}`;
}
