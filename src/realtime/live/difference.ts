import type { KnownRow, PageRow } from './page.ts';

/** One step from the old rows to the new ones. A client applies the steps in their order. */
export type LiveChange =
  /** Removes the row at `at`. */
  | { readonly type: 'leave'; readonly at: number; readonly row: KnownRow }
  /** Removes the row at `from` and inserts it at `at` of the remaining rows. */
  | { readonly type: 'move'; readonly from: number; readonly at: number; readonly row: PageRow }
  /** Inserts a row at `at`. */
  | { readonly type: 'enter'; readonly at: number; readonly row: PageRow }
  /** Replaces the row at `at`. */
  | { readonly type: 'change'; readonly at: number; readonly row: PageRow };

/** Returns the steps from the old rows to the new ones, with as few moved rows as possible. */
export function differenceOf(old: readonly KnownRow[], rows: readonly PageRow[]): LiveChange[] {
  const changes: LiveChange[] = [];
  const newKeys = new Set(rows.map(({ key }) => key));
  for (let at = old.length - 1; at >= 0; at--) {
    const row = old[at] as KnownRow;
    if (!newKeys.has(row.key)) changes.push({ type: 'leave', at, row });
  }
  const current = old.filter(({ key }) => newKeys.has(key)).map(({ key }) => key);
  const oldIndexes = new Map(current.map((key, index) => [key, index]));
  const fixed = longestIncreasing(rows, oldIndexes);
  for (const [index, row] of rows.entries()) {
    if (fixed.has(row.key)) continue;
    // The row before this one is in its place already, because rows are placed from the first to the last.
    const previous = rows[index - 1]?.key;
    if (oldIndexes.has(row.key)) {
      const from = current.indexOf(row.key);
      current.splice(from, 1);
      const at = previous === undefined ? 0 : current.indexOf(previous) + 1;
      current.splice(at, 0, row.key);
      if (from !== at) changes.push({ type: 'move', from, at, row });
    } else {
      const at = previous === undefined ? 0 : current.indexOf(previous) + 1;
      current.splice(at, 0, row.key);
      changes.push({ type: 'enter', at, row });
    }
  }
  const oldHashes = new Map(old.map(({ key, hash }) => [key, hash]));
  for (const [at, row] of rows.entries()) {
    const hash = oldHashes.get(row.key);
    if (hash !== undefined && hash !== row.hash) changes.push({ type: 'change', at, row });
  }
  return changes;
}

/** Returns the keys of a longest sequence of rows whose order is the same in the old and the new rows. */
function longestIncreasing(rows: readonly PageRow[], oldIndexes: ReadonlyMap<string, number>): ReadonlySet<string> {
  const kept = rows.flatMap(({ key }) => {
    const index = oldIndexes.get(key);
    return index === undefined ? [] : [{ key, index }];
  });
  /** For each length, the place in `kept` of the smallest last element of a sequence of this length. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [place, { index }] of kept.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((kept[ends[middle] as number]?.index ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    before[place] = ends[low - 1] ?? -1;
    ends[low] = place;
  }
  const found = new Set<string>();
  for (let place = ends.at(-1) ?? -1; place >= 0; place = before[place] ?? -1) found.add(kept[place]?.key ?? '');
  return found;
}

/** Returns the payload of the event `page`: all rows in JSON. */
export const pageText = (key: readonly string[], rows: readonly PageRow[]): string =>
  `{"key":${JSON.stringify(key)},"rows":[${rows.map(({ text }) => text).join(',')}]}`;

/** Returns the payload of the event `changes` in JSON. */
export const changesText = (changes: readonly LiveChange[]): string =>
  `{"changes":[${changes.map(changeText).join(',')}]}`;

function changeText(change: LiveChange): string {
  const { type, at, row } = change;
  const head = `{"type":"${type}","at":${at},"key":${row.key}`;
  if (change.type === 'move') return `${head},"from":${change.from}}`;
  if (change.type === 'leave') return `${head}}`;
  return `${head},"row":${change.row.text}}`;
}
