import { useState } from 'react';
import { readCsvFile } from '../../../../rows/csv.ts';
import { FilePicker } from '../../../../ui/file-picker.tsx';
import { counted } from '../../../format/format.ts';
import { MAX_BYTES } from '../import/import-page.tsx';
import styles from './design.module.css';
import type { TableDesign } from './table-design.ts';
import { tableFromCsv } from './table-from-csv.ts';

/** Starts a new table from a CSV file: takes the names of its fields from the file and guesses their types. The rows are imported later. */
export function CsvStart({ onTable }: { onTable: (part: Pick<TableDesign, 'name' | 'fields'>) => void }) {
  const [result, setResult] = useState<{ words: string; isWrong: boolean } | null>(null);
  const open = async (file: File) => {
    setResult(null);
    if (file.size > MAX_BYTES) return setResult({ words: 'The file is larger than 6 MB.', isWrong: true });
    try {
      const content = await readCsvFile(file);
      const table = tableFromCsv(file.name, content, new Date());
      onTable(table);
      const words = `${counted(table.fields.length, 'field')} from ${counted(content.records.length, 'row')}. Check the types. After you apply, import the rows with Import.`;
      setResult({ words, isWrong: false });
    } catch (error) {
      setResult({ words: error instanceof Error ? error.message : String(error), isWrong: true });
    }
  };
  return (
    <div className={styles.csv}>
      <FilePicker
        small
        label="Start from a CSV file"
        verb="Start from a CSV file"
        accept=".csv,.tsv,.txt,text/csv"
        onFile={(file) => void open(file)}
      >
        {!result && 'It names the table and its fields, and their types are guessed.'}
      </FilePicker>
      {result && (
        <p role={result.isWrong ? 'alert' : 'status'} className={result.isWrong ? styles.wrong : 'soft'}>
          {result.words}
        </p>
      )}
    </div>
  );
}
