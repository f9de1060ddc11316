import { limits } from '../../../contract/limits.ts';

/**
 * Matches characters that a reader does not see, or that decoding put in place of invalid bytes. Two texts that differ
 * only in such characters look the same.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFFD]/u;

/**
 * Returns why a text from another system cannot identify a person, as the end of a sentence; null if it can. Such a text
 * is never cleaned, because two persons could then get the same account.
 */
export function identifierProblem(text: string): string | null {
  const { default: max } = limits.claimCharacters;
  if (text.length > max) return `is longer than ${max} characters`;
  if (UNSEEN.test(text)) return 'has a control character or an invisible character';
  return text.trim() === text ? null : 'begins or ends with a blank';
}

/**
 * Matches NUL characters and halves of surrogate pairs as JSON.stringify writes them, because PostgreSQL can store
 * neither.
 */
export const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;
