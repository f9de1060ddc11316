import type { Field } from '../../../../../contract/specification-entities.ts';
import type { CsvFile } from '../../../../rows/csv.ts';
import { conversionWords, notationOf } from './convert.ts';
import styles from './import-page.module.css';

/** Chooses the field of each column of a file. */
export function ColumnTable({
  file,
  fields,
  chosen,
  onChoose,
}: {
  file: CsvFile;
  fields: readonly Field[];
  /** The field that each column of the file fills; null for a column that is not imported. */
  chosen: readonly (string | null)[];
  onChoose: (chosen: (string | null)[]) => void;
}) {
  const words = (field: Field, place: number) =>
    conversionWords(field, notationOf(file.records.map(({ values }) => values[place] ?? null)));
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label="Columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">First value</th>
            <th scope="col">Field</th>
            <th scope="col">Conversion</th>
          </tr>
        </thead>
        <tbody>
          {file.header.map((column, place) => {
            const field = fields.find(({ name }) => name === chosen[place]);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: Columns of a file may share a name.
              <tr key={place}>
                <th scope="row">{column || `Column ${place + 1}`}</th>
                <td className="cut">{file.records[0]?.values[place] ?? ''}</td>
                <td>
                  <select
                    className={styles.select}
                    aria-label={`Field of ${column || `column ${place + 1}`}`}
                    value={chosen[place] ?? ''}
                    onChange={({ currentTarget: { value } }) =>
                      onChoose(
                        chosen.map((name, other) => (other === place ? value || null : name === value ? null : name)),
                      )
                    }
                  >
                    <option value="">Leave out</option>
                    {fields.map(({ name }) => (
                      <option key={name}>{name}</option>
                    ))}
                  </select>
                </td>
                <td className="soft">
                  {field ? (field.references ? 'by key or by label' : words(field, place)) : 'left out'}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
