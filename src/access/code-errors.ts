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

/** Returns words for an error: “No such ticket” (HD003). */
export function raisedWords({ sqlstate, message }: RaisedError): string {
  const error = message === null ? 'an error' : `“${message}”`;
  return sqlstate === null ? error : `${error} (${sqlstate})`;
}

const whenWords = ({ condition }: Raise): string =>
  condition === null || condition.length > LONGEST_CONDITION ? '' : ` when ${condition}`;
