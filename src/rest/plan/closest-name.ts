const notOfWords = /[^\p{L}\p{N}, ]+/gu;

/**
 * The name most like a misspelt one, for hints: candidates must share a piece of three characters (or, when none
 * does, of two) with it, and the one at the smallest edit distance wins. Of the pieces, only letters, digits, commas and
 * spaces count.
 */
const pieces = (text: string, size: number): Set<string> => {
  const framed = `-${text.replaceAll(notOfWords, '')}-`;
  const found = new Set<string>();
  for (let i = 0; i + size <= framed.length; i += 1) found.add(framed.slice(i, i + size));
  return found;
};

/** Levenshtein distance. */
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

/** 1 for the same text, 0 for nothing in common. */
const likeness = (a: string, b: string): number => 1 - distance(a, b) / Math.max(a.length, b.length, 1);

/** Longer names are not compared: the work grows with the product of the lengths. */
const MAX_LENGTH = 128;

/**
 * @param least the likeness below which nothing is proposed, 0 to 1
 * @returns the closest candidate and its likeness, or null
 */
export function closestName(
  wanted: string,
  candidates: Iterable<string>,
  least: number,
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
      if (score >= least && (!best || score > best.likeness)) best = { name, likeness: score };
    }
    if (best) return best;
  }
  return null;
}

function sharesPiece(own: ReadonlySet<string>, other: string, size: number): boolean {
  for (const piece of pieces(other, size)) if (own.has(piece)) return true;
  return false;
}
