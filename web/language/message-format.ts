/**
 * A part of a message: a string, an argument, the number of the enclosing plural (`#`), or a choice that depends on the
 * value of an argument.
 */
type Part =
  | string
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'number' }
  | {
      readonly kind: 'plural' | 'select';
      readonly name: string;
      readonly options: ReadonlyMap<string, readonly Part[]>;
    };

const parsed = new Map<string, readonly Part[]>();

/**
 * Formats a message and returns its parts: strings, and values that are neither strings nor numbers, such as elements.
 * Of ICU MessageFormat, supports arguments, `plural` (with the categories of Unicode CLDR, `=1` and `#`) and `select`.
 * Apostrophes are plain characters.
 *
 * @param locale Locale of numbers and plural categories (BCP 47).
 * @throws Error for a message in any other syntax
 */
export function formatParts<T>(
  message: string,
  values: Readonly<Record<string, string | number | T>>,
  locale: string,
): (string | T)[] {
  let parts = parsed.get(message);
  if (!parts) {
    parts = new Parser(message).parse();
    parsed.set(message, parts);
  }
  return joined(parts, values, locale, 0);
}

function joined<T>(
  parts: readonly Part[],
  values: Readonly<Record<string, string | number | T>>,
  locale: string,
  count: number,
): (string | T)[] {
  return parts.flatMap((part): (string | T)[] => {
    if (typeof part === 'string') return [part];
    if (part.kind === 'number') return [numberText(count, locale)];
    const value = values[part.name];
    if (part.kind === 'argument') {
      return value === undefined ? [] : [typeof value === 'number' ? numberText(value, locale) : value];
    }
    const chosen = part.kind === 'plural' ? pluralKey(part.options, Number(value), locale) : String(value);
    const option = part.options.get(chosen) ?? part.options.get('other') ?? [];
    return joined(option, values, locale, part.kind === 'plural' ? Number(value) : count);
  });
}

function pluralKey(options: ReadonlyMap<string, unknown>, count: number, locale: string): string {
  const exact = `=${count}`;
  return options.has(exact) ? exact : new Intl.PluralRules(locale).select(count);
}

const numberText = (value: number, locale: string): string => new Intl.NumberFormat(locale).format(value);

/** Parses a message by recursive descent. */
class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Part[] {
    const parts = this.#message(false);
    if (this.#at < this.#text.length) this.#fail();
    return parts;
  }

  #message(isInPlural: boolean): Part[] {
    const parts: Part[] = [];
    const special = isInPlural ? /[{}#]/g : /[{}]/g;
    for (;;) {
      special.lastIndex = this.#at;
      const found = special.exec(this.#text)?.index ?? this.#text.length;
      if (found > this.#at) parts.push(this.#text.slice(this.#at, found));
      this.#at = found;
      if (this.#text[found] === '#') {
        parts.push({ kind: 'number' });
        this.#at += 1;
      } else if (this.#text[found] === '{') parts.push(this.#argument(isInPlural));
      else return parts;
    }
  }

  #argument(isInPlural: boolean): Part {
    const [name] = this.#take(/\{\s*(\w+)\s*/y);
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return { kind: 'argument', name };
    }
    const [kind] = this.#take(/,\s*(plural|select)\s*,\s*/y) as ['plural' | 'select'];
    const options = new Map<string, readonly Part[]>();
    while (this.#text[this.#at] !== '}') {
      const [key] = this.#take(/(=\d+|\w+)\s*\{/y);
      options.set(key, this.#message(isInPlural || kind === 'plural'));
      this.#take(/\}\s*/y);
    }
    this.#at += 1;
    if (!options.has('other')) this.#fail();
    return { kind, name, options };
  }

  /** Reads the characters at the current position that match a sticky pattern. Returns the first group of the pattern. */
  #take(pattern: RegExp): [string] {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) this.#fail();
    this.#at += found?.[0].length ?? 0;
    return [found?.[1] ?? ''];
  }

  #fail(): never {
    throw new Error(`The message has another syntax at character ${this.#at + 1}: ${this.#text}`);
  }
}
