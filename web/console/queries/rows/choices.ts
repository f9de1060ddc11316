import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import type { Choices } from '../../../fields/reference-picker.tsx';
import { kindOf } from '../../values/field-kind.ts';
import { rowKeys } from './keys.ts';
import { labelField, searchedFields } from './labels.ts';
import { orderOf, searchParameter, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import type { Row } from './row.ts';

/** Maximum number of rows in the list of options. */
const offered = 20;

/** Reads the rows of an entity whose label fields contain the searched text. Reads them as the caller of `table`. */
export const choices = (table: Table, key: string, search: string) =>
  queryOptions({
    queryKey: rowKeys.choices(table.ref, table.entity.id, table.requestRole, key, search),
    queryFn: async ({ signal }): Promise<Choices> => {
      const { entity } = table;
      const called = labelField(entity);
      const fields = [...new Set([key, ...searchedFields(entity), ...notes(entity, called).map(({ name }) => name)])];
      const searched = search === '' ? null : searchParameter(searchedFields(entity), search);
      const { rows, total } = await restCall(table, {
        parameters: [
          ['select', selectOf(fields)],
          ...(searched ? [searched] : []),
          ['order', orderOf(null, [called ?? key])],
          ['limit', String(offered)],
        ],
        prefer: ['count=estimated'],
        signal,
      });
      return { choices: rows.map((row) => choiceOf(entity, key, row)), total: total ?? rows.length };
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });

function choiceOf(entity: Entity, key: string, row: Row) {
  const called = labelField(entity);
  const name = (called === null ? null : row[called]) ?? null;
  const note = notes(entity, called)
    .map((field) => row[field.name])
    .filter((text) => text !== null && text !== undefined && text !== '' && text !== name)
    .slice(0, 2)
    .join(' · ');
  return { value: row[key] ?? '', name: name ?? row[key] ?? '', note };
}

/** Returns the fields that help to distinguish rows with the same label: texts and enums, but neither keys nor references. */
const notes = (entity: Entity, called: string | null): Field[] =>
  entity.fields
    .filter(
      (field) =>
        field.name !== called &&
        field.references === null &&
        !entity.primary_key.includes(field.name) &&
        ['text', 'enum'].includes(kindOf(field)),
    )
    .slice(0, 3);
