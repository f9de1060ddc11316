import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { labelField, labels } from '../../queries/rows/labels.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import type { RowPage } from '../../queries/rows/row-pages.ts';

/**
 * Loads the labels of the rows that a sheet's fields reference, page by page. Returns a function from a value to its
 * label. The label is undefined until it is loaded, if the referenced row has none, and if the caller may not read that
 * row.
 */
export function useLabels(
  table: Table,
  entities: readonly Entity[],
  fields: readonly Field[],
  pages: readonly Pick<RowPage, 'rows'>[],
): (field: string, value: string) => string | undefined {
  const asked = useMemo(() => {
    // Rows of a page often reference the same row, and several fields the same entity. So each label is requested only once.
    const questions = new Map<string, { target: Entity; to: string; values: readonly string[]; names: string[] }>();
    for (const { name, references: to } of fields) {
      const target = to && entities.find((entity) => entity.schema === to.schema && entity.name === to.entity);
      if (!to || !target || labelField(target) === null) continue;
      for (const page of pages) {
        const values = distinct(page, name);
        const question = JSON.stringify([target.id, to.field, values]);
        const same = questions.get(question);
        if (!same) questions.set(question, { target, to: to.field, values, names: [name] });
        else if (!same.names.includes(name)) same.names.push(name);
      }
    }
    return [...questions.values()].filter(({ values }) => values.length > 0);
  }, [entities, fields, pages]);
  return useQueries({
    queries: asked.map(({ target, to, values }) => labels({ ...table, entity: target }, to, values)),
    combine: useCallback(
      (results: { data: ReadonlyMap<string, string> | undefined }[]) => {
        const found = new Map<string, ReadonlyMap<string, string>[]>();
        results.forEach(({ data }, index) => {
          const names = asked[index]?.names ?? [];
          for (const name of names) if (data) found.set(name, [...(found.get(name) ?? []), data]);
        });
        return (field: string, value: string) =>
          found
            .get(field)
            ?.find((map) => map.has(value))
            ?.get(value);
      },
      [asked],
    ),
  });
}

const distinct = ({ rows }: Pick<RowPage, 'rows'>, field: string): string[] =>
  [...new Set(rows.map((row) => row[field]).filter((value) => typeof value === 'string'))].sort();
