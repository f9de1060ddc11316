/**
 * A React key for each of these names, of which some may be the same: React leaves rows of one list standing in the next
 * where two of them share a key. Pure.
 */
export function distinctKeys(names: readonly string[]): string[] {
  const met = new Map<string, number>();
  return names.map((name) => {
    const times = met.get(name) ?? 0;
    met.set(name, times + 1);
    return `${times} ${name}`;
  });
}
