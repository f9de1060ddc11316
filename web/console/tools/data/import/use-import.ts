import { useRef, useState } from 'react';
import { isWritable } from '../../../../../contract/call-detail.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { CsvFile } from '../../../../rows/csv.ts';
import {
  type Conflict,
  checkRows,
  type ImportedRow,
  importRows,
  keysByLabel,
  type RefusedRow,
} from '../../../data/rows/import-rows.ts';
import { importUndoOff, storeImport } from '../../../data/rows/import-undo.ts';
import { labelField } from '../../../data/rows/labels.ts';
import type { Table } from '../../../data/rows/rest-call.ts';
import { keyFields, keyOf } from '../../../data/rows/row.ts';
import { targetOf } from '../editor/editor-kind.ts';
import { convert } from './convert.ts';
import type { Fix } from './fixes.ts';

/** Returns the fields that a file can fill. */
export const importable = ({ fields }: Entity): Field[] => fields.filter(isWritable);

interface Progress {
  busy: 'check' | 'import' | null;
  /** Number of checked rows. */
  checked: number;
  /** Rows that break a rule; null before the check. */
  refused: readonly RefusedRow[] | null;
  /** Number of rows that a fix left out. */
  leftOut: number;
  /** How the import treats rows whose key already exists; null if PostgreSQL refuses them. */
  conflict: Conflict | null;
  /** Number of imported rows; null before the import. */
  imported: number | null;
  stopped: boolean;
  error: Error | null;
}

const fresh: Progress = {
  ...{ busy: null, checked: 0, refused: null, leftOut: 0, conflict: null },
  ...{ imported: null, stopped: false, error: null },
};

/** Checks the rows of a file and imports them. The builder can stop both; a stopped import has inserted nothing. */
export function useImport(
  table: Table,
  entities: readonly Entity[],
  file: { name: string; content: CsvFile } | null,
  chosen: readonly (string | null)[],
) {
  const [progress, setProgress] = useState(fresh);
  const control = useRef<AbortController | null>(null);
  const rows = useRef<readonly ImportedRow[]>([]);
  const fields = chosen.filter((name) => name !== null);
  const start = async (busy: 'check' | 'import', work: (signal: AbortSignal) => Promise<Partial<Progress>>) => {
    control.current = new AbortController();
    const { signal } = control.current;
    setProgress((before) => ({ ...before, busy, error: null, stopped: false }));
    try {
      const done = await work(signal);
      setProgress((before) => ({ ...before, ...done, busy: null }));
    } catch (error) {
      const failure = signal.aborted
        ? { stopped: true }
        : { error: error instanceof Error ? error : new Error(String(error)) };
      setProgress((before) => ({ ...before, ...failure, busy: null }));
    }
  };
  const { conflict } = progress;
  const onProgress = (checked: number) => setProgress((before) => ({ ...before, checked }));
  /**
   * Applies a fix and checks the changed rows. All rows are checked if the fix applies to the whole import, or if the
   * previous check ended early.
   */
  const fix = (one: Fix, group: readonly RefusedRow[]) =>
    start('check', async (signal) => {
      const ofGroup = new Set(group.map(({ row }) => row));
      const pairs = rows.current.map(
        (row) => [row, 'change' in one && ofGroup.has(row) ? one.change(row) : row] as const,
      );
      const next = pairs.flatMap(([, row]) => row ?? []);
      const changed = pairs.flatMap(([old, row]) => (row && row !== old ? [row] : []));
      const plan = { fields, conflict: 'conflict' in one ? one.conflict : conflict };
      const mustCheckAll = 'conflict' in one || progress.checked < rows.current.length;
      const found = await checkRows(
        table,
        plan,
        mustCheckAll ? next : changed,
        mustCheckAll ? onProgress : () => {},
        signal,
      );
      const others = mustCheckAll ? [] : (progress.refused ?? []).filter(({ row }) => !ofGroup.has(row));
      const leftOut = progress.leftOut + rows.current.length - next.length;
      rows.current = next;
      return {
        ...{ conflict: plan.conflict, leftOut, ...(!mustCheckAll && { checked: next.length }) },
        refused: [...others, ...found].sort((a, b) => a.row.line - b.row.line),
      };
    });
  return {
    ...progress,
    /** Why the import cannot be undone; null if it can. */
    undoOff: importUndoOff(table, progress, rows.current.length - (progress.refused?.length ?? 0)),
    reset: () => {
      control.current?.abort();
      setProgress(fresh);
    },
    stop: () => control.current?.abort(),
    fix,
    check: () =>
      start('check', async (signal) => {
        rows.current = await readRows(table, entities, file?.content ?? null, chosen, signal);
        return { refused: await checkRows(table, { fields, conflict }, rows.current, onProgress, signal) };
      }),
    run: () =>
      start('import', async (signal) => {
        const left = new Set(progress.refused?.map(({ row }) => row));
        const valid = rows.current.filter((row) => !left.has(row));
        const plan = { fields, conflict };
        const canUndo = importUndoOff(table, plan, valid.length) === null;
        const key = keyFields(table.entity);
        const inserted = await importRows(table, plan, valid, canUndo ? key : [], signal);
        const keys = inserted.flatMap((row) => [keyOf(row, key) ?? []]);
        // The rows are stored already. If this fails, the import cannot be undone, but it did not fail.
        if (canUndo) await storeImport(table, file?.name ?? '', keys).catch(() => false);
        return { imported: canUndo ? inserted.length : valid.length };
      }),
  };
}

/** Converts the records of a file to rows. Labels of referenced rows are replaced by their keys. */
async function readRows(
  table: Table,
  entities: readonly Entity[],
  file: CsvFile | null,
  chosen: readonly (string | null)[],
  signal: AbortSignal,
): Promise<ImportedRow[]> {
  if (!file) return [];
  const now = new Date();
  const columns = await Promise.all(
    chosen.map(async (name, place) => {
      const field = table.entity.fields.find((one) => one.name === name);
      if (!field) return null;
      const texts = file.records.map(({ values }) => values[place] ?? null);
      return { field, keys: await keysOf(table, entities, field, texts, signal) };
    }),
  );
  return file.records.map(({ line, values }) => ({
    line,
    values: Object.fromEntries(
      columns.flatMap((column, place): [string, string | null][] => {
        if (!column) return [];
        const { field, keys } = column;
        const text = values[place] ?? null;
        // An empty value is left out if the field has a default, so that PostgreSQL sets the default.
        if (text === null && (field.default !== null || field.identity !== null)) return [];
        return [[field.name, (text !== null && keys.get(text.trim())) || convert(field, text, now)]];
      }),
    ),
  }));
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
