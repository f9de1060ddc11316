/**
 * Returns a unique React key for each name, although names may repeat. With equal keys, React could leave rows of a
 * list on the page when it draws the next list. Pure.
 */
export function distinctKeys(names: readonly string[]): string[] {
  const met = new Map<string, number>();
  return names.map((name) => {
    const times = met.get(name) ?? 0;
    met.set(name, times + 1);
    return `${times} ${name}`;
  });
}
