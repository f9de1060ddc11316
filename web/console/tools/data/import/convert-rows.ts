import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { CsvFile } from '../../../../rows/csv.ts';
import { type ImportedRow, keysByLabel } from '../../../queries/rows/import-rows.ts';
import { labelField } from '../../../queries/rows/labels.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { targetOf } from '../editor/editor-kind.ts';
import { convert, notationOf } from './convert.ts';

/** Labels of referenced rows, by field and key. */
export type ReferenceLabels = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Returns the texts of a file by the chosen fields. Pure. */
export const textsOf = (file: CsvFile, chosen: readonly (string | null)[]): ImportedRow[] =>
  file.records.map(({ line, values }) => ({
    line,
    values: Object.fromEntries(
      chosen.flatMap((name, place): [string, string | null][] =>
        name === null ? [] : [[name, values[place] ?? null]],
      ),
    ),
  }));

/**
 * Converts texts as a person writes them to values as PostgreSQL reads them. Labels of referenced rows are replaced by
 * their keys; the labels are returned, because readers recognize labels and not keys.
 * @param file The texts of the complete file, which show how a column writes numbers and days.
 */
export async function convertRows(
  table: Table,
  entities: readonly Entity[],
  texts: readonly ImportedRow[],
  signal: AbortSignal,
  file: readonly ImportedRow[] = texts,
): Promise<{ rows: ImportedRow[]; labels: ReferenceLabels }> {
  const now = new Date();
  const names = new Set(texts.flatMap(({ values }) => Object.keys(values)));
  const columns = await Promise.all(
    table.entity.fields
      .filter(({ name }) => names.has(name))
      .map(async (field) => {
        const written = texts.map(({ values }) => values[field.name] ?? null);
        const notation = notationOf(file.map(({ values }) => values[field.name] ?? null));
        return { field, notation, keys: await keysOf(table, entities, field, written, signal) };
      }),
  );
  const rows = texts.map(({ line, values }) => ({
    line,
    values: Object.fromEntries(
      columns.flatMap(({ field, keys, notation }): [string, string | null][] => {
        const text = values[field.name] ?? null;
        // An empty value of a field with a default is left out, so that PostgreSQL sets the default.
        if (text === null && (field.default !== null || field.identity !== null)) return [];
        return [[field.name, (text !== null && keys.get(text.trim())) || convert(field, text, now, notation)]];
      }),
    ),
  }));
  const labels = columns.map(
    ({ field, keys }) => [field.name, new Map([...keys].map(([label, key]) => [key, label]))] as const,
  );
  return { rows, labels: new Map(labels) };
}

async function keysOf(
  table: Table,
  entities: readonly Entity[],
  field: Field,
  texts: readonly (string | null)[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const target = targetOf(field, entities);
  const label = target && labelField(target);
  if (!target || label === null || label === undefined || label === field.references?.field) return new Map();
  const names = [...new Set(texts.flatMap((text) => (text === null || text.trim() === '' ? [] : [text.trim()])))];
  return keysByLabel({ ...table, entity: target }, field.references?.field ?? '', label, names, signal);
}
