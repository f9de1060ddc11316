import { type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { RowLayout } from './row-line.tsx';

/** Minimum width in px of the column with the label, as in the styles. */
const LABEL_WIDTH = 180;

/**
 * Leaves out the columns that do not fit into the width of the page, from the right. The key and the label always stay.
 * On a phone, where a row has two lines, nothing is left out.
 */
export function useFittingColumns(layout: RowLayout, table: RefObject<HTMLTableElement | null>): RowLayout {
  const [hidden, setHidden] = useState('');
  useLayoutEffect(() => {
    const element = table.current;
    const page = element?.parentElement;
    if (!element || !page) return;
    // A column has no width while it is hidden, so the last one is remembered.
    const widths = new Map<string, number>();
    const observer = new ResizeObserver(() => {
      const names = matchMedia('(max-width: 760px)').matches ? [] : hiddenIn(layout, element, page.clientWidth, widths);
      flushSync(() => setHidden(names.join('\n')));
    });
    observer.observe(element);
    observer.observe(page);
    return () => observer.disconnect();
  }, [layout, table]);
  const names = new Set(hidden.split('\n'));
  return hidden === '' ? layout : { ...layout, shown: layout.shown.filter(({ name }) => !names.has(name)) };
}

/** Returns the names of the columns that do not fit. Updates the widths of those that are drawn. */
function hiddenIn(
  { shown, leading, entity }: RowLayout,
  table: HTMLTableElement,
  room: number,
  widths: Map<string, number>,
): string[] {
  let left = room;
  for (const head of table.querySelectorAll<HTMLElement>('thead th')) {
    const name = head.dataset.field;
    if (name === undefined) left -= head.offsetWidth;
    else widths.set(name, name === leading?.name ? LABEL_WIDTH : head.offsetWidth);
  }
  const always = shown.filter((field) => field === leading || entity.key.includes(field.name));
  for (const { name } of always) left -= widths.get(name) ?? 0;
  let isFull = false;
  return shown.flatMap((field) => {
    if (always.includes(field)) return [];
    left -= widths.get(field.name) ?? 0;
    isFull ||= left < 0;
    return isFull ? [field.name] : [];
  });
}
