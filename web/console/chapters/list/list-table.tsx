import { type KeyboardEvent, type ReactNode, type RefObject, useDeferredValue, useRef, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { groupClass, LoadingRows, rowClass, Table } from '../../../ui/table.tsx';
import styles from './list.module.css';
import { useScrollToSelected } from './list-hooks.ts';

export interface ListColumn<T> {
  name: string;
  /** `words` takes the remaining width and is truncated with "…"; `figure` is right-aligned. */
  look?: 'words' | 'figure';
  /** Share of the remaining width in percent, if several columns contain words. */
  share?: number;
  /** Priority of the column: `second` is hidden on a phone, `third` also beside a panel on a small screen. */
  rank?: 'second' | 'third';
  /** Width in px of the placeholder bar. */
  bar: number;
  cell: (item: T) => ReactNode;
}

interface Rows<T> {
  columns: readonly ListColumn<T>[];
  rows: readonly T[];
  /** Id of the row whose details the panel shows. */
  selected: string | null;
  /** Returns the accessible name of the row, if its first cell is not sufficient. */
  labelOf?: ((item: T) => string) | undefined;
  /** Returns the heading of a row. The rows of a group are consecutive. */
  groupOf?: ((item: T) => string) | undefined;
  onOpen: (id: string) => void;
}

/** Number of rows drawn before the first paint: more than fit into any window. */
const beginning = 40;

/**
 * Table with one row for each item. A click shows the details in the panel. One first cell is in the tab order; arrows,
 * Home and End move between rows.
 */
export function ListTable<T extends { readonly id: string }>({
  label,
  rows,
  stale,
  ...others
}: Omit<Rows<T>, 'rows'> & {
  label: string;
  /** Undefined until the rows are loaded. */
  rows: readonly T[] | undefined;
  stale: boolean;
}) {
  const { columns } = others;
  const room = useRef<HTMLDivElement>(null);
  return (
    <div className={styles.listTableRoom} ref={room}>
      <Table label={label} stale={stale}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)} style={widthOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        {rows ? (
          <Bodies room={room} rows={rows} {...others} />
        ) : (
          <tbody>
            <LoadingRows rows={8} widths={columns.map(({ bar }) => bar)} />
          </tbody>
        )}
      </Table>
    </div>
  );
}

/** Draws the first rows before the first paint. The rest follows without blocking the page. */
function Bodies<T extends { readonly id: string }>({
  room,
  columns,
  rows,
  selected,
  labelOf,
  groupOf,
  onOpen,
}: Rows<T> & {
  /** Element that contains the table. */
  room: RefObject<HTMLElement | null>;
}) {
  const drawn = useDeferredValue(rows, selected === null ? rows.slice(0, beginning) : rows);
  const [reached, setReached] = useState<string | null>(null);
  useScrollToSelected(room, 'tr[data-selected]', selected);
  const tabbed = [reached, selected, drawn[0]?.id].find((id) => drawn.some((row) => row.id === id));

  const move = (event: KeyboardEvent) => {
    const openers = [...(room.current?.querySelectorAll<HTMLElement>('button[data-open]') ?? [])];
    const at = openers.indexOf(event.currentTarget as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: openers.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    openers[to]?.focus();
  };

  const [first, ...others] = columns;
  return groupsOf(drawn, groupOf).map(({ heading, members }) => (
    <tbody key={heading}>
      {heading !== '' && (
        <tr className={groupClass}>
          <th colSpan={columns.length} scope="rowgroup">
            {heading}
          </th>
        </tr>
      )}
      {members.map((item) => (
        <tr
          key={item.id}
          className={rowClass}
          data-selected={item.id === selected || undefined}
          onClick={() => onOpen(item.id)}
        >
          {first && (
            <td className={classOf(first)} style={widthOf(first)}>
              <button
                type="button"
                className={styles.open}
                data-open
                aria-pressed={item.id === selected}
                aria-label={labelOf?.(item)}
                tabIndex={item.id === tabbed ? 0 : -1}
                onFocus={() => setReached(item.id)}
                onKeyDown={move}
              >
                {first.cell(item)}
              </button>
            </td>
          )}
          {others.map((column) => (
            <Cell key={column.name} column={column} item={item} />
          ))}
        </tr>
      ))}
    </tbody>
  ));
}

/** Content of a cell. */
function Cell<T>({ column, item }: { column: ListColumn<T>; item: T }) {
  const content = column.cell(item);
  return (
    <td
      className={classOf(column)}
      style={widthOf(column)}
      title={column.look === 'words' && typeof content === 'string' ? content : undefined}
    >
      {content}
    </td>
  );
}

const widthOf = <T,>({ share }: ListColumn<T>) => (share === undefined ? undefined : { width: `${share}%` });

const classOf = <T,>({ look, rank }: ListColumn<T>): string =>
  classNames(look === 'words' && styles.listTableWords, look === 'figure' && 'num', rank && styles[rank]);

/** Groups consecutive rows by heading. Returns one group without a heading if the rows have no groups. */
function groupsOf<T>(
  rows: readonly T[],
  groupOf: ((item: T) => string) | undefined,
): { heading: string; members: T[] }[] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const heading = groupOf?.(row) ?? '';
    const members = groups.get(heading);
    if (members) members.push(row);
    else groups.set(heading, [row]);
  }
  return [...groups].map(([heading, members]) => ({ heading, members }));
}
