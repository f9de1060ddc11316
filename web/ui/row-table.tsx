import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import styles from './row-table.module.css';
import { Bar } from './table.tsx';

export interface RowColumn<R> {
  name: string;
  /** In px; the last column takes what is left. */
  width: number;
  /** No head in sight, only for screen readers. */
  bare?: boolean;
  cell: (row: R) => ReactNode;
}

const rowHeight = { usual: 32, phone: 40 };
const phone = window.matchMedia('(max-width: 760px)');

/**
 * A long table of which only the rows in sight are in the page. One row is in the tab order: arrows, Page, Home and End
 * move, Enter opens. The first column stays when it is scrolled sideways.
 */
export function RowTable<R extends { readonly id: string }>({
  label,
  columns,
  rows,
  total,
  selected,
  fresh,
  stale = false,
  onOpen,
}: {
  label: string;
  columns: readonly RowColumn<R>[];
  /** Missing while they are being fetched. */
  rows: readonly R[] | undefined;
  /** How many there are, in sight or not; -1 where it is not known. */
  total: number;
  /** Id of the row that the panel tells of. */
  selected: string | null;
  /** Ids of rows that have just come: their ground fades. */
  fresh?: ReadonlySet<string>;
  stale?: boolean;
  onOpen: (row: R) => void;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState(0);
  const active = Math.min(reached, (rows?.length ?? 0) - 1);
  const toFocus = useRef<number | null>(null);

  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroll.current,
    estimateSize: () => (phone.matches ? rowHeight.phone : rowHeight.usual),
    // The head lies over the top of what scrolls.
    scrollPaddingStart: 32,
    paddingStart: 0,
    overscan: 12,
    // The row in the tab order stays in the page, so that the focus is not lost by scrolling.
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      if (active < 0 || inSight.includes(active)) return inSight;
      return [...inSight, active].toSorted((a, b) => a - b);
    },
  });
  const items = virtual.getVirtualItems();

  useEffect(() => {
    if (toFocus.current === null) return;
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${toFocus.current}"]`);
    toFocus.current = null;
    row?.focus({ preventScroll: true });
  });

  const move = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget.closest('tr') || !rows) return;
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowHeight.usual) - 2);
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, to));
    toFocus.current = next;
    virtual.scrollToIndex(next);
    setReached(next);
  };

  let end = 0;
  return (
    <div className={styles.scroll} ref={scroll}>
      <table
        className={styles.table}
        role="grid"
        aria-label={label}
        aria-rowcount={total < 0 ? -1 : total + 1}
        aria-busy={rows === undefined}
      >
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, bare }) => (
              <th key={name} scope="col">
                {bare ? <span className="sr">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {!rows && <Loading columns={columns} />}
          {rows &&
            items.flatMap(({ index, start, end: itsEnd }) => {
              const row = rows[index];
              if (!row) return [];
              const before = start - end;
              end = itsEnd;
              const element = (
                <tr
                  key={row.id}
                  data-index={index}
                  aria-rowindex={index + 2}
                  aria-selected={row.id === selected}
                  tabIndex={index === active ? 0 : -1}
                  className={classNames(styles.row, stale && styles.stale, fresh?.has(row.id) && styles.fresh)}
                  onClick={() => {
                    setReached(index);
                    onOpen(row);
                  }}
                  onFocus={() => setReached(index)}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
                    else move(event);
                  }}
                >
                  {columns.map(({ name, cell }) => (
                    <td key={name}>{cell(row)}</td>
                  ))}
                </tr>
              );
              return before > 0
                ? [<Space key={`before ${row.id}`} height={before} columns={columns.length} />, element]
                : [element];
            })}
          {rows && virtual.getTotalSize() > end && (
            <Space height={virtual.getTotalSize() - end} columns={columns.length} />
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Holds the place of rows that are out of sight. */
function Space({ height, columns }: { height: number; columns: number }) {
  return (
    <tr className={styles.space} aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

function Loading<R>({ columns }: { columns: readonly RowColumn<R>[] }) {
  const places = Array.from({ length: 12 }, (_, place) => place);
  return places.map((place) => (
    <tr key={place}>
      {columns.map(({ name, width }) => (
        <td key={name}>
          <Bar width={Math.max(16, width * (0.4 + ((place * 7) % 4) / 10) - 24)} />
        </td>
      ))}
    </tr>
  ));
}
