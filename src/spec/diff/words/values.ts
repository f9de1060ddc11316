import { isObject, type JsonObject } from '../differences.ts';

/** How much of a long text a sentence shows. */
const SHOWN = 160;

/** A member as text; empty where it is none. The value may come from a file, so nothing is taken for granted. */
export const text = (item: unknown, name: string): string => {
  const value = isObject(item) && Object.hasOwn(item, name) ? item[name] : undefined;
  return typeof value === 'string' ? value : '';
};

export const flag = (item: unknown, name: string): boolean => isObject(item) && item[name] === true;

/** True where a member has a value. */
export const isSet = (item: unknown, name: string): boolean =>
  isObject(item) && item[name] !== null && item[name] !== undefined;

/** A member as a list of texts. */
export const texts = (item: unknown, name: string): string[] => {
  const value = isObject(item) ? item[name] : undefined;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
};

/** The elements of a list as texts; none of what is no list. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A member as a list of objects. */
export const items = (item: unknown, name: string): JsonObject[] => {
  const value = isObject(item) ? item[name] : undefined;
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** "a, b and c". */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** The first of many, and how many more there are. */
export function fewWords(words: readonly string[], listed = 12): string {
  return words.length <= listed + 1
    ? listWords(words)
    : `${words.slice(0, listed).join(', ')} and ${words.length - listed} more`;
}

/** An entity or a function by its id; the schema everybody knows goes without saying. */
export const thing = (id: string): string => id.replace(/^public\./, '');

/** Text on one line, in quotes, cut where it is long. */
export const quoted = (value: string): string => `“${cut(oneLine(value))}”`;

export const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

/** Words that may be a sentence of somebody’s own, as a part of another: without the full stop at their end. */
export const within = (value: string): string => value.replace(/(?<=[^.])\.$/, '');

export const cut = (value: string): string =>
  value.length <= SHOWN ? value : `${value.slice(0, SHOWN - 1).trimEnd()}…`;

/** Any value in words. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value === '' ? 'empty' : within(cut(oneLine(value)));
  if (Array.isArray(value)) return value.length === 0 ? 'none' : cut(value.map(nameWords).join(', '));
  return cut(nameWords(value));
}

/** An object by what it is called, else as it stands. */
function nameWords(value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  for (const name of ['words', 'label', 'id', 'name']) {
    const called = text(value, name);
    if (called !== '') return called;
  }
  return JSON.stringify(value);
}

/**
 * "was 3, is now 5". Long values that begin alike are shown from where they part, so that the sentence says what
 * changed.
 */
export function fromTo(before: unknown, after: unknown): string {
  const [old, fresh] = [valueWords(before), valueWords(after)];
  if (old !== fresh) return `was ${old}, is now ${fresh}`;
  const [lines, others] = [plain(before), plain(after)];
  // On one line, unless lines are all that differs.
  const isSame = oneLine(lines) === oneLine(others);
  const [whole, other] = isSame ? [lines, others] : [oneLine(lines), oneLine(others)];
  let from = 0;
  while (from < whole.length && whole[from] === other[from]) from++;
  const start = Math.max(0, from - 20);
  const part = (all: string) => `${start > 0 ? '…' : ''}${cut(all.slice(start))}`;
  return `was ${part(whole)}, is now ${part(other)}`;
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

/** A first letter in upper case. */
export const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
