import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { PAGE_ROWS } from '../../queries/query.ts';
import { rowKey } from '../rows/row-line.tsx';
import styles from '../rows/rows-table.module.css';
import { keysOf, useArrivals } from '../rows/use-arrivals.ts';
import type { RowWindow } from './use-row-window.ts';

/** Height in px of the head of the table, which stays over the rows. */
export const HEAD_HEIGHT = 36;

/**
 * Returns the keys of the rows that others added while the member looks, and how many of them are above the rows in sight.
 * Keeps the rows in sight where they are.
 */
export function useNewRows(
  table: RefObject<HTMLTableElement | null>,
  { entity, list, query }: { entity: PortalEntity; list: RowWindow; query: string },
  items: readonly VirtualItem[],
  virtual: Virtualizer<HTMLElement, Element>,
): { readonly arrived: ReadonlySet<string>; readonly above: number } {
  const places = placesOf(entity, list);
  const seen = items.find(({ end }) => end - (virtual.scrollOffset ?? 0) > HEAD_HEIGHT)?.index ?? 0;
  useStillRows(table, query, places, seen, (index) => virtual.measurementsCache[index]?.start);
  const arrived = useArrivals(query, keysOf(entity, list.pages), PAGE_ROWS, (key) => (places.get(key) ?? 0) >= seen);
  return { arrived, above: [...arrived].filter((key) => (places.get(key) ?? seen) < seen).length };
}

/** Tells how many rows were added above the rows in sight, and leads to them. */
export const NewAbove = ({ count, onShow }: { count: number; onShow: () => void }) => (
  <div role="status" className={styles.newAbove}>
    {count > 0 && (
      <button type="button" onClick={onShow}>
        {t('newAbove', { count })}
      </button>
    )}
  </div>
);

/** Returns the positions of the rows that were read, by their keys. Returns none for rows without a key. */
function placesOf(entity: PortalEntity, { pages }: RowWindow): Map<string, number> {
  if (entity.key.length === 0) return new Map();
  return new Map(
    [...pages].flatMap(([page, rows]) => rows.map((row, i) => [rowKey(entity, row), page * PAGE_ROWS + i] as const)),
  );
}

/**
 * Keeps the rows in sight where they are when rows are added or removed above them.
 *
 * @param seen Position of the first row in sight.
 * @param startOf Returns the distance in px from the beginning of the scrolled content to a row.
 */
function useStillRows(
  table: RefObject<HTMLTableElement | null>,
  query: string,
  places: ReadonlyMap<string, number>,
  seen: number,
  startOf: (index: number) => number | undefined,
): void {
  const before = useRef<{ query: string; key: string; index: number } | null>(null);
  useLayoutEffect(() => {
    const scroller = scrollerOf(table.current);
    const last = before.current;
    const index = last?.query === query ? places.get(last.key) : undefined;
    const isAtTop = !scroller || scroller.scrollTop <= topOf(table.current);
    if (last && index !== undefined && index !== last.index && !isAtTop) {
      const [from, to] = [startOf(last.index), startOf(index)];
      if (from !== undefined && to !== undefined) scroller.scrollTop += to - from;
      before.current = { query, key: last.key, index };
      return;
    }
    const key = [...places].find(([, place]) => place === seen)?.[0];
    before.current = key === undefined ? null : { query, key, index: seen };
  });
  useLayoutEffect(() => {
    // The browser would move the rows too.
    const scroller = scrollerOf(table.current);
    scroller?.style.setProperty('overflow-anchor', 'none');
    return () => void scroller?.style.removeProperty('overflow-anchor');
  }, [table]);
}

/** Returns the distance in px from the beginning of the scrolled content to the table. */
export function topOf(table: HTMLElement | null): number {
  const scroller = scrollerOf(table);
  if (!table || !scroller) return 0;
  return table.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}

/** Returns the closest element around the table that scrolls: the page, or its whole body on a phone. */
export function scrollerOf(table: HTMLElement | null): HTMLElement | null {
  for (let element = table?.parentElement ?? null; element; element = element.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(element).overflowY)) return element;
  }
  return null;
}
