import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { cellCondition } from '../../../../contract/cell-condition.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { cellKey } from '../../chapters/roles/matrix.ts';
import { count, counted } from '../../format/format.ts';
import { ApiFailure, failureFacts } from '../../queries/api-failure.ts';
import type { Filter } from '../../queries/rows/filter.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { rowCount } from '../../queries/rows/row-count.ts';
import { specification } from '../../queries/specification.ts';
import styles from './data.module.css';

/** Shown in place of rows: placeholders, the reason why there are no rows, or the error. */
export function TablePlaceholder({
  table,
  where,
  error,
  isPending,
  onRetry,
  onClear,
  onInsert,
  onImport,
}: {
  table: Table;
  where: readonly Filter[];
  error: Error | null;
  isPending: boolean;
  onRetry: () => void;
  onClear: () => void;
  /** Null if no row can be inserted. */
  onInsert: (() => void) | null;
  onImport: () => void;
}) {
  if (error) return <Refused table={table} where={where} error={error} onRetry={onRetry} onClear={onClear} />;
  if (isPending) return <LoadingSheet />;
  if (where.length > 0) return <NoneMatches table={table} where={where} onClear={onClear} />;
  const name = <code>{table.entity.name}</code>;
  return (
    <div className={styles.tablePlaceholderInstead}>
      {table.requestRole === 'service' ? (
        <Empty title="No rows yet">
          <p>{name} is empty.</p>
          {onInsert && (
            <p className="buttons">
              <Button onClick={onInsert}>Insert a row</Button>
              <Button onClick={onImport}>Import a CSV file</Button>
            </p>
          )}
        </Empty>
      ) : (
        <Empty
          title={table.requestRole === 'anon' ? 'Without a session, no rows are visible' : 'This member sees no rows'}
        >
          <Why table={table} />
        </Empty>
      )}
    </div>
  );
}

/** Shows the error of a refused read. */
function Refused({
  table,
  where,
  error,
  onRetry,
  onClear,
}: {
  table: Table;
  where: readonly Filter[];
  error: Error;
  onRetry: () => void;
  onClear: () => void;
}) {
  const denied = error instanceof ApiFailure && error.code === '42501';
  if (error instanceof ApiFailure && error.code === 'PGRST106') return <NotExposed table={table} />;
  if (denied && table.requestRole === 'service') return <NotGranted table={table} error={error} />;
  return (
    <div className={styles.tablePlaceholderInstead}>
      {denied ? (
        <Empty title={table.requestRole === 'anon' ? 'Without a session, this is refused' : 'This member is refused'}>
          <p>
            <code>{error.code}</code> {error.message}
          </p>
          <Why table={table} />
        </Empty>
      ) : (
        <>
          <Failure facts={failureFacts(error)} onRetry={onRetry} />
          {where.length > 0 && <Button onClick={onClear}>Clear filters</Button>}
        </>
      )}
    </div>
  );
}

const grantOf = ({ id, schema }: Entity): string => {
  const name = /^[a-z_][a-z0-9_]*$/.test(schema) ? schema : `"${schema.replaceAll('"', '""')}"`;
  return `grant usage on schema ${name} to service_role;\ngrant all on ${id} to service_role;`;
};

/** Explains that the app's API reaches only exposed schemas, even with the service key. */
function NotExposed({ table }: { table: Table }) {
  return (
    <div className={styles.tablePlaceholderInstead}>
      <Empty title="Not available over the API">
        <p>
          The schema <code>{table.entity.schema}</code> is not exposed. Only the service key sees its rows, and only
          here.
        </p>
      </Empty>
    </div>
  );
}

/** Explains that the service key bypasses policies but not grants, and that a new schema has no grants. */
function NotGranted({ table, error }: { table: Table; error: ApiFailure }) {
  const sql = grantOf(table.entity);
  return (
    <div className={styles.tablePlaceholderInstead}>
      <Empty title="The service key has no privileges here">
        <p>
          <code>{error.code}</code> {error.message}. The service key bypasses policies, but needs grants. Grant the
          privileges in your own schemas.
        </p>
        <Code code={sql} language="sql" label="the grants" />
        <p>
          <Link to="/app/$ref/sql" params={{ ref: table.ref }} search={{ sql }} className={buttonClass()}>
            Open it in SQL
          </Link>
        </p>
      </Empty>
    </div>
  );
}

/** Describes what no row meets: "contains “Ada”", "matches 2 filters", "contains “Ada” and matches 1 filter". */
function conditionsInWords(where: readonly Filter[]): string {
  const searched = where.find(({ operator }) => operator === 'anywhere');
  const filters = where.filter((filter) => filter !== searched).length;
  const words = [
    ...(searched ? [`contains “${searched.value}”`] : []),
    ...(filters > 0 ? [`matches ${counted(filters, 'filter')}`] : []),
  ];
  return words.join(' and ');
}

/** Empty state if the search or the filters exclude all rows. */
function NoneMatches({ table, where, onClear }: { table: Table; where: readonly Filter[]; onClear: () => void }) {
  const { data } = useQuery(rowCount(table, []));
  return (
    <div className={styles.tablePlaceholderInstead}>
      <Empty title="No matching rows">
        <p>
          No row of <code>{table.entity.name}</code> {conditionsInWords(where)}.
          {data !== undefined && ` ${count(data)} ${data === 1 ? 'row does' : 'rows do'} without.`}
        </p>
        <p>
          <Button onClick={onClear}>Show all rows</Button>
        </p>
      </Empty>
    </div>
  );
}

/** Shows the reason from chapter 6 why the caller may read no row. */
function Why({ table }: { table: Table }) {
  const { data } = useQuery(specification(table.ref));
  const role = table.requestRole === 'anon' ? 'anon' : 'authenticated';
  const found = data?.chapters.roles?.cells.find(
    (cell) => cell.role === role && cell.entity === table.entity.id && cell.operation === 'select',
  );
  const name = <code>{table.entity.name}</code>;
  const words: ReactNode = found ? (
    found.verdict === 'never' ? (
      <>
        <code>{role}</code> never reads {name}: {found.reason}.
      </>
    ) : (
      <>
        <code>{role}</code> reads {name} {found.verdict === 'when' ? cellCondition(found.words) : 'always'}; no row
        meets this condition.
      </>
    )
  ) : (
    <>
      {name} has no rows that the policies allow <code>{role}</code> to read.
    </>
  );
  return (
    <>
      <p>{words}</p>
      <p>
        <Link
          to="/app/$ref/roles"
          params={{ ref: table.ref }}
          search={{ cell: cellKey({ entity: table.entity.id, operation: 'select', role }) }}
        >
          Chapter 6, Roles
        </Link>
      </p>
    </>
  );
}

const places = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const barWidths = [62, 190, 54, 70, 110];

/** Placeholder lines for the rows. */
function LoadingSheet() {
  return (
    <div role="progressbar" aria-label="Loading rows">
      {places.map((place) => (
        <div key={place} className={styles.place}>
          {barWidths.map((width) => (
            <Skeleton key={width} width={width} />
          ))}
        </div>
      ))}
    </div>
  );
}
