/** Words of the portal for the names and comments of an app. */

/** Returns a name as words with a capital first letter: "author_name" becomes "Author name". Other capitals stay. */
export function sentenceCase(name: string): string {
  const words = name.replaceAll(/[_\s]+/g, ' ').trim() || name;
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Names that have the same form in the singular and in the plural. */
const UNCOUNTED = /(?:news|series|species|ss|us|is)$/i;

/** Returns the singular of a name: "order_lines" becomes "order line". A name that is no plural stays unchanged. */
export function singular(name: string): string {
  const words = name.replaceAll(/[_\s]+/g, ' ').trim() || name;
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
  const [first = ''] = (rest ?? comment ?? '').trim().split(/[:;](?=\s)/);
  if (first === '') return null;
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** Returns the words, or null if they name something that the reader must not learn of. */
export function unlessNaming(words: string, hidden: ReadonlySet<string>): string | null {
  const named = words.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return named.some((word) => hidden.has(word)) ? null : words;
}
