/** The number of levels of objects around the lists of entries: the specification, its chapters, each chapter. */
const DEPTH = 3;

/**
 * Writes specifications as JSON.stringify does. Keeps the texts of the entries, because most entries of an app's next
 * specification are the same objects.
 */
export class JsonWriter {
  readonly #texts = new WeakMap<object, string>();

  /** Returns the JSON of a specification or of its chapters. */
  json(value: object, depth = DEPTH): string {
    const members = Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : `${JSON.stringify(name)}:${this.#member(member, depth - 1)}`,
    );
    return `{${members.join(',')}}`;
  }

  #member(value: unknown, depth: number): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#text(item)).join(',')}]`;
    return depth > 0 && typeof value === 'object' && value !== null ? this.json(value, depth) : JSON.stringify(value);
  }

  #text(item: unknown): string {
    if (typeof item !== 'object' || item === null) return JSON.stringify(item);
    const known = this.#texts.get(item);
    if (known !== undefined) return known;
    const text = JSON.stringify(item);
    this.#texts.set(item, text);
    return text;
  }
}
