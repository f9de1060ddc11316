import { type Filter, isOperator } from '../../data/rows/filter.ts';
import type { Sort } from '../../data/rows/row.ts';

/** What the address of the Data page says: which table, which rows, as whom. */
export interface DataSearch {
  /** Id of an entity: "public.tickets". */
  table?: string;
  where?: Filter[];
  /** "created_at.desc". */
  sort?: string;
  /** The key of the row in the panel, as `keyText` writes it. */
  row?: string;
  /** "anon" or the id of a member; left out for the service key. */
  as?: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads the search parameters of an address that anybody may have typed; leaves out what makes no sense. */
export function readDataSearch(search: Record<string, unknown>): DataSearch {
  const where = Array.isArray(search.where) ? search.where.filter(isFilter) : [];
  const table = text(search.table);
  const sort = text(search.sort);
  const row = text(search.row);
  const as = text(search.as);
  return {
    ...(table !== undefined && { table }),
    ...(where.length > 0 && { where }),
    ...(sort !== undefined && { sort }),
    ...(row !== undefined && { row }),
    ...(as !== undefined && { as }),
  };
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== 'object' || value === null) return false;
  const { field, operator, value: given }: Partial<Record<keyof Filter, unknown>> = value;
  return typeof field === 'string' && isOperator(operator) && typeof given === 'string';
}

/** "created_at.desc" → by created_at, descending; null for a field that is not there. */
export function readSort(sort: string | undefined, fields: readonly string[]): Sort | null {
  const match = /^(.*)\.(asc|desc)$/s.exec(sort ?? '');
  const field = match?.[1];
  return field !== undefined && fields.includes(field) ? { field, descending: match?.[2] === 'desc' } : null;
}

/** What a press on the head of a field asks for: ascending, then descending, then no order. */
export function nextSort(sort: Sort | null, field: string): string | undefined {
  if (sort?.field !== field) return `${field}.asc`;
  return sort.descending ? undefined : `${field}.desc`;
}
