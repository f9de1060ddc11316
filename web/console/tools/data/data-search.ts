import { type Filter, isOperator } from '../../queries/rows/filter.ts';
import type { Sort } from '../../queries/rows/row.ts';

/** Parameters of the Data page's address: the table, its rows, and the caller who reads them. */
export interface DataSearch {
  /** Id of an entity, for example "public.tickets". */
  table?: string;
  where?: Filter[];
  /** Text that some field of each row contains. */
  find?: string;
  /** Order of the rows, for example "created_at.desc". */
  sort?: string;
  /** The key of the row in the panel, as `keyText` writes it. */
  row?: string;
  /** "anon" or the id of a member; undefined for the service key. */
  as?: string;
  /** True if the page shows the import of a file into the table. */
  import?: true;
  /** `new` opens the editor of a new table; `table` opens the editor of the fields of `table` and the access to it. */
  design?: 'new' | 'table';
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads the parameters of an address. The address may contain any text, so invalid parameters are omitted. */
export function readDataSearch(search: Record<string, unknown>): DataSearch {
  const where = Array.isArray(search.where) ? search.where.filter(isFilter) : [];
  const table = text(search.table);
  const sort = text(search.sort);
  const find = text(search.find);
  const row = text(search.row);
  const as = text(search.as);
  return {
    ...(table !== undefined && { table }),
    ...(where.length > 0 && { where }),
    ...(find !== undefined && { find }),
    ...(sort !== undefined && { sort }),
    ...(row !== undefined && { row }),
    ...(as !== undefined && { as }),
    ...(search.import === true && { import: true }),
    ...((search.design === 'new' || search.design === 'table') && { design: search.design }),
  };
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== 'object' || value === null) return false;
  const { field, operator, value: given }: Partial<Record<keyof Filter, unknown>> = value;
  return typeof field === 'string' && isOperator(operator) && typeof given === 'string';
}

/** Parses an order: "created_at.desc" → by created_at, descending. Returns null for an unknown field. */
export function readSort(sort: string | undefined, fields: readonly string[]): Sort | null {
  const match = /^(.*)\.(asc|desc)$/s.exec(sort ?? '');
  const field = match?.[1];
  return field !== undefined && fields.includes(field) ? { field, descending: match?.[2] === 'desc' } : null;
}

/** Returns the next order of the rows after a click on the head of a field: ascending, then descending, then none. */
export function nextSort(sort: Sort | null, field: string): string | undefined {
  if (sort?.field !== field) return `${field}.asc`;
  return sort.descending ? undefined : `${field}.desc`;
}
