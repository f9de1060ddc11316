import type { RaisedError } from '../../contract/specification-calls.ts';
import type { Raise } from '../sql-reader/body/raises.ts';

/** Maximum number of errors that a reason names. */
const SHOWN = 3;
/** Maximum length of a condition that a reason contains. */
const LONGEST_CONDITION = 100;

/** Returns words for the first errors that code raises: each with its message, its code and its condition. */
export function raisesWords(raises: readonly Raise[]): string {
  const all = [...new Set(raises.map((raise) => `${raisedWords(raise)}${whenWords(raise)}`))];
  const more = all.length - SHOWN;
  return `${all.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns words for the errors without their conditions. Several errors are listed by their codes only. */
export function errorsWords(raises: readonly Raise[]): string {
  const all = [...new Set(raises.map(raisedWords))];
  if (all.length === 1) return all.join();
  const codes = [...new Set(raises.map(({ sqlstate }) => sqlstate ?? 'an error with a computed code'))];
  return codes.length === 1 ? codes.join() : `${codes.slice(0, -1).join(', ')} or ${codes.at(-1)}`;
}

/** Returns words for an error: “No such ticket” (HD003). */
export function raisedWords({ sqlstate, message }: RaisedError): string {
  const error = message === null ? 'an error' : `“${message}”`;
  return sqlstate === null ? error : `${error} (${sqlstate})`;
}

const whenWords = ({ condition }: Raise): string =>
  condition === null || condition.length > LONGEST_CONDITION ? '' : ` when ${condition}`;
