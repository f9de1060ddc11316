import type { Filter } from './filter.ts';
import type { RequestRole, Sort } from './row.ts';

export const rowKeys = {
  /** Key of every query on the tables of an app. */
  app: (ref: string) => ['rows', ref] as const,
  /** Key of every query on one table, by any caller. */
  table: (ref: string, id: string) => ['rows', ref, id] as const,
  pages: (ref: string, id: string, requestRole: RequestRole, where: readonly Filter[], sort: Sort | null) =>
    ['rows', ref, id, 'pages', requestRole, where, sort] as const,
  one: (ref: string, id: string, requestRole: RequestRole, key: string) =>
    ['rows', ref, id, 'one', requestRole, key] as const,
  count: (ref: string, id: string, requestRole: RequestRole, where: readonly Filter[]) =>
    ['rows', ref, id, 'count', requestRole, where] as const,
  choices: (ref: string, id: string, requestRole: RequestRole, field: string, search: string) =>
    ['rows', ref, id, 'choices', requestRole, field, search] as const,
  states: (ref: string, id: string, requestRole: RequestRole, key: string) =>
    ['rows', ref, id, 'states', requestRole, key] as const,
  labels: (ref: string, id: string, requestRole: RequestRole, field: string, values: readonly string[]) =>
    ['rows', ref, id, 'labels', requestRole, field, values] as const,
};
