/** How deeply groups of a pattern may be nested. */
const DEPTH = 50;

/**
 * Translates a regular expression of PostgreSQL (manual, 9.7.3) to ECMA-262 with the flag `u`, as JSON Schema uses it.
 * The translation matches every text that PostgreSQL matches, and possibly more. Returns null if no translation is
 * known; PostgreSQL then checks the value alone. Classes such as \w depend on the locale, so each becomes its largest
 * possible set.
 */
export function translatePattern(source: string, ignoreCase: boolean): string | null {
  // Refuses a pattern with options at its start, because they change the whole grammar.
  if (/^(\*\*\*|\(\?[a-z]+\))/.test(source)) return null;
  try {
    const reader = new Reader(source, ignoreCase);
    const written = reader.alternatives(0);
    return reader.isAtEnd && isValid(written.text) ? written.text : null;
  } catch (error) {
    if (error instanceof Untranslatable) return null;
    throw error;
  }
}

/**
 * Translates a pattern of LIKE: `%` matches any text, `_` any character, and a backslash escapes the next character.
 * Returns null if the case of a character depends on the locale.
 */
export function translateLike(source: string, ignoreCase: boolean): string | null {
  let text = '';
  const characters = [...source];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string;
    if (character === '%') text += '[\\s\\S]*';
    else if (character === '_') text += '[\\s\\S]';
    else {
      const plain = character === '\\' ? characters[++i] : character;
      if (plain === undefined || (ignoreCase && /[^\0-\x7f]/.test(plain))) return null;
      text += literal(plain, ignoreCase);
    }
  }
  return `^${text}$`;
}

class Untranslatable extends Error {}

const refuse = (): never => {
  throw new Untranslatable();
};

/** A part of a pattern. `repeats` is true if it can repeat without a limit; such a part must not repeat again. */
interface Piece {
  text: string;
  repeats: boolean;
}

class Reader {
  readonly #characters: readonly string[];
  readonly #ignoreCase: boolean;
  #at = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.#characters = [...source];
    this.#ignoreCase = ignoreCase;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  alternatives(depth: number): Piece {
    if (depth > DEPTH) refuse();
    const branches = [this.#branch(depth)];
    while (this.#take('|')) branches.push(this.#branch(depth));
    return { text: branches.map(({ text }) => text).join('|'), repeats: branches.some(({ repeats }) => repeats) };
  }

  #branch(depth: number): Piece {
    let text = '';
    let repeats = false;
    while (!this.isAtEnd && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#atom(depth);
      const times = this.#quantifier();
      const isEndless = times !== null && /^(\*|\+|\{\d+,\})/.test(times);
      // Refuses nested repetition: (a+)+ is fast in PostgreSQL, but may take exponential time in a backtracking
      // matcher.
      if (times !== null && (isEndless || times.startsWith('{')) && atom.repeats) refuse();
      text += atom.text + (times ?? '');
      repeats ||= isEndless || atom.repeats;
    }
    return { text, repeats };
  }

