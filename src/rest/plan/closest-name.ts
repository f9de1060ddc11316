/** Maximum length of compared names. The time of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 128;

const notOfWords = /[^\p{L}\p{N}, ]+/gu;

/**
 * Returns all substrings of `size` characters of a name. Only letters, digits, commas and spaces are included. A name
 * is proposed for a misspelt name only if the two share such a substring.
 */
const pieces = (text: string, size: number): Set<string> => {
  const framed = `-${text.replaceAll(notOfWords, '')}-`;
  const found = new Set<string>();
  for (let i = 0; i + size <= framed.length; i += 1) found.add(framed.slice(i, i + size));
  return found;
};

/** Returns the Levenshtein distance of two strings. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[j] as number) + 1, (current[j - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}

/** Returns the similarity: 1 for equal strings, 0 for completely different ones. */
const likeness = (a: string, b: string): number => 1 - distance(a, b) / Math.max(a.length, b.length, 1);

/**
 * Returns the candidate that is most similar to a misspelt name, with its similarity; null if there is none.
 * @param min Minimum similarity, 0 to 1.
 */
export function closestName(
  wanted: string,
  candidates: Iterable<string>,
  min: number,
): { name: string; likeness: number } | null {
  const text = wanted.toLowerCase();
  if (text.length > MAX_LENGTH) return null;
  const all = [...candidates].filter((name) => name.length <= MAX_LENGTH);
  for (const size of [3, 2]) {
    const own = pieces(text, size);
    let best: { name: string; likeness: number } | null = null;
    for (const name of all) {
      const other = name.toLowerCase();
      if (!sharesPiece(own, other, size)) continue;
      const score = likeness(text, other);
      if (score >= min && (!best || score > best.likeness)) best = { name, likeness: score };
    }
    if (best) return best;
  }
  return null;
}

function sharesPiece(own: ReadonlySet<string>, other: string, size: number): boolean {
  for (const piece of pieces(other, size)) if (own.has(piece)) return true;
  return false;
}
