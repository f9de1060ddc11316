import { type KeyboardEvent, type ReactNode, type RefObject, useDeferredValue, useRef, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { groupClass, LoadingRows, rowClass, Table } from '../../../ui/table.tsx';
import { useScrollToSelected } from './list-hooks.ts';
import styles from './list-table.module.css';

export interface ListColumn<T> {
  name: string;
  /** `words` takes the room that is left and is cut with …; `figure` stands at the right. */
  look?: 'words' | 'figure';
  /** Of several columns of words: which part of the room is left to this one, in percent. */
  share?: number;
  /** Left out where the table has less room: `second` goes on a phone, `third` already beside a panel on a small screen. */
  rank?: 'second' | 'third';
  /** Width in px of the bar that holds its place. */
  bar: number;
  cell: (item: T) => ReactNode;
}

interface Rows<T> {
  columns: readonly ListColumn<T>[];
  rows: readonly T[];
  /** Id of the row that the panel tells of. */
  selected: string | null;
  /** What screen readers call the row, where its first cell does not say enough. */
  labelOf?: ((item: T) => string) | undefined;
  /** The heading that a row stands under; rows of a group come one after the other. */
  groupOf?: ((item: T) => string) | undefined;
  onOpen: (id: string) => void;
}

/** Rows that are drawn before the first paint: more than any window shows. */
const beginning = 40;

/**
 * A row an item; a press tells it in full in the panel. The first cell is what opens it: one of them is in the tab
 * order, and arrows, Home and End move on from there.
 */
export function ListTable<T extends { readonly id: string }>({
  label,
  rows,
  stale,
  ...others
}: Omit<Rows<T>, 'rows'> & {
  label: string;
  /** Missing while nothing is known. */
  rows: readonly T[] | undefined;
  stale: boolean;
}) {
  const { columns } = others;
  const room = useRef<HTMLDivElement>(null);
  return (
    <div className={styles.room} ref={room}>
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

/** The beginning is painted first; what is out of sight follows, and holds nothing up. */
function Bodies<T extends { readonly id: string }>({
  room,
  columns,
  rows,
  selected,
  labelOf,
  groupOf,
  onOpen,
}: Rows<T> & {
  /** What the table stands in. */
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
  classNames(look === 'words' && styles.words, look === 'figure' && 'num', rank && styles[rank]);

/** Rows in runs of one heading; one run without a heading where there are no groups. */
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
