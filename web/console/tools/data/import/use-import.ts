import { useRef, useState } from 'react';
import { isWritable } from '../../../../../contract/call-detail.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { CsvFile } from '../../../../rows/csv.ts';
import {
  checkRows,
  type ImportedRow,
  importRows,
  keysByLabel,
  type RefusedRow,
} from '../../../data/rows/import-rows.ts';
import { labelField } from '../../../data/rows/labels.ts';
import type { Table } from '../../../data/rows/rest-call.ts';
import { targetOf } from '../editor/editor-kind.ts';
import { convert } from './convert.ts';

/** Returns the fields that a file can fill. */
export const importable = ({ fields }: Entity): Field[] => fields.filter(isWritable);

interface Progress {
  busy: 'check' | 'import' | null;
  /** Number of checked rows. */
  checked: number;
  /** Rows that violate a rule; null before the check. */
  refused: readonly RefusedRow[] | null;
  /** Number of imported rows; null before the import. */
  imported: number | null;
  stopped: boolean;
  error: Error | null;
}

const fresh: Progress = { busy: null, checked: 0, refused: null, imported: null, stopped: false, error: null };

/** Checks and imports the rows of a file. Both can be stopped; a stopped import has inserted nothing. */
export function useImport(
  table: Table,
  entities: readonly Entity[],
  file: CsvFile | null,
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
  return {
    ...progress,
    reset: () => {
      control.current?.abort();
      setProgress(fresh);
    },
    stop: () => control.current?.abort(),
    check: () =>
      start('check', async (signal) => {
        rows.current = await readRows(table, entities, file, chosen, signal);
        const onProgress = (checked: number) => setProgress((before) => ({ ...before, checked }));
        return { refused: await checkRows(table, fields, rows.current, onProgress, signal) };
      }),
    run: () =>
      start('import', async (signal) => {
        const left = new Set(progress.refused?.map(({ row }) => row));
        const valid = rows.current.filter((row) => !left.has(row));
        await importRows(table, fields, valid, signal);
        return { imported: valid.length };
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
        // An empty value of a field with a default is left out, so that PostgreSQL sets the default.
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
