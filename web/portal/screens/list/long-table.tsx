import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { PAGE_ROWS } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import {
  beginsGroup,
  GroupLine,
  LoadingLine,
  type RowLayout,
  RowLine,
  rowKey,
  TableHead,
  useRowLayout,
} from '../rows/row-line.tsx';
import styles from '../rows/rows-table.module.css';
import { useFittingColumns } from '../rows/use-fitting-columns.ts';
import type { RowActions } from '../shared/actions.tsx';
import type { Order } from './list-search.ts';
import { HEAD_HEIGHT, NewAbove, scrollerOf, topOf, useNewRows } from './new-rows.tsx';
import { onRowKey, useRowKeys } from './use-row-keys.ts';
import type { RowWindow } from './use-row-window.ts';
import type { Selection } from './use-selection.ts';

/**
 * Height of a row in px before it is measured: a line of a table, or two lines on a phone. It is that of the styles,
 * because a row with another height makes the places of all later rows be computed again.
 */
const heights = { wide: 44, phone: 64 } as const;

/** Minimum change in px of the height above the table to which the table reacts. */
const MARGIN_STEP = 8;

/** Maximum number of rows for which the scrollbar has room, because browsers limit the height of a page. */
const SCROLLED_ROWS = 300_000;

/** Maximum number of rows that are all drawn. The browser's own search on the page then finds their texts. */
const DRAWN_ROWS = 2 * PAGE_ROWS;

interface LongTableProps {
  label: string;
  entity: PortalEntity;
  columns: readonly PortalField[];
  list: RowWindow;
  /** The field whose values group the rows; null without groups. The rows must be in the order of this field. */
  group: string | null;
  /** The query of the list as text. When it changes, the table scrolls to its first row. */
  query: string;
  order: Order;
  onOrder: (order: Order) => void;
  /** Called with the numbers of the first and the last page of which rows are drawn. */
  onVisible: (from: number, to: number) => void;
  /** The selection of rows; null if there is no action on several rows. */
  selection: Selection | null;
  rowActions: RowActions | null;
}

/** Table of a list of any length. Only the visible rows are read and drawn, but the scrollbar has the size for all rows. */
export function LongTable(props: LongTableProps) {
  const { label, entity, columns, list, group, query, order, onOrder, onVisible, selection, rowActions } = props;
  const table = useRef<HTMLTableElement>(null);
  const layout = useFittingColumns(useRowLayout(entity, columns, group, rowActions), table);
  const { total, isLoading, rowAt } = list;
  const { virtual, margin } = useVirtualRows(table, total);
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  useVisiblePages([first?.index, last?.index], onVisible);
  useScrollToFirst(table, query);
  const { arrived, above } = useNewRows(table, { entity, list, query }, items, virtual);
  useRowKeys(table, selection !== null);
  const drawn = new Set<string>();
  const width = layout.shown.length + (selection ? 1 : 0) + (rowActions ? 1 : 0);
  return (
    <>
      <NewAbove
        count={above}
        onShow={() => scrollerOf(table.current)?.scrollTo({ top: topOf(table.current) - HEAD_HEIGHT })}
      />
      <table
        ref={table}
        onKeyDown={onRowKey}
        className={styles.rows}
        aria-label={label}
        aria-busy={isLoading}
        aria-rowcount={total + 1}
        data-selects={(selection?.isOn ?? false) || undefined}
      >
        <TableHead
          layout={layout}
          order={order}
          onOrder={onOrder}
          select={
            selection
              ? {
                  isChecked: list.rows.length > 0 && list.rows.every(selection.has),
                  onSelect: (isSelected) => selection.setAll(isSelected ? list.rows : []),
                }
              : undefined
          }
        />
        {isLoading && (
          <tbody>
            {[1, 2, 3, 4].map((place) => (
              <LoadingLine key={place} columns={width} />
            ))}
          </tbody>
        )}
        {first && first.start > margin && <Gap height={first.start - margin} />}
        {items.map(({ index }) => {
          const row = rowAt(index);
          const key = row && entity.key.length > 0 ? rowKey(entity, row) : null;
          // Two pages that were read one after the other may both contain a row.
          const isFirst = key !== null && !drawn.has(key);
          if (isFirst) drawn.add(key);
          return (
            <tbody key={isFirst ? key : index} data-index={index} ref={virtual.measureElement}>
              {row ? (
                <Lines
                  layout={layout}
                  row={row}
                  index={index}
                  before={index === 0 ? undefined : rowAt(index - 1)}
                  selection={selection}
                  isNew={key !== null && arrived.has(key)}
                />
              ) : (
                <LoadingLine columns={width} />
              )}
            </tbody>
          );
        })}
        {last && virtual.getTotalSize() > last.end - margin && (
          <Gap height={virtual.getTotalSize() - (last.end - margin)} />
        )}
      </table>
    </>
  );
}

