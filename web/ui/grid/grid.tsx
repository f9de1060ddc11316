import { useMediaQuery } from '@mantine/hooks';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
} from 'react';
import styles from './grid.module.css';
import type { GridColumn, Picking } from './grid-column.ts';
import { GridHead } from './grid-head.tsx';
import { cellId, Gap, GridRow } from './grid-row.tsx';
import { move, type Position } from './move.ts';

export interface GridHandle {
  focus: () => void;
}

export interface GridProps {
  label: string;
  columns: readonly GridColumn[];
  rows: number;
  /** Number of all rows; −1 if it is unknown. */
  totalRows: number;
  rowId: (row: number) => string;
  cell: (row: number, column: number) => ReactNode;
  position: Position;
  onPosition: (to: Position) => void;
  /** Called when Enter is pressed on a cell or a cell is double-clicked. */
  onOpen?: (at: Position) => void;
  /** Called when a cell is clicked. */
  onPress?: (at: Position) => void;
  /** Called when Enter is pressed on the head of a column or the head is clicked. */
  onHead?: (column: number) => void;
  /** Called when a character is typed on a cell. Returns true if it opened an editor. */
  onType?: (at: Position, typed: string) => boolean;
  /** Called when Space is pressed on a cell. Returns true if it changed the value; otherwise Space selects the row. */
  onSpace?: (at: Position) => boolean;
  /** Called when Ctrl or Cmd and C are pressed on a cell. */
  onCopy?: (at: Position) => void;
  /** Called when the reader has scrolled near the last row. */
  onEnd?: () => void;
  picking?: Picking;
  /** Index of the row whose details the panel shows. */
  selectedRow?: number | null;
  /** Element that floats below a cell, for example the editor of the cell. */
  under?: { at: Position; failed: boolean; content: ReactNode } | null;
  /** Content that is shown instead of rows: an empty state or placeholders. */
  instead?: ReactNode;
  ref?: Ref<GridHandle>;
}

const pickWidth = 36;
const headHeight = 33;
/** Number of rows before the last row that count as the end. */
const nearEnd = 20;

/** Properties that make a table a grid for screen readers. Rows and cells need no roles, because table elements have them. */
const widget = (active: string) => ({ role: 'grid', tabIndex: 0, 'aria-activedescendant': active }) as const;

/**
 * Grid of rows that draws only the visible rows. Its head and its first column are sticky. The grid is a single tab
 * stop. Arrows, Home, End and the Page keys move between cells, including those of the head (WAI-ARIA, "Grid", with
 * aria-activedescendant).
 */
export function Grid(props: GridProps) {
  const { label, columns, totalRows, position, onPosition, onOpen, onPress, onHead, picking, under, instead } = props;
  const id = useId();
  const { scroller, table, virtual, rowHeight, picks, lefts, onKeyDown } = useGrid(props);

  useImperativeHandle(props.ref, () => ({ focus: () => table.current?.focus({ preventScroll: true }) }), [table]);

  const onClick = (event: MouseEvent) => {
    const at = pointed(event);
    if (!at) return;
    onPosition(at);
    onPress?.(at);
  };
  const width = columns.reduce((sum, column) => sum + column.width, picks ? pickWidth : 0);

  return (
    <div className={styles.scroller} ref={scroller}>
      <table
        {...widget(cellId(id, position))}
        ref={table}
        className={styles.grid}
        style={{ minWidth: width }}
        aria-label={label}
        aria-rowcount={totalRows < 0 ? -1 : totalRows + 1}
        aria-colcount={columns.length + (picks ? 1 : 0)}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onDoubleClick={(event) => {
          const at = pointed(event);
          if (at) onOpen?.(at);
        }}
      >
        <colgroup>
          {picks && <col style={{ width: pickWidth }} />}
          {columns.map((column) => (
            <col key={column.id} style={{ width: column.width }} />
          ))}
          <col />
        </colgroup>
        <GridHead
          id={id}
          columns={columns}
          active={position.row === -1 ? position.column : null}
          picking={picks ? picking : undefined}
          onHead={onHead}
        />
        <tbody>
          <Rows {...props} {...{ id, virtual, rowHeight, picks }} />
        </tbody>
      </table>
      {instead}
      {under && (
        <UnderCell left={lefts[under.at.column] ?? 0} top={headHeight + under.at.row * rowHeight}>
          {under.content}
        </UnderCell>
      )}
    </div>
  );
}

