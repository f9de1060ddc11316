import { Link } from '@tanstack/react-router';
import { toCsv } from '../../../../rows/csv.ts';
import { download } from '../../../../rows/download.ts';
import { Button } from '../../../../ui/button.tsx';
import { useChapter } from '../../../chapters/use-chapter.ts';
import type { RefusedRow } from '../../../data/rows/import-rows.ts';
import type { Table } from '../../../data/rows/rest-call.ts';
import { counted } from '../../../format/format.ts';
import { violatedRule } from '../editor/field-rule.tsx';
import { type Fix, refusedGroups } from './fixes.ts';
import styles from './import-page.module.css';

/** Lists the rows of a file that break a rule, with their line in the file and the rule in the app's own words. */
export function RefusedTable({
  table,
  refused,
  columns,
  busy,
  onFix,
}: {
  table: Table;
  refused: readonly RefusedRow[];
  columns: readonly string[];
  busy: boolean;
  onFix: (fix: Fix, group: readonly RefusedRow[]) => void;
}) {
  const { chapter } = useChapter(table.ref, 'rules');
  const rules = chapter?.rules.filter(({ entity }) => entity === table.entity.id) ?? [];
  const save = () =>
    download(
      `${table.entity.name}-refused.csv`,
      'text/csv',
      toCsv({
        columns: [{ name: 'line' }, ...columns.map((name) => ({ name })), { name: 'reason' }],
        rows: refused.map(({ row, error }) => [
          String(row.line),
          ...columns.map((name) => row.values[name] ?? null),
          violatedRule(error, rules)?.words ?? error.message,
        ]),
      }),
    );
  return (
    <>
      <div className={styles.head}>
        <b>{counted(refused.length, 'row violates', 'rows violate')} a rule</b>
        <span className="soft">checked by PostgreSQL in transactions that were rolled back</span>
        <Button small kind="quiet" onClick={save}>
          Download {counted(refused.length, 'row')}
        </Button>
      </div>
      <ul className={styles.fixes} aria-label="Fixes">
        {refusedGroups(table.entity, refused, rules).map(({ key, words, rows, fixes }) => (
          <li key={key}>
            <span>
              {words} <span className="soft">{counted(rows.length, 'row')}</span>
            </span>
            {fixes.map((fix) => (
              <Button
                key={fix.label}
                small
                offBecause={busy ? 'The rows are being checked.' : null}
                onClick={() => onFix(fix, rows)}
              >
                {fix.label}
              </Button>
            ))}
          </li>
        ))}
      </ul>
      <div className={styles.scroll}>
        <table className={styles.table} aria-label="Rows that violate a rule">
          <thead>
            <tr>
              <th scope="col" className="num">
                Line
              </th>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">Rule</th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, 100).map(({ row, error }) => {
              const rule = violatedRule(error, rules);
              return (
                <tr key={row.line}>
                  <td className="num">{row.line}</td>
                  {columns.map((name) => (
                    <td key={name} className={rule?.fields.includes(name) ? styles.wrong : undefined}>
                      {row.values[name] ?? <i className="soft">empty</i>}
                    </td>
                  ))}
                  <td>
                    {rule ? rule.words : error.message}{' '}
                    {rule && (
                      <Link to="/app/$ref/rules" params={{ ref: table.ref }} search={{ rule: rule.id }}>
                        Chapter 5
                      </Link>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {refused.length > 100 && <p className="soft">100 of {counted(refused.length, 'row')} shown.</p>}
    </>
  );
}
