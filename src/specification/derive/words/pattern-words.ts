import type { Comparison } from '../../../sql-reader/tree.ts';

/**
 * Returns words for a simple pattern: "starts with 'a'", "is 2 characters of A-Z". Returns null for a pattern that is
 * clearer as SQL.
 */
export function patternWords(operator: Comparison, source: string): string | null {
  const isNot = operator.startsWith('!');
  const anyCase = operator.endsWith('*');
  if (/^!?~~\*?$/.test(operator)) return likeWords(source, isNot, anyCase);
  if (source === '[[:cntrl:]]') return `has ${isNot ? 'no' : 'a'} control character${isNot ? 's' : ''}`;
  return isNot || anyCase ? null : classWords(source);
}

function likeWords(source: string, isNot: boolean, anyCase: boolean): string | null {
  const [, before = '', text = '', after = ''] = /^(%?)([^%_\\]+)(%?)$/.exec(source) ?? [];
  if (text === '' || before + after === '') return null;
  const verb = before && after ? 'contain' : before ? 'end with' : 'start with';
  const said = isNot ? `does not ${verb}` : verb.replace(/^\w+/, '$&s');
  return `${said}${anyCase ? ', in upper or lower case,' : ''} '${text.replaceAll("'", "''")}'`;
}

/** Describes a pattern that is one class of characters with a quantifier: `^[A-Z]{2}$`, `^\d+$`. */
function classWords(source: string): string | null {
  const [, inner, digits, times] = /^\^(?:\[([^\]^\\[]+)\]|(\\d))(\+|\{\d+(?:,\d*)?\})\$$/.exec(source) ?? [];
  if (times === undefined) return null;
  const members = digits === undefined ? membersOf(inner ?? '') : [];
  if (members === null) return null;
  const isDigits = digits !== undefined || members.join() === '0-9';
  const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}$/.exec(times) ?? [];
  const count = min === undefined ? null : comma === '' ? min : max === '' ? `${min} or more` : `${min} to ${max}`;
  const one = count === '1' ? 'character' : 'characters';
  if (isDigits) return count === null ? 'is made of digits alone' : `is ${count} ${count === '1' ? 'digit' : 'digits'}`;
  const list = members.join(', ');
  return count === null ? `is made of the characters ${list} alone` : `is ${count} ${one} of ${list}`;
}

/** Returns the parts of `a-z0-9_-`; null if a part is neither a plain character nor a range. */
function membersOf(inner: string): string[] | null {
  const parts = inner.match(/[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.-]/g) ?? [];
  if (parts.join('') !== inner || parts.slice(1, -1).includes('-')) return null;
  return parts.map((part) => (part.length === 1 ? `'${part}'` : part));
}
