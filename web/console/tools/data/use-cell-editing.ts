import { useMutation } from '@tanstack/react-query';
import type { Field } from '../../../../contract/specification-entities.ts';
import type { Position } from '../../../ui/grid/move.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { keyText, type Row } from '../../queries/rows/row.ts';
import { recordChange } from '../../queries/rows/session-changes.ts';
import { keyWords } from '../../queries/rows/undo-change.ts';
import { updateRow } from '../../queries/rows/update-row.ts';
import { kindOf } from '../../values/field-kind.ts';
import type { Change } from './use-sheet-state.ts';
import { fieldReadOnly } from './why-read-only.ts';

/** Returns the actions that open the editor of a cell, and the action of Space on a boolean. */
export function useCellEditing({
  table,
  fields,
  rows,
  isKey,
  keyAt,
  change,
  openRow,
}: {
  table: Table;
  fields: readonly Field[];
  rows: readonly Row[];
  isKey: (field: string) => boolean;
  keyAt: (row: number) => readonly string[] | null;
  change: (change: Change) => void;
  openRow: (row: number) => void;
}) {
  const { mutate, error, reset } = useMutation(updateRow(table));
  const isEditable = (at: Position): boolean => {
    const field = fields[at.column];
    if (!field || keyAt(at.row) === null || isKey(field.name)) return false;
    return fieldReadOnly(table.entity, field) === null;
  };
  const open = (at: Position, typed = '') => {
    if (isEditable(at)) change({ editing: at, position: at, failed: false, typed });
    else openRow(at.row);
  };
  return {
    /** The error of the last attempt to toggle a boolean. */
    error,
    open,
    isEditable,
    /** Opens the editor of the next editable cell in the row. If there is none, moves the focus to the next cell. */
    openNext: ({ row, column }: Position) => {
      const next = fields.findIndex((_, place) => place > column && isEditable({ row, column: place }));
      if (next >= 0) open({ row, column: next });
      else change({ position: { row, column: Math.min(column + 1, fields.length - 1) } });
    },
    /**
     * Opens the editor with a typed character. Returns false for "/" and "?", which are keys of the page, and for cells
     * that cannot be edited.
     */
    type: (at: Position, typed: string): boolean => {
      if (typed === '/' || typed === '?' || !isEditable(at)) return false;
      open(at, typed);
      return true;
    },
    /** Changes a boolean to its opposite. Returns false for a cell that is no editable boolean. */
    toggle: (at: Position): boolean => {
      const field = fields[at.column];
      const key = keyAt(at.row);
      if (!field || !key || kindOf(field) !== 'boolean' || fieldReadOnly(table.entity, field) !== null) return false;
      const value = rows[at.row]?.[field.name] ?? null;
      const next = value?.startsWith('t') ? 'false' : 'true';
      reset();
      mutate(
        { key, values: { [field.name]: next } },
        {
          onSuccess: (saved) => {
            recordChange({
              ...{ table, kind: 'update' },
              rows: [{ key, before: { [field.name]: value }, after: { [field.name]: saved[field.name] ?? null } }],
              what: `${field.name} of ${keyWords(key)}`,
              how: `${value ?? 'null'} to ${next}`,
            });
            change({ changed: { key: keyText(key), field: field.name } });
          },
        },
      );
      return true;
    },
  };
}
