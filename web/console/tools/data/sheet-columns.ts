import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import type { GridColumn } from '../../../ui/grid/grid-column.ts';
import { keyFields, type Sort } from '../../queries/rows/row.ts';
import { type FieldKind, isFigure, kindOf, kindOfType, shortType } from '../../values/field-kind.ts';

const widths: Readonly<Record<FieldKind, number>> = {
  text: 184,
  integer: 92,
  decimal: 116,
  boolean: 84,
  enum: 120,
  uuid: 148,
  date: 116,
  timestamp: 148,
  timestamptz: 148,
  json: 240,
  bytes: 164,
  array: 176,
  range: 164,
  search: 176,
  vector: 176,
  other: 164,
};

const label = 252;
const reference = 148;
const key = 100;

/** Types that PostgreSQL cannot sort. */
const unordered: ReadonlySet<string> = new Set([
  'json',
  'xml',
  'point',
  'line',
  'lseg',
  'box',
  'path',
  'polygon',
  'circle',
]);
const orders = (field: Field): boolean => !unordered.has(field.base_type ?? field.type);

/** Returns the fields in the order of the sheet: first the fields of the key, then the others in the order of the entity. */
export function sheetFields(entity: Entity, hidden: ReadonlySet<string>): Field[] {
  const keys = new Set(keyFields(entity));
  const shown = entity.fields.filter(({ name }) => keys.has(name) || !hidden.has(name));
  return [...shown.filter(({ name }) => keys.has(name)), ...shown.filter(({ name }) => !keys.has(name))];
}

/**
 * Converts a field to a column of the sheet.
 * @param called Name of the field that contains the label of a row; null if there is none.
 */
export function sheetColumn(entity: Entity, field: Field, sort: Sort | null, called: string | null): GridColumn {
  const kind = kindOf(field);
  const isKey = keyFields(entity).includes(field.name);
  const type = field.references
    ? 'fk'
    : kind === 'enum' && kindOfType(field.type) !== 'text'
      ? 'enum'
      : shortType(field.type);
  const usual =
    field.name === called ? label : field.references ? reference : isKey && kind !== 'uuid' ? key : widths[kind];
  const head = field.name.length * 7 + type.length * 7 + 52;
  return {
    id: field.name,
    name: field.name,
    type,
    width: Math.min(320, Math.max(usual, head)),
    numeric: isFigure(kind) && !isKey && field.references === null,
    ...(orders(field) && {
      sort: sort?.field === field.name ? (sort.descending ? 'descending' : 'ascending') : 'none',
    }),
  };
}
