import { useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { type CsvFile, type Encoding, readCsvFile } from '../../../../rows/csv.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { FilePicker } from '../../../../ui/file-picker.tsx';
import { Workbench } from '../../../../ui/workbench.tsx';
import { count, counted, entityName } from '../../../format/format.ts';
import { Page } from '../../../layout/page.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { EntityNav } from '../entity-nav.tsx';
import { pointingNames } from '../references.ts';
import { ViewAsMenu } from '../view-as-menu.tsx';
import { ColumnTable } from './column-table.tsx';
import { guessFields } from './convert.ts';
import styles from './import-page.module.css';
import { RefusedTable } from './refused-table.tsx';
import { UndoImports } from './undo-imports.tsx';
import { importable, useImport } from './use-import.ts';

/** Maximum size of a file in bytes. All rows are sent in one request, so that PostgreSQL imports none of them if one fails. */
export const MAX_BYTES = 6 * 1024 * 1024;

type ReadFile = CsvFile & { readonly encoding: Encoding };

const separators = { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab' } as const;
const encodings = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
} as const;

/** Describes how a file was read: "11 columns, 9 matched. Semicolon, UTF-8, first line is the header." */
const formatWords = ({ header, separator, encoding }: ReadFile, chosen: readonly (string | null)[]): string =>
  `${counted(header.length, 'column')}, ${count(chosen.filter((name) => name !== null).length)} matched. ${separators[separator]}, ${encodings[encoding]}, first line is the header.`;

interface ImportPageProps {
  appRef: string;
  entities: readonly Entity[];
  table: Table;
  onSeat: (requestRole: string) => void;
  onClose: () => void;
}

/** Imports the rows of a CSV file in four steps: file, fields, check, import. */
export function ImportPage({ appRef, entities, table, onSeat, onClose }: ImportPageProps) {
  const { entity } = table;
  const { file, wrong, chosen, setChosen, work, open } = useImportFile(table, entities);
  const { checked, refused, imported, busy, error } = work;
  const rows = (file?.content.records.length ?? 0) - work.leftOut;
  const valid = rows - (refused?.length ?? 0);
  const hasFields = chosen.some((name) => name !== null);
  return (
    <Page
      appRef={appRef}
      crumbs={[
        { text: 'Data', link: { to: '/app/$ref/data', params: { ref: appRef } } },
        { text: entityName(entity.schema, entity.name) },
        { text: 'Import' },
      ]}
      bare
      tools={
        <>
          Inserts as
          <ViewAsMenu appRef={appRef} requestRole={table.requestRole} onSeat={onSeat} />
        </>
      }
    >
      <Workbench list={<EntityNav appRef={appRef} current={entity.id} requestRole={undefined} />}>
        <div className={styles.page}>
          <h1 className={styles.title}>Import into {entity.name}</h1>
          <Progress {...{ file, rows, work }} />
          <FilePicker
            label="CSV file"
            verb={imported !== null ? 'Import another file' : file ? 'Choose another file' : 'Choose file'}
            accept=".csv,.tsv,.txt,text/csv"
            small={file !== null}
            onFile={(given) => void open(given)}
          >
            {!file && 'or drop it here. Commas, semicolons or tabs; up to 6 MB.'}
            {file && imported === null && formatWords(file.content, chosen)}
          </FilePicker>
          {wrong !== null && (
            <p className={styles.wrong} role="alert">
              {wrong}
            </p>
          )}
          {file && imported === null && (
            <ColumnTable
              file={file.content}
              fields={importable(entity)}
              chosen={chosen}
              onChoose={(next) => {
                work.reset();
                setChosen(next);
              }}
            />
          )}
          {refused !== null && refused.length > 0 && imported === null && (
            <RefusedTable
              table={table}
              entities={entities}
              refused={refused}
              columns={chosen.filter((name) => name !== null)}
              labels={work.labels}
              busy={busy !== null}
              onFix={(fix, group) => void work.fix(fix, group)}
              onEdit={(one, texts) => void work.edit(one, texts)}
            />
          )}
          {error && <FailureNote facts={failureFacts(error)} />}
          {(!file || imported !== null) && <UndoImports table={table} pointing={pointingNames(entity, entities)} />}
          <p role="status" className="soft">
            {busy === 'check' && `${checked} of ${rows} rows checked …`}
            {busy === 'import' && `Importing ${counted(valid, 'row')} in one transaction …`}
            {work.stopped && 'Stopped. Nothing was imported.'}
          </p>
        </div>
        <ImportBar work={work} rows={rows} hasFields={hasFields} onClose={onClose} />
      </Workbench>
    </Page>
  );
}

/** Returns the file of an import and the fields of its columns, and the function that opens a file. */
function useImportFile(table: Table, entities: readonly Entity[]) {
  const [file, setFile] = useState<{ name: string; content: ReadFile } | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const [chosen, setChosen] = useState<readonly (string | null)[]>([]);
  const work = useImport(table, entities, file, chosen);
  const open = async (given: File) => {
    work.reset();
    setFile(null);
    setWrong(null);
    if (given.size > MAX_BYTES) return setWrong('The file is larger than 6 MB. Divide it, or import it with SQL.');
    try {
      const content = await readCsvFile(given);
      if (content.records.length === 0) return setWrong('The file has no rows after its first line.');
      setFile({ name: given.name, content });
      setChosen(guessFields(content.header, importable(table.entity)));
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  return { file, wrong, chosen, setChosen, work, open };
}

/** Says what is known about the rows, and which of the four steps is next. */
function Progress({
  file,
  rows,
  work: { refused, imported, ...work },
}: {
  file: { readonly name: string } | null;
  rows: number;
  work: ReturnType<typeof useImport>;
}) {
  const unchecked = uncheckedOf(rows, { refused, ...work });
  const valid = rows - (refused?.length ?? 0) - unchecked;
  const step = !file ? 0 : imported !== null ? 4 : refused === null ? 1 : 2;
  return (
    <>
      <p className={styles.answer}>
        {!file && 'Choose a CSV file. Its first line names the columns.'}
        {file && refused === null && `${counted(rows, 'row')} of ${file.name}.`}
        {file &&
          refused !== null &&
          imported === null &&
          `${counted(rows, 'row')} of ${file.name}. ${counted(valid, 'row is', 'rows are')} valid, ${counted(refused.length, 'row violates', 'rows violate')} a rule.`}
        {file && unchecked > 0 && ` ${counted(unchecked, 'row is', 'rows are')} not checked yet.`}
        {imported !== null && importedWords(imported, work)}
      </p>
      <ol className={styles.steps} aria-label="Steps">
        {['File', 'Fields', 'Check', 'Import'].map((name, place) => (
          <li
            key={name}
            aria-current={place === Math.min(step, 3) ? 'step' : undefined}
            data-done={place < step || undefined}
          >
            {name}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Returns the number of rows that the check did not reach, because it ended after many refused rows. */
const uncheckedOf = (
  rows: number,
  { refused, checked, busy }: Pick<ReturnType<typeof useImport>, 'refused' | 'checked' | 'busy'>,
): number => (refused === null || busy !== null ? 0 : Math.max(0, rows - checked));

/** Says what the import will do, and has the button of the next step. */
function ImportBar({
  work,
  rows,
  hasFields,
  onClose,
}: {
  work: ReturnType<typeof useImport>;
  /** Number of rows that remain after the fixes. */
  rows: number;
  hasFields: boolean;
  onClose: () => void;
}) {
  const { refused, imported, busy, leftOut, conflict, undoOff } = work;
  const unchecked = uncheckedOf(rows, work);
  const valid = rows - (refused?.length ?? 0) - unchecked;
  return (
    <div className={styles.bar}>
      <span>
        {imported === null && refused !== null && (
          <>
            <b>{counted(valid, 'row')} will be inserted.</b>{' '}
            {refused.length + leftOut > 0 && `${counted(refused.length + leftOut, 'row is', 'rows are')} left out. `}
            {conflict?.resolution === 'merge' && 'Rows that exist are updated. '}
            {conflict?.resolution === 'ignore' && 'Rows that exist are skipped. '}
            Triggers run.{' '}
            {undoOff === null ? 'You can undo the import for 24 hours.' : `The import cannot be undone: ${undoOff}.`}
          </>
        )}
      </span>
      {busy !== null ? (
        <Button onClick={work.stop}>Stop</Button>
      ) : (
        <Button kind="quiet" onClick={onClose}>
          {imported === null ? 'Cancel' : 'Back to the rows'}
        </Button>
      )}
      {imported === null && rows > 0 && refused === null && (
        <Button
          kind="first"
          busy={busy === 'check' && 'Checking'}
          offBecause={hasFields ? null : 'Choose a field for a column.'}
          onClick={() => void work.check()}
        >
          Check {counted(rows, 'row')}
        </Button>
      )}
      {imported === null && refused !== null && (
        <Button
          kind="first"
          busy={busy === 'import' && 'Importing'}
          offBecause={
            unchecked > 0
              ? 'So many rows violate a rule that the check ended. Fix these rows, or leave them out.'
              : valid === 0
                ? 'No row is valid.'
                : null
          }
          onClick={() => void work.run()}
        >
          Import {counted(valid, 'row')}
        </Button>
      )}
    </div>
  );
}

/** Without the returned rows, the number contains the rows that were updated or skipped. */
function importedWords(
  imported: number,
  { conflict, undoOff }: Pick<ReturnType<typeof useImport>, 'conflict' | 'undoOff'>,
): string {
  if (conflict === null || undoOff === null) return `${counted(imported, 'row was', 'rows were')} imported.`;
  const effect = conflict.resolution === 'merge' ? 'updated' : 'skipped';
  return `${counted(imported, 'row was', 'rows were')} sent. Rows that existed were ${effect}.`;
}
