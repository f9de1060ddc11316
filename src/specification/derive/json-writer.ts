/** The number of levels of objects around the lists of entries: the specification, its chapters, each chapter. */
const DEPTH = 3;

const [OPENING, CLOSING] = [Buffer.from('['), Buffer.from(']')];

/**
 * Writes specifications as JSON.stringify does, in UTF-8. Keeps the text of each entry and of each list of entries,
 * because most of them are the same objects in the page of a specification and in the app's next specification.
 */
export class JsonWriter {
  /** The text of each entry, with a comma before it. */
  readonly #entries = new WeakMap<object, Buffer>();
  readonly #lists = new WeakMap<readonly unknown[], Buffer>();

  /** Returns the JSON of a specification or of its chapters, in parts. */
  json(value: object): Buffer[] {
    return this.#object(value, DEPTH);
  }

  #object(value: object, depth: number): Buffer[] {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const parts = members.flatMap(([name, member], i) => [
      Buffer.from(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      ...this.#member(member, depth - 1),
    ]);
    return [...parts, Buffer.from(parts.length === 0 ? '{}' : '}')];
  }

  #member(value: unknown, depth: number): Buffer[] {
    if (Array.isArray(value)) return [this.#list(value)];
    const isObject = typeof value === 'object' && value !== null;
    return depth > 0 && isObject ? this.#object(value, depth) : [Buffer.from(JSON.stringify(value))];
  }

  #list(items: readonly unknown[]): Buffer {
    const known = this.#lists.get(items);
    if (known) return known;
    const [first, ...others] = items.map((item) => this.#entry(item));
    const written = Buffer.concat([OPENING, ...(first ? [first.subarray(1)] : []), ...others, CLOSING]);
    this.#lists.set(items, written);
    return written;
  }

  #entry(item: unknown): Buffer {
    if (typeof item !== 'object' || item === null) return Buffer.from(`,${JSON.stringify(item)}`);
    const known = this.#entries.get(item);
    if (known) return known;
    const written = Buffer.from(`,${JSON.stringify(item)}`);
    this.#entries.set(item, written);
    return written;
  }
}
