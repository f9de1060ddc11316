import type { Filter } from './filter.ts';
import type { Seat, Sort } from './row.ts';

export const rowKeys = {
  /** Everything that was read from an app's tables. */
  app: (ref: string) => ['rows', ref] as const,
  /** Everything that was read from a table, as whomever. */
  table: (ref: string, id: string) => ['rows', ref, id] as const,
  pages: (ref: string, id: string, seat: Seat, where: readonly Filter[], sort: Sort | null) =>
    ['rows', ref, id, 'pages', seat, where, sort] as const,
  one: (ref: string, id: string, seat: Seat, key: string) => ['rows', ref, id, 'one', seat, key] as const,
  count: (ref: string, id: string, seat: Seat, where: readonly Filter[]) =>
    ['rows', ref, id, 'count', seat, where] as const,
  labels: (ref: string, id: string, seat: Seat, field: string, values: readonly string[]) =>
    ['rows', ref, id, 'labels', seat, field, values] as const,
};
