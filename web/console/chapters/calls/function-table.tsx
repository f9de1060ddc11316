import { Link } from '@tanstack/react-router';
import type { FunctionEntry } from '../../../../contract/specification.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Table } from '../../../ui/table.tsx';
import { CutLine } from '../list/cut-line.tsx';
import { usePortion } from '../list/use-portion.ts';
import styles from '../list/words-table.module.css';

const portion = 100;

/** Every function of the app, whether calls reach it or triggers and policies do. */
export function FunctionTable({ appRef, functions }: { appRef: string; functions: readonly FunctionEntry[] }) {
  const { shown, more } = usePortion(functions, portion, -1);
  return (
    <Figure number="Table 7.2" caption="What functions do">
      <div className={styles.room}>
        <Table label="Functions">
          <thead>
            <tr>
              <th>Function</th>
              <th className={styles.words}>What it does</th>
              <th className={styles.wide}>Answers</th>
              <th className={styles.wide}>Runs as</th>
              <th className={styles.wide}>Changes rows</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <tr key={one.id}>
                <td className={styles.name} title={one.id}>
                  <Link to="/app/$ref/sql" params={{ ref: appRef }} search={{ sql: definitionOf(one) }}>
                    <code>{one.id.replace(/^public\./, '')}</code>
                  </Link>
                </td>
                <td className={styles.words} title={wordsOf(one)}>
                  {wordsOf(one)}
                </td>
                <td className={styles.wide}>{one.returns === '' ? '–' : <code>{one.returns}</code>}</td>
                <td className={styles.wide}>{one.runs_as === null ? 'whoever calls' : <code>{one.runs_as}</code>}</td>
                <td className={styles.wide}>{one.volatility === 'volatile' ? 'it may' : 'no'}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      <CutLine shown={shown.length} all={functions.length} what="functions" onMore={more} />
    </Figure>
  );
}

function wordsOf({ comment, triggers, kind, language }: FunctionEntry): string {
  const runs = (triggers ?? []).map(({ on, enabled }) => `Runs on ${on}${enabled ? '' : ', switched off'}.`);
  return [comment ?? `A ${kind} in ${language}.`, ...runs].join(' ');
}

/** What shows the code in the editor; an aggregate has none. */
const definitionOf = ({ id, kind }: FunctionEntry): string => {
  const text = `'${id.replaceAll("'", "''")}'`;
  return kind === 'aggregate'
    ? `select * from pg_aggregate where aggfnoid = ${text}::regprocedure;`
    : `select pg_get_functiondef(${text}::regprocedure);`;
};
