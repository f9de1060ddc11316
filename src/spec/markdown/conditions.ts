import { inline } from './escape.ts';

/**
 * Numbers the conditions of a document. The first mention of a condition has its words and its number, and every later
 * mention has the number only.
 */
export class Conditions {
  readonly #numbers = new Map<string, number>();

  /** Returns the mention of a condition in Markdown: `*own row (by owner)* [1]`, later `[1]`. */
  mention(words: string): string {
    const known = this.#numbers.get(words);
    if (known !== undefined) return `[${known}]`;
    const number = this.#numbers.size + 1;
    this.#numbers.set(words, number);
    return `*${inline(words)}* [${number}]`;
  }
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
  return markdown
    .replace(definition, '$1')
    .replace(reference, (whole, number: string) => words.get(number) ?? whole);
}
