import { readTime } from '../../../../fields/read-time.ts';
import type { CsvFile } from '../../../../rows/csv.ts';
import { type FieldDesign, newField, newTable, type TableDesign, type TypeKind, typeKinds } from './table-design.ts';

/** Converts a text to a usual name of a table or field: "Order No." → order_no. Pure. */
const plainName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 40);

/**
 * Returns the design of a new table for the rows of a CSV file. Each named column becomes a field with a guessed type.
 * A column `id` that identifies the rows becomes the key; without such a column, the table gets a key that counts up.
 * Pure.
 * @param fileName Name of the file, from which the table gets its name.
 */
export function tableFromCsv(
  fileName: string,
  { header, records }: CsvFile,
  now: Date,
): Pick<TableDesign, 'name' | 'fields'> {
  const taken = new Set<string>();
  const fields = header.flatMap((column, place): FieldDesign[] => {
    const name = plainName(column);
    if (name === '') return [];
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    const values = records.map(({ values: all }) => all[place] ?? null);
    const given = values.filter((value) => value !== null);
    const kind = guessKind(given, now);
    const isRequired = records.length > 0 && given.length === values.length;
    const isKey = free === 'id' && isRequired && new Set(given).size === given.length;
    return [newField({ name: free, kind, type: typeKinds[kind].sql, isRequired, isKey, isUnique: isKey })];
  });
  if (fields.some(({ isKey }) => isKey)) return { name: plainName(withoutEnding(fileName)), fields };
  const key = newTable().fields.map((field) => (taken.has('id') ? { ...field, name: 'row_id' } : field));
  return { name: plainName(withoutEnding(fileName)), fields: [...key, ...fields] };
}

const withoutEnding = (fileName: string): string => fileName.replace(/\.[^.]*$/, '');

/** Returns the kind that fits every value when the import converts it. Returns text if no other kind fits, or if there are no values. */
function guessKind(values: readonly string[], now: Date): Exclude<TypeKind, 'reference' | 'other'> {
  const texts = values.map((value) => value.trim());
  const all = (test: (text: string) => boolean) => texts.length > 0 && texts.every(test);
  // A number with leading zeros is read as text, because it is an identifier such as a postcode.
  if (all((text) => /^-?(0|[1-9]\d{0,17})$/.test(text))) return 'whole';
  if (all((text) => /^-?(0|[1-9]\d*)([.,]\d+)?$/.test(text))) return 'number';
  if (all((text) => /^(true|false|yes|no)$/i.test(text))) return 'yes-no';
  if (all((text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text))) return 'identifier';
  const times = texts.map((text) => (/^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/.test(text) ? readTime(text, now) : null));
  if (times.length === 0 || times.includes(null)) return 'text';
  return times.every((time) => time?.hasClock === false) ? 'date' : 'time';
}
