import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import type { Filter } from '../../queries/rows/filter.ts';
import { followPages } from '../../queries/rows/live-pages.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { keyFields, keyOf, keyText, type Row, type Sort } from '../../queries/rows/row.ts';
import { type RowPage, rowPages } from '../../queries/rows/row-pages.ts';
import { useLabels } from './use-labels.ts';

const noPages: readonly RowPage[] = [];

/** Returns the loaded rows of a sheet, their keys, and the labels of referenced rows. */
export function useRows(
  table: Table,
  entities: readonly Entity[],
  fields: readonly Field[],
  where: readonly Filter[],
  sort: Sort | null,
) {
  const { ref, entity, requestRole } = table;
  const query = useInfiniteQuery({
    ...rowPages(table, where, sort),
    // After a change of order or filter, the previous rows stay visible; after a change of table or caller, they do
    // not.
    placeholderData: (before, last) => {
      const [, ofRef, id, , ofSeat] = last?.queryKey ?? [];
      return ofRef === ref && id === entity.id && ofSeat === requestRole ? before : undefined;
    },
  });
  const read = JSON.stringify([ref, entity.id, requestRole, where, sort]);
  const isRead = query.isSuccess;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` changes with the table, the filters and the order, whose objects are new after each render.
  useEffect(() => {
    if (!isRead) return;
    const stop = followPages(table, where, sort);
    return () => stop();
  }, [read, isRead]);
  const pages = query.data?.pages ?? noPages;
  const rows = useMemo((): readonly Row[] => pages.flatMap((page) => page.rows), [pages]);
  const key = useMemo(() => keyFields(entity), [entity]);
  const labels = useLabels(table, entities, fields, pages);

  const keyAt = useCallback(
    (row: number): readonly string[] | null => {
      const found = rows[row];
      return found ? keyOf(found, key) : null;
    },
    [rows, key],
  );
  const rowId = useCallback(
    (row: number): string => {
      const own = keyAt(row);
      return own ? keyText(own) : String(row);
    },
    [keyAt],
  );
  return { query, pages, rows, key, labels, keyAt, rowId };
}