  #atom(depth: number): Piece {
    const character = this.#next();
    switch (character) {
      case '^':
      case '$':
        return this.#anchor(character);
      case '.':
        return { text: '[\\s\\S]', repeats: false };
      case '[':
        return { text: this.#brackets(), repeats: false };
      case '(': {
        if (this.#take('?') && !this.#take(':')) refuse();
        const inner = this.alternatives(depth + 1);
        if (!this.#take(')')) refuse();
        return { text: `(?:${inner.text})`, repeats: inner.repeats };
      }
      case '\\':
        return { text: this.#escape(false), repeats: false };
      case '*':
      case '+':
      case '?':
        return refuse();
      case '{':
        return /\d/.test(this.#peek()) ? refuse() : { text: '\\{', repeats: false };
      default:
        return { text: this.#literal(character), repeats: false };
    }
  }

  /** Refuses a pattern with a repeated anchor, because this is an error in one of the two grammars. */
  #anchor(text: string): Piece {
    if (/^[*+?{]$/.test(this.#peek())) refuse();
    return { text, repeats: false };
  }

  #quantifier(): string | null {
    const rest = this.#characters.slice(this.#at, this.#at + 12).join('');
    const match = /^(?:[*+?]|\{(\d{1,3})(?:,(\d{0,3}))?\})\??/.exec(rest);
    if (!match) return /^\{\d/.test(rest) ? refuse() : null;
    const [all, min, max] = match;
    if (Number(min ?? 0) > 255 || Number(max || 0) > 255 || (max && Number(max) < Number(min))) refuse();
    this.#at += all.length;
    if (/^[*+?]$|^\{\d$/.test(this.#peek())) refuse();
    // Removes the mark that makes a quantifier lazy, because greedy and lazy quantifiers match the same texts.
    return all.length > 1 && all.endsWith('?') ? all.slice(0, -1) : all;
  }

  /**
   * Reads the character after a backslash.
   * @param inNegated True for an escape within negated brackets.
   */
  #escape(inNegated: boolean): string {
    const character = this.#next();
    if (character === 't' || character === 'n' || character === 'r' || character === 'f' || character === 'v') {
      return `\\${character}`;
    }
    if (!/[A-Za-z0-9]/.test(character)) return this.#literal(character);
    // Refuses a class within negated brackets. Outside of them, the class becomes the largest possible set of
    // characters. Negated, this would be the smallest set, and the translation would match too little.
    const wide = inNegated ? undefined : widest[character];
    return wide ?? refuse();
  }

  #brackets(): string {
    const isNegated = this.#take('^');
    let text = '';
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      const from = this.#member(isNegated);
      const isRange = this.#peek() === '-' && this.#characters[this.#at + 1] !== ']';
      if (!isRange) {
        text += from.text;
        continue;
      }
      this.#next();
      const to = this.#member(isNegated);
      if (from.point === null || to.point === null || from.point > to.point) refuse();
      if (this.#ignoreCase) text += rangeOfBothCases(from.point ?? 0, to.point ?? 0);
      else text += `${from.text}-${to.text}`;
    }
    this.#next();
    return `[${isNegated ? '^' : ''}${text}]`;
  }

  /** Reads one character or class within brackets. `point` is null for a class. */
  #member(isNegated: boolean): { text: string; point: number | null } {
    const character = this.#next();
    if (character === '[' && /[.:=]/.test(this.#peek())) refuse();
    if (character === '\\') {
      const next = this.#peek();
      const text = this.#escape(isNegated);
      return /[A-Za-z0-9]/.test(next)
        ? { text: text.replace(/^\[(?!\^)(.*)\]$/s, '$1'), point: null }
        : inBrackets(next);
    }
    if (!this.#ignoreCase) return inBrackets(character);
    if (/[^\0-\x7f]/.test(character)) refuse();
    const { point } = inBrackets(character);
    return {
      text: bothCases(character)
        .map((each) => inBrackets(each).text)
        .join(''),
      point,
    };
  }

  #literal(character: string): string {
    if (this.#ignoreCase && /[^\0-\x7f]/.test(character)) refuse();
    return literal(character, this.#ignoreCase);
  }

  #peek(): string {
    return this.#characters[this.#at] ?? '';
  }

  #next(): string {
    const character = this.#characters[this.#at++];
    return character ?? refuse();
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

/** The largest set of characters that a class can mean in any locale. */
const widest: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '[^0-9]',
  s: '[\\s\\u0085\\u180e\\u200b]',
  S: '[^ \\t\\n\\v\\f\\r]',
  w: '[^\\0-/:-@\\[-^`{-\\x7f]',
  W: '[^0-9A-Za-z_]',
};

const literal = (character: string, ignoreCase: boolean): string => {
  const cases = ignoreCase ? bothCases(character) : [character];
  if (cases.length > 1) return `[${cases.join('')}]`;
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
};

const bothCases = (character: string): string[] => [...new Set([character.toLowerCase(), character.toUpperCase()])];

const inBrackets = (character: string): { text: string; point: number | null } => ({
  text: /[\^\\\][-]/.test(character) ? `\\${character}` : character,
  point: character.codePointAt(0) ?? null,
});

/** Returns a range of letters in both cases. */
function rangeOfBothCases(from: number, to: number): string {
  if (to > 0x7f) refuse();
  const characters = Array.from({ length: to - from + 1 }, (_, i) => String.fromCharCode(from + i));
  return [...new Set(characters.flatMap(bothCases))].map((character) => inBrackets(character).text).join('');
}

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