/** Line of a row, and before the first row of a group the line of the group. */
function Lines({
  layout,
  row,
  index,
  before,
  selection,
  isNew,
}: {
  layout: RowLayout;
  row: Row;
  index: number;
  isNew: boolean;
  /** The row before; undefined for the first row and while the row before is being read. */
  before: Row | undefined;
  selection: Selection | null;
}) {
  return (
    <>
      {beginsGroup(layout, row, before) && <GroupLine layout={layout} row={row} />}
      <RowLine
        layout={layout}
        row={row}
        index={index}
        isNew={isNew}
        {...(selection && { isSelected: selection.has(row), onSelect: selection.set })}
      />
    </>
  );
}

/** Computes which rows of a table are drawn, and where. `margin` is the height in px above the table. */
function useVirtualRows(table: RefObject<HTMLTableElement | null>, total: number) {
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    // Runs after every drawing, because the forms and views above the table change their height without this component.
    const top = topOf(table.current);
    // A change of the margin makes the virtualizer compute the positions of all rows again, so small changes are ignored.
    setMargin((before) => (Math.abs(top - before) > MARGIN_STEP ? top : before));
  });
  const height = matchMedia('(max-width: 760px)').matches ? heights.phone : heights.wide;
  const virtual = useVirtualizer({
    count: Math.min(total, SCROLLED_ROWS),
    getScrollElement: () => scrollerOf(table.current),
    estimateSize: () => height,
    // A fraction of a pixel would make the places of all later rows be computed again.
    measureElement: (element) => Math.round(element.getBoundingClientRect().height),
    useFlushSync: false,
    overscan: total <= DRAWN_ROWS ? DRAWN_ROWS : 10,
    scrollMargin: margin,
  });
  return { virtual, margin };
}

/**
 * Calls `onVisible` when the drawn rows belong to other pages than before.
 * @param drawn Positions of the first and the last drawn row; undefined if no row is drawn.
 */
function useVisiblePages(
  drawn: readonly [number | undefined, number | undefined],
  onVisible: (from: number, to: number) => void,
): void {
  const visible = useEffectEvent(onVisible);
  const [from, to] = drawn.map((index) => Math.floor((index ?? 0) / PAGE_ROWS)) as [number, number];
  useEffect(() => {
    visible(from, to);
  }, [from, to]);
}

/** Scrolls a table to its first row when its query changes. */
function useScrollToFirst(table: RefObject<HTMLTableElement | null>, query: string): void {
  const before = useRef(query);
  useEffect(() => {
    if (before.current === query) return;
    before.current = query;
    const [scroller, top] = [scrollerOf(table.current), topOf(table.current)];
    if (scroller && scroller.scrollTop > top) scroller.scrollTop = top;
  }, [query, table]);
}

/** Empty space in place of the rows that are not drawn. */
const Gap = ({ height }: { height: number }) => (
  <tbody aria-hidden="true">
    <tr className={styles.gap} style={{ height }}>
      <td />
    </tr>
  </tbody>
);
