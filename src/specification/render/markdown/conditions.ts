import { inline } from './escape.ts';

/**
 * Numbers the conditions of a document. The first mention of a condition has its words and its number, and every later
 * mention has the number only.
 */
export class Conditions {
  readonly #numbers = new Map<string, number>();
  /** The functions whose meaning the document has already stated. */
  readonly #functions = new Set<string>();

  /** Returns the mention of a condition in Markdown: `*own row (by owner)* [1]`, later `[1]`. */
  mention(words: string): string {
    const known = this.#numbers.get(words);
    if (known !== undefined) return `[${known}]`;
    const joined = this.#joined(words);
    if (joined !== null) return joined;
    const number = this.#numbers.size + 1;
    this.#numbers.set(words, number);
    return `*${inline(this.#withMeaningsOnce(words))}* [${number}]`;
  }

  /** Removes the meanings of functions that the document has already stated: “The member works here” (is_staff()). */
  #withMeaningsOnce(words: string): string {
    const found = /“[^“”]*” \(((?:"(?:[^"]|"")*"|[\w.])+)\(/.exec(words);
    if (!found) return words;
    const [stated, name = ''] = found;
    const call = found.index + stated.length - name.length - 1;
    const end = placesOf(words.slice(call), ')')[0];
    if (end === undefined) return words;
    const rest = words.slice(call + end + 1);
    const isKnown = this.#functions.has(name);
    this.#functions.add(name);
    const shown = isKnown ? words.slice(call, call + end) : words.slice(found.index, call + end + 1);
    return `${words.slice(0, found.index)}${shown}${this.#withMeaningsOnce(rest)}`;
  }

  /** Returns the mention of a condition `a and (b)` whose second part the document has already mentioned. */
  #joined(words: string): string | null {
    for (const at of placesOf(words, ' and (')) {
      const second = words.slice(at + ' and ('.length, -1);
      if (words.endsWith(')') && this.#numbers.has(second))
        return `${this.mention(withoutBrackets(words.slice(0, at)))} and ${this.mention(second)}`;
    }
    return null;
  }
}

/** Returns the places at which a text contains a part outside of all brackets. */
export function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (depth === 0 && text.startsWith(part, at)) places.push(at);
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
  }
  return places;
}

/** Removes the brackets around a whole text. */
function withoutBrackets(text: string): string {
  const inner = text.slice(1, -1);
  const isWhole = text.startsWith('(') && text.endsWith(')') && placesOf(text, ')').length === 0;
  const opens = [...inner].reduce(
    (depth, sign) => (depth < 0 ? depth : sign === '(' ? depth + 1 : sign === ')' ? depth - 1 : depth),
    0,
  );
  return isWhole && opens === 0 ? inner : text;
}

/** Matches the first mention of a condition in Markdown. */
const definition = /\*((?:\\.|[^*\\])+)\* \[(\d+)\]/g;

/** Matches the number of a condition. `inline` escapes square brackets in every other text. */
const reference = /(?<!\\)\[(\d+)\]/g;

/**
 * Returns Markdown in which the words of each condition replace its number, so that two documents can be compared although
 * they number conditions differently.
 */
export function withoutNumbers(markdown: string): string {
  const words = new Map([...markdown.matchAll(definition)].map(([, text = '', number = '']) => [number, text]));
  return markdown.replace(definition, '$1').replace(reference, (whole, number: string) => words.get(number) ?? whole);
}
