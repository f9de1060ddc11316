import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react';
import { t } from '../../../language/messages.ts';
import { addDays, dayOf, midnight } from './days.ts';
import type { Entry } from './entries.ts';
import { type Hours, minutesIn, overlaps, type Period, STEP_MINUTES, timeAt } from './layout.ts';
import { partStyle } from './part-style.ts';
import styles from './time-grid.module.css';
import type { Contents } from './use-calendar.ts';
import { arrowOf } from './use-entry-drag.ts';
import { clockWords, dayName } from './words.ts';

/**
 * The time that the arrow keys move over the hours, and that Enter chooses. It is one place in the tab order, and is
 * visible while it has the focus.
 */
export function SlotCursor({
  days,
  hours,
  now,
  contents: { free },
  entries,
  chosen,
  onChoose,
  onDay,
}: {
  days: readonly Date[];
  hours: Hours;
  now: Date;
  contents: Contents;
  entries: readonly Entry[];
  chosen: Period | null;
  onChoose: (period: Period) => void;
  onDay: (day: Date) => void;
}) {
  const [moved, setMoved] = useState<Period | null>(null);
  const follows = useRef(false);
  const period = moved ?? chosen ?? firstStep(days, hours, free, now);
  const day = midnight(period.start);
  const column = days.findIndex((one) => dayOf(one) === dayOf(day));
  if (column === -1 && moved) {
    // The caller has turned to other days, and not by the arrow keys.
    if (!follows.current) setMoved(null);
    return null;
  }
  if (column === -1) return null;
  const isFree = free === null || free.some(({ start, end }) => start <= period.start && period.end <= end);
  const isTaken = entries.some((one) => overlaps(one, period));
  const when = `${dayName(day)}, ${clockWords(period)}`;
  const state = isFree ? t('calendarFree') : isTaken ? t('calendarTaken') : t('calendarClosed');
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrowOf(event);
    const next = arrow && movedPeriod(period, day, hours, arrow, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    follows.current = true;
    setMoved(next);
    if (!days.some((one) => dayOf(one) === dayOf(next.start))) onDay(midnight(next.start));
  };
  const style = {
    ...partStyle(hours, minutesIn(period.start, day), minutesIn(period.end, day)),
    '--column': column,
  } as CSSProperties;
  return (
    <button
      key={`${period.start.getTime()} ${period.end.getTime()}`}
      ref={(element) => {
        if (element && follows.current) {
          follows.current = false;
          element.focus();
        }
      }}
      type="button"
      className={styles.cursor}
      style={style}
      aria-label={`${when}, ${state}`}
      aria-disabled={!isFree || undefined}
      onKeyDown={onKeyDown}
      onClick={() => isFree && onChoose(period)}
    >
      {clockWords(period)} {state}
    </button>
  );
}

/** Moves a step by the arrow keys, or its end with Shift. The step stays in the hours that are shown. */
function movedPeriod(
  { start, end }: Period,
  day: Date,
  { first, last }: Hours,
  { along, down }: { along: number; down: number },
  isLonger: boolean,
): Period {
  const [from, to] = [minutesIn(start, day), minutesIn(end, day)];
  if (isLonger) {
    const until = Math.min(Math.max(to + down * STEP_MINUTES, from + STEP_MINUTES), last * 60);
    return { start, end: timeAt(day, until) };
  }
  const begin = Math.min(Math.max(from + down * STEP_MINUTES, first * 60), last * 60 - (to - from));
  const next = addDays(day, along);
  return { start: timeAt(next, begin), end: timeAt(next, begin + to - from) };
}

/** Returns the first step of the shown days that is free and not over. */
function firstStep(days: readonly Date[], { first }: Hours, free: readonly Period[] | null, now: Date): Period {
  const [begin = now] = days;
  const last = addDays(days.at(-1) ?? begin, 1);
  const found = free?.find(({ end, start }) => end > begin && start < last)?.start;
  const today = days.find((day) => dayOf(day) === dayOf(now));
  const usual = today ? timeAt(today, (now.getHours() + 1) * 60) : timeAt(begin, Math.max(first, USUAL_HOUR) * 60);
  const start = found ?? (usual < last ? usual : begin);
  const day = midnight(start);
  const from = Math.ceil(minutesIn(start, day) / STEP_MINUTES) * STEP_MINUTES;
  return { start: timeAt(day, from), end: timeAt(day, from + STEP_MINUTES) };
}

/** The hour at which the arrow keys begin on days without a free time. */
const USUAL_HOUR = 9;
