import { IconArrowDown, IconArrowUp, IconFolder } from '@tabler/icons-react';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { fileKind } from '../../../../files/file-kind.ts';
import { classNames } from '../../../../ui/class-names.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { bytes } from '../../../format/format.ts';
import { TimeAgo } from '../../../format/time-ago.tsx';
import type { Entry, ListOrder } from '../../../queries/files/objects.ts';
import styles from './listing.module.css';
import { extendMarks, type Marks, toggleMark } from './marks.ts';
import { Thumbnail } from './thumbnail.tsx';

const phone = window.matchMedia('(max-width: 760px)');
const rowHeight = () => (phone.matches ? 56 : 44);

interface ObjectTableProps {
  appRef: string;
  bucket: string;
  /** The open folder, with a slash at its end. */
  path: string;
  /** Undefined until the first page is loaded. */
  entries: readonly Entry[] | undefined;
  /** Path of the object that the panel shows. */
  selected: string | undefined;
  marks: Marks;
  order: ListOrder;
  hasMore: boolean;
  isStale: boolean;
  onOpen: (entry: Entry) => void;
  onMarks: (marks: Marks) => void;
  onSort: (column: ListOrder['column']) => void;
  onDelete: () => void;
  onMore: () => void;
}

/** Returns the last part of a path. */
export const lastPart = (path: string): string => path.replace(/\/$/, '').split('/').at(-1) ?? '';

/**
 * Folders and objects of a folder. It draws only the visible rows, and asks for more when their end is near. One row is
 * in the tab order: arrows, the Page keys, Home and End move, Enter opens, Space marks, Shift extends the marks.
 */
export function ObjectTable(props: ObjectTableProps) {
  const { bucket, entries, marks, order, isStale, onMarks, onSort } = props;
  const rows = useRows(props);
  const isAllMarked = entries !== undefined && entries.length > 0 && marks.ids.size === entries.length;
  return (
    <div className={styles.scroll} ref={rows.scroll}>
      <table
        className={classNames(styles.table, isStale && styles.stale)}
        aria-label={`Files of ${bucket}`}
        aria-rowcount={entries === undefined || props.hasMore ? -1 : entries.length + 1}
        aria-busy={entries === undefined}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={styles.check}>
              <input
                type="checkbox"
                aria-label="Mark all loaded files"
                checked={isAllMarked}
                onChange={() =>
                  onMarks({
                    ids: new Set(isAllMarked ? [] : entries?.map(({ id }) => id)),
                    anchor: null,
                  })
                }
              />
            </th>
            <SortedHead name="Name" column="name" order={order} onSort={onSort} />
            <th scope="col" className="num">
              Size
            </th>
            <th scope="col" className={styles.wideOnly}>
              Kind
            </th>
            <SortedHead name="Changed" column="updated_at" order={order} onSort={onSort} />
          </tr>
        </thead>
        {entries ? (
          <tbody style={{ height: rows.virtual.getTotalSize() }}>
            {rows.virtual.getVirtualItems().map(({ index, start }) => {
              const entry = entries[index];
              return entry && <Row key={entry.id} {...{ ...props, entry, index, start, rows }} />;
            })}
          </tbody>
        ) : (
          <Loading />
        )}
      </table>
    </div>
  );
}

