/** Where a word of the query is in a text: its start and its end, in characters. */
export type Span = readonly [from: number, to: number];

/** How well a title matches a query. A lower rank is better. `spans` are the parts of the title to mark. */
export interface Match {
  rank: number;
  spans: Span[];
}

/**
 * Compares a title with a query, without regard to case. A title matches if it contains every word of the query. A word
 * at the start of the title ranks best, then a word at the start of another word, then any other position. Returns null
 * if the title does not match. Pure.
 */
export function match(title: string, query: string): Match | null {
  const text = title.toLowerCase();
  const spans: Span[] = [];
  let rank = text.length / 1000;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const starts = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index);
    const at = text.startsWith(word) ? 0 : (starts.find((start) => text.startsWith(word, start)) ?? text.indexOf(word));
    if (at < 0) return null;
    rank += at === 0 ? 0 : starts.includes(at) ? 1 : 2;
    spans.push([at, at + word.length]);
  }
  return { rank, spans: joined(spans) };
}

/** Sorts spans, and joins spans that touch or overlap. */
function joined(spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
