/**
 * Returns a unique React key for each name; names may repeat. With equal keys, React would leave rows of one list in
 * the next list. Pure.
 */
export function distinctKeys(names: readonly string[]): string[] {
  const met = new Map<string, number>();
  return names.map((name) => {
    const times = met.get(name) ?? 0;
    met.set(name, times + 1);
    return `${times} ${name}`;
  });
}
