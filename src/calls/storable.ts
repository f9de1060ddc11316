/** Matches characters that PostgreSQL cannot store: NUL and unpaired surrogates. */
export const UNSTORABLE = /\0|[\uD800-\uDFFF]/u;

/** Returns true if PostgreSQL can store all texts of a JSON value. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !UNSTORABLE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, entry]) => !UNSTORABLE.test(key) && isStorable(entry));
}

/** The end of a message about a text that cannot be stored. */
export const storable = 'must not contain NUL characters or broken surrogate pairs';
