/** Where a query was found in a text: from and to, in characters. */
export type Span = readonly [from: number, to: number];

/** How well a text answers a query: lower is better; null where it does not. `spans` are the places to mark. */
export interface Match {
  rank: number;
  spans: Span[];
}

/**
 * Every word of the query must be in the title; at its start is better than at the start of a word within, and that
 * better than in the middle. Case does not matter. Pure.
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

/** Spans in order, those that touch made one. */
function joined(spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
