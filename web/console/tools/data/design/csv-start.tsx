import { useState } from 'react';
import { parseCsv } from '../../../../rows/csv.ts';
import { counted } from '../../../format/format.ts';
import { MAX_BYTES } from '../import/import-page.tsx';
import styles from './design.module.css';
import type { TableDesign } from './table-design.ts';
import { tableFromCsv } from './table-from-csv.ts';

/** Starts a new table from a CSV file: takes the names of its fields from the file and guesses their types. The rows are imported later. */
export function CsvStart({ onTable }: { onTable: (part: Pick<TableDesign, 'name' | 'fields'>) => void }) {
  const [result, setResult] = useState<{ words: string; isWrong: boolean } | null>(null);
  const open = async (file: File | undefined) => {
    setResult(null);
    if (!file) return;
    if (file.size > MAX_BYTES) return setResult({ words: 'The file is larger than 6 MB.', isWrong: true });
    try {
      const content = parseCsv(await file.text());
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
      <label>
        Start from a CSV file{' '}
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
        />
      </label>
      {result && (
        <p role={result.isWrong ? 'alert' : 'status'} className={result.isWrong ? styles.wrong : 'soft'}>
          {result.words}
        </p>
      )}
    </div>
  );
}
