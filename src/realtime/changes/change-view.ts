import type { Change } from './change-reader.ts';
import type { PublishedTable } from './published-tables.ts';
import { imageJson, type RowImage } from './row-image.ts';

/** How a change appears to a subscriber. `entered`: an update made the row visible. `left`: an update hid it. */
export type Outcome = 'inserted' | 'updated' | 'entered' | 'left' | 'deleted';

const types = { inserted: 'INSERT', updated: 'UPDATE', entered: 'UPDATE', left: 'DELETE', deleted: 'DELETE' } as const;

/** Returns the event that a subscriber must have asked for. */
export const eventOf = (outcome: Outcome): 'INSERT' | 'UPDATE' | 'DELETE' => types[outcome];

/** The columns that a subscriber gets. */
export interface ColumnView {
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  /** JSON of the field `columns`. */
  readonly json: string;
}

/**
 * Returns the columns of a table that a caller gets.
 * @param readable The columns that the role may select.
 * @param selected The columns that the client asked for, or null. The key is always among them.
 */
export function columnView(
  table: PublishedTable,
  readable: readonly string[],
  selected: readonly string[] | null,
): ColumnView {
  const shown = table.columns.filter(
    ({ name, isPublished, isKey }) =>
      isPublished && readable.includes(name) && (selected === null || isKey || selected.includes(name)),
  );
  return {
    columns: shown.map(({ name }) => name),
    keys: shown.filter(({ isKey }) => isKey).map(({ name }) => name),
    json: JSON.stringify(shown.map(({ name, type }) => ({ name, type }))),
  };
}

/** A change with its rows. */
export interface ReadChange {
  readonly change: Change;
  readonly table: PublishedTable;
  readonly old: RowImage | null;
  readonly new: RowImage | null;
}

/** Encodes a change for all subscribers with the same view of it: the JSON of the field `data`. */
export function encodeChange({ change, table, old, new: row }: ReadChange, outcome: Outcome, view: ColumnView): Buffer {
  const type = eventOf(outcome);
  const oldColumns = outcome !== 'left' && table.keepsOldRows ? view.columns : view.keys;
  const oldRecord = outcome === 'entered' ? '{}' : imageJson(old, oldColumns);
  const record = type === 'DELETE' ? '{}' : imageJson(row, view.columns);
  const errors = change.isTooLarge ? '["Error 413: Payload Too Large"]' : 'null';
  return Buffer.from(
    `{"schema":${JSON.stringify(table.schema)},"table":${JSON.stringify(table.name)},"commit_timestamp":${JSON.stringify(change.at)},` +
      `"type":"${type}","columns":${view.json},"record":${record}${type === 'INSERT' ? '' : `,"old_record":${oldRecord}`},"errors":${errors}}`,
  );
}

/** Returns how a change appears to a subscriber that saw the old row or sees the new one; null if not at all. */
export function outcomeOf(operation: 'I' | 'U' | 'D', saw: boolean, sees: boolean): Outcome | null {
  if (operation === 'I') return sees ? 'inserted' : null;
  if (operation === 'D') return saw ? 'deleted' : null;
  if (saw) return sees ? 'updated' : 'left';
  return sees ? 'entered' : null;
}