/** Returns the elements and sizes of a grid, and the function that handles its keys. */
function useGrid(props: GridProps) {
  const { columns, rows, position, onPosition, onEnd, picking } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const narrow = useMediaQuery('(max-width: 760px)') ?? false;
  const rowHeight = narrow ? 40 : 32;
  const picks = picking !== undefined && !narrow;
  const virtual = useVirtualRows(scroller, rows, rowHeight, position);
  const isNearEnd = (virtual.scrollOffset ?? 0) > 0 && (virtual.range?.endIndex ?? 0) >= rows - nearEnd;
  // biome-ignore lint/correctness/useExhaustiveDependencies: With more rows the end is another one; a new function is no reason.
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, rows]);

  const lefts = columns.map((_, index) =>
    columns.slice(0, index).reduce((sum, { width }) => sum + width, picks ? pickWidth : 0),
  );
  const reveal = (to: Position) => {
    if (to.row >= 0) virtual.scrollToIndex(to.row, { align: 'auto' });
    if (scroller.current) scrollToColumn(scroller.current, to.column, lefts, columns);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== table.current || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const to = move(position, event.key, event.ctrlKey || event.metaKey, { rows, columns: columns.length, page });
    if (to) {
      onPosition(to);
      reveal(to);
    } else if (!actOn(event, position, props)) return;
    event.preventDefault();
  };
  return { scroller, table, virtual, rowHeight, picks, lefts, onKeyDown };
}

/** The visible rows, and empty space in place of all other rows. */
function Rows({
  id,
  virtual,
  rowHeight,
  picks,
  columns,
  rowId,
  cell,
  position,
  picking,
  selectedRow = null,
  under,
}: GridProps & Pick<ReturnType<typeof useGrid>, 'virtual' | 'rowHeight' | 'picks'> & { id: string }) {
  const items = virtual.getVirtualItems();
  const after = items.length === 0 ? 0 : virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const picked = picks ? picking : undefined;
  return (
    <>
      {items.map((item, index) => (
        <GridRow
          key={rowId(item.index)}
          id={id}
          gap={item.start - (items[index - 1]?.end ?? 0)}
          row={item.index}
          height={rowHeight}
          columns={columns}
          cell={cell}
          active={position.row === item.index ? position.column : null}
          ringed={under?.at.row === item.index ? under.at.column : null}
          failed={under?.failed ?? false}
          selected={selectedRow === item.index}
          picked={picked?.picked(item.index)}
          pickName={picked?.name(item.index) ?? ''}
          onPick={picked?.toggle}
        />
      ))}
      {after > 0 && <Gap height={after} />}
    </>
  );
}

/** Chooses the rows to draw: the visible ones, and the row of the focused cell, which stays drawn while it is out of view. */
function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  rows: number,
  rowHeight: number,
  position: Position,
) {
  return useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // The row height is part of the key, so that sizes which were measured with another height are not used.
    getItemKey: useCallback((index: number) => `${rowHeight} ${index}`, [rowHeight]),
    overscan: 10,
    scrollPaddingStart: headHeight,
    useFlushSync: false,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      const { row } = position;
      return row < 0 || row >= rows || indexes.includes(row) ? indexes : [...indexes, row].sort((a, b) => a - b);
    },
  });
}

/** Scrolls sideways until a column is visible beside the sticky first column. */
function scrollToColumn(
  box: HTMLElement,
  column: number,
  lefts: readonly number[],
  columns: readonly GridColumn[],
): void {
  const left = lefts[column] ?? 0;
  const right = left + (columns[column]?.width ?? 0);
  const stuck = column === 0 ? 0 : (columns[0]?.width ?? 0);
  if (column === 0) box.scrollLeft = 0;
  else if (left - stuck < box.scrollLeft) box.scrollLeft = left - stuck;
  else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
}

type Actions = Pick<GridProps, 'onOpen' | 'onHead' | 'onType' | 'onSpace' | 'onCopy' | 'picking'>;

/** Runs the action of a key that does not move between cells. Returns false for a key that the grid leaves to the browser. */
function actOn(
  event: KeyboardEvent,
  position: Position,
  { onOpen, onHead, onType, onSpace, onCopy, picking }: Actions,
): boolean {
  const { key } = event;
  const withMod = event.ctrlKey || event.metaKey;
  const isInRow = position.row >= 0;
  if (key === 'Enter' && !withMod) {
    if (isInRow) onOpen?.(position);
    else onHead?.(position.column);
    return true;
  }
  if (key === ' ') {
    if (isInRow && onSpace?.(position)) return true;
    if (isInRow) picking?.toggle(position.row);
    else picking?.toggleAll();
    return picking !== undefined;
  }
  if (key === 'a' && withMod && picking) {
    picking.toggleAll();
    return true;
  }
  if (key === 'c' && withMod && onCopy && getSelection()?.isCollapsed !== false) {
    onCopy(position);
    return true;
  }
  return key.length === 1 && !withMod && isInRow && onType?.(position, key) === true;
}

/** Returns the cell that a pointer event is on. Null for a head, a checkbox, or an element that floats below a cell. */
function pointed(event: MouseEvent): Position | null {
  const found = event.target instanceof Element ? event.target.closest<HTMLElement>('td[data-column]') : null;
  return found ? { row: Number(found.dataset.row), column: Number(found.dataset.column) } : null;
}

/** Element that floats below a cell and scrolls together with it. When it opens, it is scrolled into view. */
function UnderCell({ left, top, children }: { left: number; top: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  return (
    <div ref={box} className={styles.under} style={{ left, top }}>
      {children}
    </div>
  );
}
