import { useRef, useState } from 'react';
import { isWritable } from '../../../../../contract/call-detail.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { CsvFile } from '../../../../rows/csv.ts';
import {
  type Conflict,
  checkRows,
  type ImportedRow,
  importRows,
  type RefusedRow,
} from '../../../queries/rows/import-rows.ts';
import { importUndoOff, storeImport } from '../../../queries/rows/import-undo.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { keyFields, keyOf, type Row } from '../../../queries/rows/row.ts';
import { convertRows, type ReferenceLabels, textsOf } from './convert-rows.ts';
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
  /** Labels of the referenced rows that the file names. */
  labels: ReferenceLabels;
  /** Number of imported rows; null before the import. */
  imported: number | null;
  stopped: boolean;
  error: Error | null;
}

const fresh: Progress = {
  ...{ busy: null, checked: 0, refused: null, leftOut: 0, conflict: null, labels: new Map() },
  ...{ imported: null, stopped: false, error: null },
};

/** Checks the rows of a file and imports them. The builder can stop both; a stopped import has inserted nothing. */
export function useImport(
  table: Table,
  entities: readonly Entity[],
  file: { name: string; content: CsvFile } | null,
  chosen: readonly (string | null)[],
) {
  const { progress, setProgress, start, stop } = useWork();
  const rows = useRef<readonly ImportedRow[]>([]);
  const fields = chosen.filter((name) => name !== null);
  const { conflict } = progress;
  const onProgress = (checked: number) => setProgress((before) => ({ ...before, checked }));
  /** Applies a fix and checks the changed rows. A fix of all rows, and a check that ended early, need a whole check. */
  const recheck = async (one: Fix, group: readonly RefusedRow[], signal: AbortSignal): Promise<Partial<Progress>> => {
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
  };
  return {
    ...progress,
    /** The reason why the import cannot be undone; null if it can. */
    undoOff: importUndoOff(table, progress),
    reset: () => {
      stop();
      setProgress(fresh);
    },
    stop,
    fix: (one: Fix, group: readonly RefusedRow[]) => start('check', (signal) => recheck(one, group, signal)),
    /** Replaces the texts of one refused row, and checks the row. */
    edit: (one: RefusedRow, texts: Row) =>
      start('check', async (signal) => {
        const edited = [{ ...one.row, values: texts }];
        const all = file ? textsOf(file.content, chosen) : edited;
        const { rows: changed, labels } = await convertRows(table, entities, edited, signal, all);
        const found = await recheck({ label: 'Edit', change: () => changed[0] ?? null }, [one], signal);
        return { ...found, labels: joined(progress.labels, labels) };
      }),
    check: () =>
      start('check', async (signal) => {
        const texts = file ? textsOf(file.content, chosen) : [];
        const { rows: read, labels } = await convertRows(table, entities, texts, signal);
        rows.current = read;
        return { labels, refused: await checkRows(table, { fields, conflict }, read, onProgress, signal) };
      }),
    run: () =>
      start('import', async (signal) => {
        const left = new Set(progress.refused?.map(({ row }) => row));
        const valid = rows.current.filter((row) => !left.has(row));
        return { imported: await insertRows(table, { fields, conflict }, file?.name ?? '', valid, signal) };
      }),
  };
}

/** Returns the progress of an import, and the functions that start a step and stop it. */
function useWork() {
  const [progress, setProgress] = useState(fresh);
  const control = useRef<AbortController | null>(null);
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
  return { progress, setProgress, start, stop: () => control.current?.abort() };
}

/** Inserts the rows and stores what an undo needs. Returns the number of rows that were inserted or sent. */
async function insertRows(
  table: Table,
  plan: { readonly fields: readonly string[]; readonly conflict: Conflict | null },
  file: string,
  valid: readonly ImportedRow[],
  signal: AbortSignal,
): Promise<number> {
  const canUndo = importUndoOff(table, plan) === null;
  const key = keyFields(table.entity);
  const inserted = await importRows(table, plan, valid, canUndo ? key : [], signal);
  const first = inserted[0] && keyOf(inserted[0], key);
  // The rows are stored. If this request fails, only the undo is missing.
  if (first) {
    await storeImport(table, { file, rows: inserted.length, key: first }).catch(() => undefined);
  }
  return canUndo ? inserted.length : valid.length;
}

/** Returns the labels of both. Pure. */
const joined = (a: ReferenceLabels, b: ReferenceLabels): ReferenceLabels =>
  new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((name) => [
      name,
      new Map([...(a.get(name) ?? []), ...(b.get(name) ?? [])]),
    ]),
  );
