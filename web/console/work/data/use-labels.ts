import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Entity, Field } from '../../../../contract/specification.ts';
import { labelField, labels } from '../../data/rows/labels.ts';
import type { Table } from '../../data/rows/rest-call.ts';
import type { RowPage } from '../../data/rows/row-pages.ts';

/**
 * What the rows are called that the fields of a sheet point to, asked page by page. Answers the label of a value;
 * undefined while it is not known, and where the row that is pointed to has no name or may not be seen.
 */
export function useLabels(
  table: Table,
  entities: readonly Entity[],
  fields: readonly Field[],
  pages: readonly RowPage[],
): (field: string, value: string) => string | undefined {
  const wanted = useMemo(
    () =>
      fields.flatMap(({ name, references: to }) => {
        const target = to && entities.find((entity) => entity.schema === to.schema && entity.name === to.entity);
        if (!to || !target || labelField(target) === null) return [];
        return pages.map((page) => ({ name, to, target, values: distinct(page, name) }));
      }),
    [entities, fields, pages],
  );
  return useQueries({
    queries: wanted.map(({ target, to, values }) => ({
      ...labels({ ...table, entity: target }, to.field, values),
      enabled: values.length > 0,
    })),
    combine: useCallback(
      (results: { data: ReadonlyMap<string, string> | undefined }[]) => {
        const found = new Map<string, ReadonlyMap<string, string>[]>();
        results.forEach(({ data }, index) => {
          const name = wanted[index]?.name;
          if (data && name !== undefined) found.set(name, [...(found.get(name) ?? []), data]);
        });
        return (field: string, value: string) =>
          found
            .get(field)
            ?.find((map) => map.has(value))
            ?.get(value);
      },
      [wanted],
    ),
  });
}

const distinct = ({ rows }: RowPage, field: string): string[] =>
  [...new Set(rows.map((row) => row[field]).filter((value) => typeof value === 'string'))].sort();
