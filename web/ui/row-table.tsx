import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { classNames } from './class-names.ts';
import styles from './row-table.module.css';
import { Skeleton } from './table.tsx';

export interface RowColumn<R> {
  name: string;
  /** Width of the column in px. The column with `grows` takes the remaining width; if there is none, the last column does. */
  width: number;
  grows?: boolean;
  /** True if the name in the head is only for screen readers. */
  bare?: boolean;
  /** True if the column is not shown on a phone. */
  wideOnly?: boolean;
  cell: (row: R) => ReactNode;
}

export interface RowTableProps<R> {
  label: string;
  columns: readonly RowColumn<R>[];
  /** Undefined until the rows are loaded. */
  rows: readonly R[] | undefined;
  /** Number of all rows; -1 if it is unknown. */
  total: number;
  /** Id of the row whose details the panel shows. */
  selected: string | null;
  /** Ids of rows that are new, and are therefore highlighted. */
  fresh?: ReadonlySet<string>;
  stale?: boolean;
  /** True if the text of long cells wraps, so that rows have different heights. */
  wraps?: boolean;
  /** Second line of a row on a phone, with the content of the columns that are not shown there. */
  phoneLine?: (row: R) => ReactNode;
  /** Returns true for a row that shows a failure of the server. */
  isBad?: (row: R) => boolean;
  onOpen: (row: R) => void;
  /** Called with true when the reader scrolls away from the first row, and with false when the reader is back. */
  onAway?: (isAway: boolean) => void;
}

const rowHeight = { usual: 32, phone: 40 };
const phone = window.matchMedia('(max-width: 760px)');

/**
 * Long table that draws only the visible rows. The first cell of a row opens the row, and stays visible when the table
 * is scrolled sideways. A single first cell is in the tab order; arrows, the Page keys, Home and End move between rows.
 */
export function RowTable<R extends { readonly id: string }>({
  label,
  columns: allColumns,
  rows,
  total,
  selected,
  fresh,
  stale = false,
  wraps: wrapsEverywhere = false,
  phoneLine,
  isBad,
  onOpen,
  onAway,
}: RowTableProps<R>) {
  const secondLine = phone.matches ? phoneLine : undefined;
  const wraps = wrapsEverywhere || secondLine !== undefined;
  const drawn = useVirtualRows(rows, selected);
  const columns = phone.matches ? allColumns.filter(({ wideOnly }) => !wideOnly) : allColumns;
  const growing = secondLine ? 0 : columns.findIndex(({ grows }) => grows);
  const widest = growing < 0 ? columns.length - 1 : growing;
  const template = columns
    .map(({ width }, place) => (place === widest ? `minmax(${width}px, 1fr)` : `${width}px`))
    .join(' ');
  const layout = { gridTemplateColumns: template };
  return (
    <div
      className={styles.scroll}
      ref={drawn.scroll}
      onScroll={onAway && (({ currentTarget }) => onAway(currentTarget.scrollTop > rowHeight.usual))}
    >
      <table
        className={classNames(styles.table, wraps && styles.wraps)}
        aria-label={label}
        aria-rowcount={total < 0 ? -1 : total + 1}
        aria-busy={rows === undefined}
      >
        <thead>
          <tr aria-rowindex={1} style={layout}>
            {columns.map(({ name, bare }) => (
              <th key={name} scope="col">
                {bare ? <span className="sr">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        {!rows && <Loading columns={columns} layout={layout} />}
        {rows && (
          <Rows {...{ columns, rows, layout, drawn, selected, fresh, stale, wraps, secondLine, isBad, onOpen }} />
        )}
      </table>
    </div>
  );
}

/** The rows of the table that are visible. */
function Rows<R extends { readonly id: string }>({
  columns: [first, ...others],
  rows,
  layout,
  drawn: { virtual, active, setReached, move },
  selected,
  fresh,
  stale,
  wraps,
  secondLine,
  isBad,
  onOpen,
}: Pick<RowTableProps<R>, 'columns' | 'selected' | 'stale' | 'wraps' | 'onOpen'> & {
  rows: readonly R[];
  layout: CSSProperties;
  drawn: ReturnType<typeof useVirtualRows>;
  fresh: ReadonlySet<string> | undefined;
  secondLine: ((row: R) => ReactNode) | undefined;
  isBad: ((row: R) => boolean) | undefined;
}) {
  return (
    <tbody style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, start }) => {
        const row = rows[index];
        return (
          row && (
            <tr
              key={row.id}
              ref={wraps ? virtual.measureElement : null}
              data-index={index}
              aria-rowindex={index + 2}
              data-selected={row.id === selected || undefined}
              className={classNames(
                styles.row,
                stale && styles.stale,
                fresh?.has(row.id) && styles.fresh,
                isBad?.(row) && styles.bad,
              )}
              style={{ ...layout, top: start }}
              onClick={() => {
                setReached(index);
                onOpen(row);
              }}
            >
              <td>
                <button
                  type="button"
                  className={styles.open}
                  aria-current={row.id === selected || undefined}
                  tabIndex={index === active ? 0 : -1}
                  onFocus={() => setReached(index)}
                  onKeyDown={move}
                >
                  {first?.cell(row)}
                </button>
                {secondLine && <span className={styles.second}>{secondLine(row)}</span>}
              </td>
              {others.map(({ name, cell }) => (
                <td key={name}>{cell(row)}</td>
              ))}
            </tr>
          )
        );
      })}
    </tbody>
  );
}

/** Chooses the visible rows of a table to draw, and handles the keys that move the row in the tab order. */
function useVirtualRows<R extends { readonly id: string }>(rows: readonly R[] | undefined, selected: string | null) {
  const scroll = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState(0);
  const active = Math.min(reached, (rows?.length ?? 0) - 1);
  const toFocus = useRef<number | null>(null);

  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroll.current,
    estimateSize: () => (phone.matches ? rowHeight.phone : rowHeight.usual),
    // The head covers the top of the scrolled area, so a row is scrolled to a position below the head.
    scrollPaddingStart: rowHeight.usual,
    overscan: 12,
    // The row in the tab order is always drawn, so that it does not lose the focus when it is scrolled out of view.
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      if (active < 0 || inSight.includes(active)) return inSight;
      return [...inSight, active].toSorted((a, b) => a - b);
    },
  });

  useEffect(() => {
    if (toFocus.current === null) return;
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${toFocus.current}"] button`);
    toFocus.current = null;
    row?.focus({ preventScroll: true });
  });

  // Scrolls to the row that the panel shows. The row may be out of view after J or K was pressed, or after the panel
  // has taken space below the table.
  const at = selected === null ? -1 : (rows?.findIndex(({ id }) => id === selected) ?? -1);
  const found = at >= 0;
  const shown = useEffectEvent(() => {
    virtual.scrollToIndex(at, { align: 'auto' });
    setReached(at);
  });
  useEffect(() => {
    if (selected !== null && found) shown();
  }, [selected, found]);

  const move = (event: KeyboardEvent) => {
    if (!rows) return;
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
  return { scroll, virtual, active, setReached, move };
}

/** Placeholders for the rows. */
function Loading<R>({ columns, layout }: { columns: readonly RowColumn<R>[]; layout: CSSProperties }) {
  const places = Array.from({ length: 12 }, (_, place) => place);
  return (
    <tbody>
      {places.map((place) => (
        <tr key={place} style={layout}>
          {columns.map(({ name, width }) => (
            <td key={name}>
              <Skeleton width={Math.max(16, width * (0.4 + ((place * 7) % 4) / 10) - 24)} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
