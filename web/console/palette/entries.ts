import type { Icon } from '@tabler/icons-react';
import { match, type Span } from './match.ts';

/** A line of the palette. */
export interface Entry {
  group: string;
  title: string;
  about: string;
  /** The number of a chapter, or an icon. */
  sign: number | Icon;
  /** The keys that run the same command, as they are shown. */
  keys?: readonly string[];
  run: () => void;
}

export interface Found extends Entry {
  spans: Span[];
}

/** Maximum number of entries that the palette shows. Of further matches, it shows only the number. */
export const maxMatches = 40;

/** Returns the entries that match a query. The best matches of a group come first, and the groups have the order of `entries`. Pure. */
export function find(entries: readonly Entry[], query: string): Found[] {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return entries
    .flatMap((entry) => {
      const found = match(entry.title, query);
      return found ? [{ ...entry, ...found }] : [];
    })
    .toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || (query.trim() ? a.rank - b.rank : 0));
}
