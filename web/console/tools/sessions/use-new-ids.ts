import { useRef } from 'react';

const nobody: ReadonlySet<string> = new Set();

/** Returns the ids of the latest list that were not in the previous list. Returns no ids for the first list, and after a change of `of`. */
export function useNewIds(of: string, rows: readonly { readonly id: string }[] | undefined): ReadonlySet<string> {
  const last = useRef<{ of: string; rows: typeof rows; ids: ReadonlySet<string>; arrived: ReadonlySet<string> }>(null);
  if (!rows) return nobody;
  if (last.current?.of === of && last.current.rows === rows) return last.current.arrived;
  const ids = new Set(rows.map(({ id }) => id));
  const before = last.current?.of === of ? last.current.ids : null;
  const arrived = before ? new Set([...ids].filter((id) => !before.has(id))) : nobody;
  last.current = { of, rows, ids, arrived };
  return arrived;
}
