import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { oneRow } from '../../queries/rows/one-row.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { keyFields, keyFromText, keyOf, keyText, type Row } from '../../queries/rows/row.ts';

/** Returns the row that the address names: its key, its index among the loaded rows (−1 if it is not loaded), and the row itself. */
export function useSelectedRow(
  table: Table,
  rows: readonly Row[],
  text: string | undefined,
  ready: boolean,
): { key: readonly string[] | null; at: number; row: Row | null } {
  const fields = keyFields(table.entity);
  const key = text === undefined ? null : keyFromText(text, fields);
  const named = key === null ? null : keyText(key);
  const at = useMemo(
    () => (named === null ? -1 : rows.findIndex((row) => keyText(keyOf(row, keyFields(table.entity)) ?? []) === named)),
    [rows, named, table.entity],
  );
  const elsewhere = useQuery({ ...oneRow(table, key ?? []), enabled: key !== null && at < 0 && ready });
  return { key, at, row: (at >= 0 ? rows[at] : elsewhere.data) ?? null };
}
