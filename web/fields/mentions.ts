/** A mention that is being typed: the letters between its @ and the caret. */
export interface TypedMention {
  /** Place of the @ in the text. */
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

/** Max number of characters after an @ that can be the beginning of a name. */
const MAX_CHARACTERS = 40;

/**
 * Returns the mention that the caret is in; null if there is none. An @ within a word belongs to an address, as for
 * `ninefold.mentioned`. Pure.
 */
export function mentionAt(text: string, caret: number): TypedMention | null {
  const before = text.slice(0, caret);
  const start = before.lastIndexOf('@');
  const words = before.slice(start + 1);
  if (start === -1 || words.length > MAX_CHARACTERS || !/^(?:[\p{L}\p{N}][^\n\r]*)?$/u.test(words)) return null;
  return /[\p{L}\p{N}_.-]$/u.test(before.slice(0, start)) ? null : { start, end: caret, words };
}

/** Returns the text with a name in place of the typed letters, and the place of the caret after it. Pure. */
export function withMention(text: string, { start, end }: TypedMention, name: string): { text: string; caret: number } {
  const rest = text.slice(end);
  const written = `@${name}${/^\s/.test(rest) ? '' : ' '}`;
  return { text: text.slice(0, start) + written + rest, caret: start + written.length };
}
