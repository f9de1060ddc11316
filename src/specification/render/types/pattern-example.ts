/**
 * Returns a text that matches a regular expression of PostgreSQL, built from the first branches and the fewest
 * repetitions. Returns null if the pattern contains more than characters, classes, groups and quantifiers.
 */
export function patternExample(source: string): string | null {
  try {
    const made = new Maker(source.replace(/^\^/, '').replace(/\$$/, '')).all();
    return matches(source, made) ? made : null;
  } catch {
    return null;
  }
}

/**
 * Returns true if a text matches the pattern. JavaScript evaluates the pattern, so this holds only if PostgreSQL and
 * JavaScript read it alike.
 */
export function matches(source: string, text: string): boolean {
  try {
    return new RegExp(source, 'u').test(text);
  } catch {
    return false;
  }
}

const classes: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ' };

class Maker {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Returns a text for the whole pattern.
   * @throws Error if the pattern has another form.
   */
  all(): string {
    const made = this.#branches();
    if (this.#at < this.#source.length) throw new Error('more than is understood');
    return made;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern.source, 'suy');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source);
    if (found) this.#at = sticky.lastIndex;
    return found;
  }

  /** Returns a text for the first branch and skips the others. */
  #branches(): string {
    const first = this.#sequence();
    while (this.#take(/\|/)) this.#sequence();
    return first;
  }

  #sequence(): string {
    let made = '';
    for (let atom = this.#atom(); atom !== null; atom = this.#atom()) made += atom.repeat(this.#times());
    return made;
  }

  #times(): number {
    // A text of hundreds of characters is no useful example. So a quantifier with three or more digits is not parsed,
    // and the pattern has no example.
    const [sign, min] = this.#take(/[*+?]|\{(\d{1,2})(?:,\d*)?\}/) ?? [];
    return sign === undefined || sign === '+' ? 1 : Number(min ?? 0);
  }

  #atom(): string | null {
    if (this.#take(/\((?:\?:)?(?!\?)/)) {
      const inner = this.#branches();
      if (!this.#take(/\)/)) throw new Error('no end of a group');
      return inner;
    }
    const [, negated, inner] = this.#take(/\[(\^?)((?:\\.|[^\]\\[])+)\]/) ?? [];
    if (inner !== undefined) return negated ? outside(inner) : member(inner);
    const [, escaped] = this.#take(/\\(.)/) ?? [];
    if (escaped !== undefined) return meant(escaped);
    if (this.#take(/\./)) return 'a';
    return this.#take(/[^\\^$.*+?()[\]{}|]/)?.[0] ?? null;
  }
}

/** Returns a character that an escape such as \d matches. */
function meant(escaped: string): string {
  const known = classes[escaped] ?? (/[a-z0-9]/i.test(escaped) ? undefined : escaped);
  if (known === undefined) throw new Error('another escape');
  return known;
}

const member = (inner: string): string =>
  inner.startsWith('\\') ? meant(inner.charAt(1)) : String.fromCodePoint(inner.codePointAt(0) ?? 0);

function outside(inner: string): string {
  const found = ['a', '1', '-'].find((one) => matches(`^[^${inner}]$`, one));
  if (found === undefined) throw new Error('no character is known');
  return found;
}
