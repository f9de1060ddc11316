import { plainWords } from '../../../../contract/plain-words.ts';

/** Words of the portal for the names and comments of an app. */

/** Words that are written in capitals. */
const ABBREVIATION = /(?<![^ ])(?:api|csv|faq|gps|iban|id|ip|isbn|pdf|qr|sku|sms|url|vat)(?![^ ])/g;

/** Returns a name as words with a capital first letter: "avatar_url" becomes "Avatar URL". Other capitals stay. */
export function sentenceCase(name: string): string {
  const spaced = name.replaceAll(/[_\s]+/g, ' ').trim() || name;
  const words = spaced.replaceAll(ABBREVIATION, (word) => word.toUpperCase());
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Plurals that no rule describes. */
const IRREGULAR: Readonly<Record<string, string>> = { people: 'person', children: 'child', men: 'man', women: 'woman' };

/** Names that have the same form in the singular and in the plural. */
const UNCOUNTED = /(?:news|series|species|ss|us|is)$/i;

/** Returns the singular of a name: "order_lines" becomes "order line". A name that is no plural stays unchanged. */
export function singular(name: string): string {
  const words = name.replaceAll(/[_\s]+/g, ' ').trim() || name;
  const [last = ''] = /[^ ]*$/.exec(words) ?? [];
  const one = IRREGULAR[last.toLowerCase()];
  if (one !== undefined) return words.slice(0, -last.length) + (/^\p{Lu}/u.test(last) ? sentenceCase(one) : one);
  if (UNCOUNTED.test(words)) return words;
  if (/[^aeiou]ies$/i.test(words)) return `${words.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/i.test(words)) return words.slice(0, -2);
  return words.endsWith('s') ? words.slice(0, -1) : words;
}

/** The first line of a comment if it is a label: it has no full stop, and lines follow. */
const labelLine = /^\s*([^\n.]{1,80})\n\s*(\S[\s\S]*)$/;

/**
 * Returns the label of a field. The label is the first line of the comment if this line has no full stop and more lines
 * follow. Otherwise, the label is made from the name: `created_at` becomes "Created", a numeric key `id` becomes
 * "Number".
 */
export function fieldLabel(name: string, comment: string | null, isNumber: boolean): string {
  const [, label] = labelLine.exec(comment ?? '') ?? [];
  if (label !== undefined) return label.trim();
  if (name === 'id' && isNumber) return 'Number';
  return sentenceCase(name.replace(/(?<=.)_(?:at|id)$/, ''));
}

/** Returns the help of a field: its comment without the label, up to the first colon or semicolon. What follows is for builders. */
export function helpOf(comment: string | null): string | null {
  const [, , rest] = labelLine.exec(comment ?? '') ?? [];
  const [sentence = ''] = (rest ?? comment ?? '').trim().split(/[:;](?=\s)/);
  if (sentence === '') return null;
  const first = plainWords(sentence);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** Matches a word of a sentence. */
const WORD = /[\p{L}\p{N}_]+/gu;

/** Names that a reader must not learn of. */
export class HiddenNames {
  readonly #words: ReadonlySet<string>;
  /** The names with spaces or other signs. */
  readonly #phrases: readonly string[];
  readonly #others: HiddenNames | null;

  /** @param others Further hidden names. */
  constructor(names: readonly string[], others: HiddenNames | null = null) {
    this.#words = new Set(names);
    // A sentence contains a name as it is, or as an identifier of SQL, in which quotes are doubled.
    this.#phrases = names
      .filter((name) => name.replaceAll(WORD, '') !== '')
      .flatMap((name) => [name, name.replaceAll('"', '""')]);
    this.#others = others;
  }

  isNamedIn(sentence: string): boolean {
    return (
      (sentence.match(WORD) ?? []).some((word) => this.#words.has(word)) ||
      this.#phrases.some((name) => sentence.includes(name)) ||
      this.#others?.isNamedIn(sentence) === true
    );
  }
}

/** Returns the words, or null if they name something that the reader must not learn of. */
export const unlessNaming = (words: string, hidden: HiddenNames): string | null =>
  hidden.isNamedIn(words) ? null : words;
