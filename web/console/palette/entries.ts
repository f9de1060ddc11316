import type { Icon } from '@tabler/icons-react';
import { match, type Span } from './match.ts';

/** A line of the palette. */
export interface Entry {
  group: string;
  title: string;
  about: string;
  /** The number of a chapter, or an icon. */
  sign: number | Icon;
  /** Key caps of the same command. */
  keys?: readonly string[];
  run: () => void;
}

export interface Found extends Entry {
  spans: Span[];
}

/** Maximum number of lines. The palette shows the number of further matches. */
export const maxMatches = 40;

/**
 * Returns the lines that match a query, the best first within their group, with the groups in the order of `entries`.
 * Pure.
 */
export function find(entries: readonly Entry[], query: string): Found[] {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return entries
    .flatMap((entry) => {
      const found = match(entry.title, query);
      return found ? [{ ...entry, ...found }] : [];
    })
    .toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || (query.trim() ? a.rank - b.rank : 0));
}
