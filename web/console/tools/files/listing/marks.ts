/** The marked entries of a listing, and the entry from which a range extends. */
export interface Marks {
  readonly ids: ReadonlySet<string>;
  readonly anchor: string | null;
}

export const noMarks: Marks = { ids: new Set(), anchor: null };

/** Marks an entry that is not marked, and the reverse. Pure. */
export function toggleMark({ ids }: Marks, id: string): Marks {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/**
 * Marks every entry from the anchor to an entry, in the order of the listing. Without an anchor, marks the entry only.
 * Pure.
 */
export function extendMarks({ ids, anchor }: Marks, id: string, order: readonly { readonly id: string }[]): Marks {
  const from = order.findIndex((entry) => entry.id === anchor);
  const to = order.findIndex((entry) => entry.id === id);
  if (from < 0 || to < 0) return { ids: new Set([...ids, id]), anchor: id };
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...ids, ...range.map((entry) => entry.id)]), anchor };
}

/** Returns the marks without those of entries that the listing does not have any more. Pure. */
export function presentMarks(marks: Marks, order: readonly { readonly id: string }[]): Marks {
  const present = new Set(order.map(({ id }) => id));
  const ids = [...marks.ids].filter((id) => present.has(id));
  return ids.length === marks.ids.size ? marks : { ids: new Set(ids), anchor: marks.anchor };
}
