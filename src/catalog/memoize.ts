/** Maximum length of a string that is cached, in UTF-16 units. */
const MAX_TEXT = 1000;
/** Maximum number of cached results. The cache is emptied when it is full. */
const MAX_RESULTS = 1000;

/**
 * Caches the results of a pure function with one string argument. Clients send the same selections, orders and headers
 * with every request, and most expressions of an app do not change. Callers must not modify a result. An error of
 * `parse` is thrown and not cached.
 */
export function memoize<T>(
  parse: (text: string) => T,
  { maxText = MAX_TEXT, maxResults = MAX_RESULTS } = {},
): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = parse(text);
    if (text.length <= maxText) {
      if (results.size >= maxResults) results.clear();
      results.set(text, result);
    }
    return result;
  };
}