/** Head of a column by which the API can sort. */
function SortedHead({
  name,
  column,
  order,
  onSort,
}: {
  name: string;
  column: ListOrder['column'];
  order: ListOrder;
  onSort: (column: ListOrder['column']) => void;
}) {
  const isSorted = order.column === column;
  return (
    <th
      scope="col"
      className={classNames(column !== 'name' && styles.wideOnly, column !== 'name' && 'num')}
      aria-sort={isSorted ? (order.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" className={styles.sort} onClick={() => onSort(column)}>
        {name}
        {isSorted && <Icon of={order.order === 'asc' ? IconArrowUp : IconArrowDown} small />}
      </button>
    </th>
  );
}

function Row({
  appRef,
  bucket,
  entry,
  entries = [],
  index,
  start,
  rows,
  selected,
  marks,
  onOpen,
  onMarks,
}: ObjectTableProps & { entry: Entry; index: number; start: number; rows: ReturnType<typeof useRows> }) {
  const name = lastPart(entry.name);
  const isMarked = marks.ids.has(entry.id);
  const isActive = index === rows.active;
  const click = (event: MouseEvent) => {
    rows.setReached(index);
    if (event.shiftKey) onMarks(extendMarks(marks, entry.id, entries));
    else if (event.ctrlKey || event.metaKey) onMarks(toggleMark(marks, entry.id));
    else onOpen(entry);
  };
  return (
    <tr
      data-index={index}
      data-selected={entry.name === selected || undefined}
      data-marked={isMarked || undefined}
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ top: start }}
      onClick={click}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: The click beside the box counts for the box. */}
      <td
        className={styles.check}
        onClick={(event) => {
          event.stopPropagation();
          onMarks(event.shiftKey ? extendMarks(marks, entry.id, entries) : toggleMark(marks, entry.id));
        }}
      >
        <input type="checkbox" aria-label={`Mark ${name}`} tabIndex={-1} checked={isMarked} readOnly />
      </td>
      <td>
        <button
          type="button"
          className={classNames(styles.open, entry.kind === 'folder' && styles.folder)}
          aria-label={entry.kind === 'folder' ? `${name}, folder` : name}
          aria-current={entry.name === selected || undefined}
          aria-description={isMarked ? 'marked' : undefined}
          tabIndex={isActive ? 0 : -1}
          onFocus={() => rows.setReached(index)}
          onKeyDown={rows.onKeyDown}
        >
          {entry.kind === 'folder' ? (
            <Icon of={IconFolder} />
          ) : (
            <Thumbnail appRef={appRef} bucket={bucket} object={entry.object} />
          )}
          <span className="cut">{name}</span>
        </button>
      </td>
      {entry.kind === 'folder' ? (
        <>
          <td />
          <td className={styles.wideOnly} />
          <td className={styles.wideOnly} />
        </>
      ) : (
        <>
          <td className="num">{bytes(entry.object.size)}</td>
          <td className={styles.wideOnly}>{fileKind(entry.object.type)}</td>
          <td className={classNames('num', 'soft', styles.wideOnly)}>
            <TimeAgo iso={entry.object.updated_at} />
          </td>
        </>
      )}
    </tr>
  );
}

/** Chooses the rows to draw, asks for more at their end, and handles the keys of the row in the tab order. */
function useRows({ entries, selected, marks, hasMore, onMarks, onDelete, onMore }: ObjectTableProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState(0);
  const count = entries?.length ?? 0;
  const active = Math.min(reached, count - 1);
  const toFocus = useRef<number | null>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: rowHeight,
    scrollPaddingStart: 36,
    overscan: 8,
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      if (active < 0 || inSight.includes(active)) return inSight;
      return [...inSight, active].toSorted((a, b) => a - b);
    },
  });

  const last = virtual.range?.endIndex ?? 0;
  const more = useEffectEvent(onMore);
  useEffect(() => {
    if (hasMore && count > 0 && last >= count - 20) more();
  }, [hasMore, count, last]);

  useEffect(() => {
    if (toFocus.current === null) return;
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${toFocus.current}"] button`);
    toFocus.current = null;
    row?.focus({ preventScroll: true });
  });

  const at = selected === undefined ? -1 : (entries?.findIndex(({ name }) => name === selected) ?? -1);
  const showSelected = useEffectEvent(() => {
    virtual.scrollToIndex(at, { align: 'auto' });
    setReached(at);
  });
  useEffect(() => {
    if (at >= 0) showSelected();
  }, [at]);

  const onKeyDown = (event: KeyboardEvent) => {
    const entry = entries?.[active];
    if (!entries || !entry) return;
    if (event.key === ' ') {
      event.preventDefault();
      onMarks(event.shiftKey ? extendMarks(marks, entry.id, entries) : toggleMark(marks, entry.id));
    }
    if (event.key === 'Delete') onDelete();
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowHeight()) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: entries.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(entries.length - 1, to));
    const reachedEntry = entries[next];
    if (event.shiftKey && reachedEntry) {
      const from = marks.anchor === null ? toggleMark(marks, entry.id) : marks;
      onMarks(extendMarks(from, reachedEntry.id, entries));
    }
    toFocus.current = next;
    virtual.scrollToIndex(next);
    setReached(next);
  };
  return { scroll, virtual, active, setReached, onKeyDown };
}

/** Placeholders for the rows. */
const Loading = () => (
  <tbody>
    {[180, 240, 150, 210, 190, 120].map((width) => (
      <tr key={width}>
        <td className={styles.check} />
        <td>
          <Skeleton width={width} />
        </td>
        <td />
        <td className={styles.wideOnly} />
        <td className={styles.wideOnly} />
      </tr>
    ))}
  </tbody>
);
