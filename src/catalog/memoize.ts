/** Longer texts are not remembered. */
const MAX_TEXT = 1000;
/** More results are not remembered: then all are forgotten. */
const MAX_RESULTS = 1000;

/**
 * The same pure function of a text, remembering its results: clients send the same selections, orders and headers with every
 * call, and after a change of an app nearly all of its expressions are what they were. A result must not be changed. What
 * `parse` throws is thrown, and not remembered.
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
