/**
 * A text that a regular expression of PostgreSQL matches, made of its first branches and fewest repetitions; null for a pattern that says
 * more than characters, classes, groups and counts do.
 */
export function patternExample(source: string): string | null {
  try {
    const made = new Maker(source.replace(/^\^/, '').replace(/\$$/, '')).all();
    return matches(source, made) ? made : null;
  } catch {
    return null;
  }
}

/** Whether a text matches, as far as both kinds of regular expression read the pattern alike. */
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

  /** The whole pattern; throws where it is of another form. */
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

  /** The first of the branches; the others are read over. */
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
    // A text of hundreds of characters is worth showing to nobody: more digits are left, and so is the pattern.
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

/** What stands behind a backslash. */
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
