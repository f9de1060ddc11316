import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { currentDirection, t } from '../../../language/messages.ts';
import { addDays } from './days.ts';
import type { Entry } from './entries.ts';
import { lengthenedBy, movedBy, type Period, SNAP_MINUTES } from './layout.ts';
import type { RowMoves } from './use-row-moves.ts';
import { periodWords } from './words.ts';

/** Distance in pixels from which a pressed pointer drags. */
const DRAG_PIXELS = 4;

/** Where the days and hours of a calendar are on the page. */
export interface Scale {
  /** The element that contains exactly the columns of the days. */
  readonly columns: HTMLElement | null;
  readonly days: number;
  /** Height of an hour in pixels; null for the band of days. */
  readonly hour: number | null;
}

type Mode = 'move' | 'end';

/** Returns the period of an entry after a drag by pixels. */
function draggedBy(entry: Entry, mode: Mode, scale: Scale, x: number, y: number): Period {
  const width = (scale.columns?.clientWidth ?? 1) / scale.days;
  const days = Math.round((currentDirection() === 'rtl' ? -x : x) / width);
  const minutes = scale.hour === null ? 0 : Math.round(((y / scale.hour) * 60) / SNAP_MINUTES) * SNAP_MINUTES;
  return change(entry, mode, days, minutes);
}

/** Moves an entry, or only its end. A row of days stays at least one day long. */
function change(entry: Entry, mode: Mode, days: number, minutes: number, now: Period = entry): Period {
  if (mode === 'move') return movedBy(now, days, minutes);
  if (!entry.isInBand) return lengthenedBy(now, minutes);
  const end = addDays(now.end, days);
  return { start: now.start, end: end > now.start ? end : addDays(now.start, 1) };
}

/**
 * Moves an entry by the pointer, and by the keyboard: the space bar picks it up and drops it, the arrow keys move it, and
 * with Shift they move its end.
 * @param name The name of the entry for screen readers.
 */
export function useEntryDrag(entry: Entry, name: string, moves: RowMoves, scale: () => Scale, isOn: boolean) {
  const from = useRef<{ x: number; y: number; mode: Mode; entry: Entry } | null>(null);
  const origin = useRef<Period>(entry);
  const [dragged, setDragged] = useState<Period | null>(null);
  const [picked, setPicked] = useState<Period | null>(null);
  const wasDragged = useRef(false);
  const words = (period: Period) => periodWords(period, entry.isInBand);
  const put = (period: Period | null) => {
    setPicked(null);
    if (period) moves.drop(entry, period);
    else {
      moves.preview(entry, null);
      moves.say(t('calendarStays', { name, when: words(origin.current) }));
    }
  };
  const onPointerDown = (mode: Mode) => (event: PointerEvent<HTMLElement>) => {
    wasDragged.current = false;
    if (!isOn || event.button !== 0 || event.pointerType === 'touch') return;
    event.stopPropagation();
    // While it is dragged, the entry has the time to which it is dragged.
    from.current = { x: event.clientX, y: event.clientY, mode, entry };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const pointer = {
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const begun = from.current;
      if (!begun) return;
      const [x, y] = [clientX - begun.x, clientY - begun.y];
      if (!wasDragged.current && Math.hypot(x, y) < DRAG_PIXELS) return;
      wasDragged.current = true;
      const period = draggedBy(begun.entry, begun.mode, scale(), x, y);
      setDragged(period);
      moves.preview(entry, period);
    },
    onPointerUp: () => {
      from.current = null;
      if (dragged) moves.drop(entry, dragged);
      setDragged(null);
    },
    onPointerCancel: () => {
      from.current = null;
      if (dragged) moves.preview(entry, null);
      setDragged(null);
    },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrowOf(event);
    if (event.key === ' ' && isOn) {
      event.preventDefault();
      if (picked) return put(picked);
      origin.current = entry;
      setPicked(entry);
      moves.dismiss();
      moves.say(t('calendarPicked', { name }));
    } else if (picked && event.key === 'Enter') {
      event.preventDefault();
      put(picked);
    } else if (picked && event.key === 'Escape') put(null);
    else if (picked && arrow) {
      event.preventDefault();
      const minutes = entry.isInBand ? 0 : arrow.down * SNAP_MINUTES;
      const next = change(entry, event.shiftKey ? 'end' : 'move', arrow.along, minutes, picked);
      setPicked(next);
      moves.preview(entry, next);
      moves.say(t('calendarOver', { when: words(next) }));
    }
  };
  return {
    onPointerDown,
    pointer,
    onKeyDown,
    isDragged: dragged !== null || picked !== null,
    onBlur: () => picked && put(null),
    onClick: (event: { preventDefault: () => void }) => {
      if (wasDragged.current) event.preventDefault();
    },
  };
}

/** Returns the days and the steps by which an arrow key moves; null for other keys. */
export function arrowOf({ key }: { key: string }): { readonly along: number; readonly down: number } | null {
  const forward = currentDirection() === 'rtl' ? -1 : 1;
  switch (key) {
    case 'ArrowUp':
      return { along: 0, down: -1 };
    case 'ArrowDown':
      return { along: 0, down: 1 };
    case 'ArrowLeft':
      return { along: -forward, down: 0 };
    case 'ArrowRight':
      return { along: forward, down: 0 };
    default:
      return null;
  }
}
