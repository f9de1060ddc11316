import { Menu } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import type { SqlResult } from '../../../../../contract/admin.ts';
import { toCsv } from '../../../../rows/csv.ts';
import { download } from '../../../../rows/download.ts';
import { Button } from '../../../../ui/button.tsx';
import { Code } from '../../../../ui/code.tsx';
import { Grid } from '../../../../ui/grid/grid.tsx';
import type { GridColumn } from '../../../../ui/grid/grid-column.ts';
import type { Position } from '../../../../ui/grid/move.ts';
import { pushClass, TableFooter, wideOnlyClass } from '../../../../ui/workbench.tsx';
import { count } from '../../../format/format.ts';
import { isCode, isFigure, kindOfType, shortType } from '../../../values/field-kind.ts';
import { cellText } from '../../../values/show-value.ts';
import { Null } from '../../data/value.tsx';
import { toJson, toTabs } from './export.ts';
import styles from './results.module.css';

const thisYear = new Date().getFullYear();
const sampled = 60;
const numberColumn: GridColumn = { id: '#', name: '#', width: 56, numeric: true };

/** Returns a column whose width fits its head and the longest of its first values, within limits. */
function columnOf({ columns, rows }: SqlResult, index: number): GridColumn {
  const { name, type } = columns[index] ?? { name: '', type: 'text' };
  const kind = kindOfType(type);
  const longest = rows
    .slice(0, sampled)
    .reduce((max, row) => Math.max(max, row[index] == null ? 4 : cellText(row[index], kind, thisYear).length), 0);
  const head = name.length * 7 + shortType(type).length * 7 + 40;
  return {
    id: `${index} ${name}`,
    name,
    type: shortType(type),
    width: Math.round(Math.max(72, Math.min(360, Math.max(head, longest * 8 + 28)))),
    numeric: isFigure(kind),
  };
}

/**
 * Shows the rows of one statement and the duration of the run. Enter shows a complete value; Ctrl or Cmd and C copies
 * it.
 */
export function ResultView({ result, took }: { result: SqlResult; took: string }) {
  const [position, setPosition] = useState<Position>({ row: 0, column: 0 });
  const [open, setOpen] = useState<Position | null>(null);
  const columns = useMemo(() => [numberColumn, ...result.columns.map((_, index) => columnOf(result, index))], [result]);
  const cell = useCallback(
    (row: number, column: number) => {
      if (column === 0) return <span className="soft">{count(row + 1)}</span>;
      const value = result.rows[row]?.[column - 1];
      if (value === null || value === undefined) return <Null />;
      if (value === '') return <span className={styles.empty}>empty</span>;
      const kind = kindOfType(result.columns[column - 1]?.type ?? 'text');
      const text = cellText(value, kind, thisYear);
      return isCode(kind) ? <code>{text}</code> : text;
    },
    [result],
  );
  const valueAt = ({ row, column }: Position) => (column === 0 ? null : (result.rows[row]?.[column - 1] ?? null));
  const opened = open && valueAt(open);
  if (result.columns.length === 0) return <Done result={result} took={took} />;
  return (
    <>
      <Grid
        label={`Result of ${result.command}`}
        columns={columns}
        rows={result.rows.length}
        totalRows={result.row_count}
        rowId={String}
        cell={cell}
        position={position}
        onPosition={(to) => {
          setPosition(to);
          setOpen(null);
        }}
        onOpen={(at) => setOpen(valueAt(at) === null ? null : at)}
        onCopy={(at) => {
          const value = valueAt(at);
          if (value !== null) void navigator.clipboard.writeText(value);
        }}
        under={
          open && opened !== null
            ? {
                at: open,
                failed: false,
                content: (
                  <div className={styles.whole}>
                    <Code code={opened} language={isJson(result, open.column) ? 'json' : 'text'} label="the value" />
                  </div>
                ),
              }
            : null
        }
        instead={result.rows.length === 0 ? <p className={styles.none}>No rows.</p> : null}
      />
      <ResultFoot result={result} took={took} />
    </>
  );
}

const isJson = ({ columns }: SqlResult, column: number): boolean =>
  kindOfType(columns[column - 1]?.type ?? 'text') === 'json';

function Done({ result, took }: { result: SqlResult; took: string }) {
  return (
    <>
      <p className={styles.none}>
        <code>{result.command}</code>
      </p>
      <TableFooter>
        <b>Done</b>
        <span className="soft">{took}</span>
      </TableFooter>
    </>
  );
}

function ResultFoot({ result, took }: { result: SqlResult; took: string }) {
  const { rows, row_count, truncated } = result;
  const copy = (text: string) => void navigator.clipboard.writeText(text);
  return (
    <TableFooter>
      <b>
        {count(rows.length)} of {count(row_count)} rows{truncated ? ' shown' : ''}
      </b>
      <span className="soft">
        {took}
        {truncated && ', the others are cut: add a limit, or count'}
      </span>
      <span className={pushClass} />
      <Menu position="top-end">
        <Menu.Target>
          <Button small kind="quiet" icon={IconCopy}>
            Copy
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy(toTabs(result))}>for a spreadsheet</Menu.Item>
          <Menu.Item onClick={() => copy(toCsv(result))}>as CSV</Menu.Item>
          <Menu.Item onClick={() => copy(toJson(result))}>as JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <span className={wideOnlyClass}>
        <Button
          small
          kind="quiet"
          icon={IconDownload}
          onClick={() => download('result.csv', 'text/csv', toCsv(result))}
        >
          CSV
        </Button>
        <Button
          small
          kind="quiet"
          icon={IconDownload}
          onClick={() => download('result.json', 'application/json', toJson(result))}
        >
          JSON
        </Button>
      </span>
    </TableFooter>
  );
}
