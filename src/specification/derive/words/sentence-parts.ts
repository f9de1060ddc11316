/** The max number of characters of a long text in a sentence. */
const SHOWN = 160;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for an object that is not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a member as a string; an empty string if it is absent. The value may come from a file, so its type is not
 * certain.
 */
export const text = (item: unknown, name: string): string => {
  const value = isObject(item) && Object.hasOwn(item, name) ? item[name] : undefined;
  return typeof value === 'string' ? value : '';
};

/** Returns true if the member with this name is true. */
export const flag = (item: unknown, name: string): boolean => isObject(item) && item[name] === true;

/** Returns true if the member with this name has a value. */
export const isSet = (item: unknown, name: string): boolean =>
  isObject(item) && item[name] !== null && item[name] !== undefined;

/** Returns the member with this name as a list of strings. */
export const texts = (item: unknown, name: string): string[] => {
  const value = isObject(item) ? item[name] : undefined;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
};

/** Returns the elements of a list as strings; an empty list for other values. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Returns the member with this name as a list of objects. */
export const items = (item: unknown, name: string): JsonObject[] => {
  const value = isObject(item) ? item[name] : undefined;
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** Joins words: "a, b and c". */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** Joins the first words of a long list, with the number of the remaining ones. */
export function fewWords(words: readonly string[], listed = 12): string {
  return words.length <= listed + 1
    ? listWords(words)
    : `${words.slice(0, listed).join(', ')} and ${words.length - listed} more`;
}

/** Returns the id of an entity or a function for a sentence: without the schema if it is public. */
export const thing = (id: string): string => id.replace(/^public\./, '');

/** Returns text on one line, in quotes, and shortened if it is long. */
export const quoted = (value: string): string => `“${cut(oneLine(value))}”`;

/** Puts a text on one line. */
export const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

/** Returns a sentence without its final full stop, so that more words can follow. */
export const within = (value: string): string => value.replace(/(?<=[^.])\.$/, '');

/** Shortens a text to SHOWN characters. */
export const cut = (value: string): string =>
  value.length <= SHOWN ? value : `${value.slice(0, SHOWN - 1).trimEnd()}…`;

/** Returns any value in words. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value === '' ? 'empty' : within(cut(oneLine(value)));
  if (Array.isArray(value)) return value.length === 0 ? 'none' : cut(value.map(nameWords).join(', '));
  return cut(nameWords(value));
}

/** Returns the name of an object, or the object as JSON if it has none. */
function nameWords(value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  for (const name of ['words', 'label', 'id', 'name']) {
    const called = text(value, name);
    if (called !== '') return called;
  }
  return JSON.stringify(value);
}

/**
 * Returns words for two values: "was 3, is now 5". Long values are cut to SHOWN characters. If the cut values would
 * look the same, they are shown from their first difference.
 */
export function fromTo(before: unknown, after: unknown): string {
  const [old, fresh] = [valueWords(before), valueWords(after)];
  if (old !== fresh) return `was ${old}, is now ${fresh}`;
  const [lines, others] = [plain(before), plain(after)];
  // The values are shown on one line unless they differ only in their line breaks.
  const isSame = oneLine(lines) === oneLine(others);
  const [whole, other] = isSame ? [lines, others] : [oneLine(lines), oneLine(others)];
  let from = 0;
  while (from < whole.length && whole[from] === other[from]) from++;
  const start = Math.max(0, from - 20);
  const part = (all: string) => `${start > 0 ? '…' : ''}${cut(all.slice(start))}`;
  return `was ${part(whole)}, is now ${part(other)}`;
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

/** Capitalizes the first letter. */
export const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
