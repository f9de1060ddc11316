import { Link } from '@tanstack/react-router';
import { type CSSProperties, type PointerEvent, useEffect, useRef, useState } from 'react';
import { dateFormat, t } from '../../../language/messages.ts';
import { classNames } from '../../../ui/class-names.ts';
import { dayOf, midnight } from './days.ts';
import type { Entry } from './entries.ts';
import { type EntriesOf, EntryBox } from './entry-box.tsx';
import {
  dragBetween,
  type Hours,
  hoursIn,
  hoursOf,
  joined,
  minutesIn,
  type Period,
  partsOn,
  placeInBand,
  placeOnDay,
  stepAt,
  timeAt,
} from './layout.ts';
import { HOUR_PIXELS, partStyle } from './part-style.ts';
import { SlotCursor } from './slot-cursor.tsx';
import styles from './time-grid.module.css';
import { linkTo } from './use-address.ts';
import type { Contents } from './use-calendar.ts';
import { clockWords, dayName, hourWords } from './words.ts';

/** The first full hour that is in sight at first, if the calendar shows all hours. */
const MORNING = 7;

const WHOLE_DAY: Hours = { first: 0, last: 24 };

export interface TimeGridProps extends Omit<EntriesOf, 'scale' | 'rows' | 'division'> {
  readonly label: string;
  readonly days: readonly Date[];
  readonly now: Date;
  readonly contents: Contents;
  /** The time that the caller has chosen for a new row. */
  readonly chosen: Period | null;
  /** Chooses a time for a new row; null if the caller cannot add rows. */
  readonly onChoose: ((period: Period) => void) | null;
  /** Shows other days, so that a day is among them. */
  readonly onDay: (day: Date) => void;
}

/** Shows days as columns of hours. Rows of days and of several days are in a band above the hours. */
export function TimeGrid(props: TimeGridProps) {
  const { days, contents, moves, label, now, onChoose } = props;
  const columns = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const entries = contents.entries.map(moves.placed);
  const [inBand, timed] = [entries.filter((one) => one.isInBand), entries.filter((one) => !one.isInBand)];
  const isLimited = contents.free !== null;
  const hours = isLimited ? hoursOf([...timed, ...(contents.free ?? [])], days) : WHOLE_DAY;
  const isDays =
    contents.rows?.fields.some(({ name, editor }) => name === props.of.span.start && editor === 'date') === true;
  useEffect(() => {
    if (!isLimited && !isDays) scroller.current?.scrollTo({ top: (MORNING - 0.25) * HOUR_PIXELS });
  }, [isLimited, isDays]);
  const shared = {
    ...{ of: props.of, rows: contents.rows, division: contents.division, moves },
    scale: () => ({ columns: columns.current, days: days.length, hour: HOUR_PIXELS }),
  };
  return (
    <div className={styles.scroller} ref={scroller} data-calendar>
      {/* biome-ignore lint/a11y/useSemanticElements: A fieldset cannot be a grid in all browsers. */}
      <div
        className={styles.week}
        role="group"
        aria-label={label}
        data-alone={days.length === 1 || undefined}
        aria-busy={contents.isPending || undefined}
        style={{ '--days': days.length, '--hours': hours.last - hours.first } as CSSProperties}
      >
        <div className={styles.sticky}>
          <div className={styles.heads}>
            <span className={styles.zone}>{zoneName(now)}</span>
            {days.map((day) => (
              <DayHead key={dayOf(day)} day={day} now={now} contents={contents} isAlone={days.length === 1} />
            ))}
          </div>
          {(inBand.length > 0 || isDays) && <Band {...props} {...shared} entries={inBand} isTall={isDays} />}
        </div>
        {!isDays && (
          <div className={styles.hours}>
            <HourNames hours={hours} />
            <div className={styles.columns} ref={columns}>
              {days.map((day) => (
                <Day
                  key={dayOf(day)}
                  {...{ day, hours, contents, now, onChoose }}
                  chosen={props.chosen}
                  entries={timed}
                />
              ))}
              <Entries {...shared} {...{ days, hours }} entries={timed} />
              {onChoose && (
                <SlotCursor
                  {...{ days, hours, now, contents, entries: timed, onChoose }}
                  chosen={props.chosen}
                  onDay={props.onDay}
                />
              )}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

/** Returns the short name of the browser's time zone, such as GMT+1. */
const zoneName = (now: Date): string =>
  dateFormat({ timeZoneName: 'short' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/**
 * The rows and taken times of all days. They are no children of their days, so that an entry that is moved to another day
 * stays the same element, and keeps the focus and the pointer.
 */
function Entries({
  days,
  hours,
  entries,
  ...shared
}: EntriesOf & { days: readonly Date[]; hours: Hours; entries: readonly Entry[] }) {
  const parts = days.flatMap((day, column) => placeOnDay(entries, day).map((one) => ({ ...one, day, column })));
  return entries.flatMap((entry) =>
    parts
      .filter(({ of }) => of === entry)
      .map(({ day, column, from, to, lane, lanes }, i) => (
        <EntryBox
          // biome-ignore lint/suspicious/noArrayIndexKey: The parts of an entry are its days in their order.
          key={`${entry.kind} ${entry.id} ${i}`}
          {...shared}
          entry={entry}
          on={dayOf(day)}
          style={
            { ...partStyle(hours, from, to), '--column': column, '--lane': lane, '--lanes': lanes } as CSSProperties
          }
        />
      )),
  );
}

function HourNames({ hours: { first, last } }: { hours: Hours }) {
  const name = dateFormat({ hour: 'numeric', minute: '2-digit' });
  return (
    <div className={styles.hourNames} aria-hidden="true">
      {Array.from({ length: last - first - 1 }, (_, i) => first + i + 1).map((hour) => (
        <span key={hour} style={{ top: (hour - first) * HOUR_PIXELS }}>
          {name.format(new Date(2026, 0, 1, hour))}
        </span>
      ))}
    </div>
  );
}

/** The number of a day, which leads to the day, and how much of it is free. */
function DayHead({ day, now, contents, isAlone }: { day: Date; now: Date; contents: Contents; isAlone: boolean }) {
  const isToday = dayOf(day) === dayOf(now);
  const words = (
    <>
      <b>{dateFormat({ day: 'numeric' }).format(day)}</b> {dateFormat({ weekday: 'short' }).format(day)}
    </>
  );
  return (
    <div className={styles.head} data-today={isToday || undefined}>
      {isAlone ? (
        <span>{words}</span>
      ) : (
        <Link
          to="."
          search={linkTo({ view: 'day', on: day })}
          aria-label={dayName(day)}
          aria-current={isToday ? 'date' : undefined}
        >
          {words}
        </Link>
      )}
      <small>{freeWords(contents, day, now)}</small>
    </div>
  );
}

/** Says how much of a day is free; empty if the day is over or the app does not limit the times. */
export function freeWords({ free, entries, isPending }: Contents, day: Date, now: Date): string {
  if (free === null || isPending || midnight(now) > day) return '';
  const hours = hoursIn(partsOn(free, day));
  if (hours > 0) return t('calendarFreeHours', { hours: hourWords(hours) });
  return partsOn(entries, day).length > 0 || dayOf(day) === dayOf(now) ? t('calendarFull') : t('calendarClosed');
}

interface DayProps extends Pick<TimeGridProps, 'contents' | 'chosen' | 'now' | 'onChoose'> {
  readonly day: Date;
  readonly hours: Hours;
  readonly entries: readonly Entry[];
}

function Day({ day, hours, entries, contents, chosen, now, onChoose }: DayProps) {
  const { free } = contents;
  const choice = useChoice(day, hours, free, onChoose);
  const open = free && joined([...free, ...entries]).flatMap((one) => partsOn([one], day));
  const shownChoice = choice.dragged ?? (chosen && dayOf(chosen.start) === dayOf(day) ? chosen : null);
  const part = (period: Period) => partStyle(hours, minutesIn(period.start, day), minutesIn(period.end, day));
  const isToday = dayOf(day) === dayOf(now);
  return (
    <div
      className={classNames(styles.day, open !== null && styles.limited)}
      data-day={dayOf(day)}
      data-can={onChoose ? true : undefined}
      {...choice.pointer}
    >
      {open?.map((one) => (
        <div key={one.start.toISOString()} className={styles.open} style={part(one)} data-open />
      ))}
      {isToday && free !== null && (
        <div className={styles.past} style={{ top: 0, height: partStyle(hours, 0, minutesIn(now, day)).height }} />
      )}
      {choice.hovered && !shownChoice && (
        <div className={styles.hovered} style={part(choice.hovered)} aria-hidden="true">
          {clockWords(choice.hovered)}
        </div>
      )}
      {shownChoice && (
        <div className={styles.chosen} style={part(shownChoice)} data-chosen>
          <b className={styles.clock}>{clockWords(shownChoice)}</b>
        </div>
      )}
      {isToday && <span className={styles.now} style={{ top: partStyle(hours, minutesIn(now, day), 0).top }} />}
    </div>
  );
}

/** Chooses a time of a day by a press or a drag. A finger only presses, because its drag scrolls the page. */
function useChoice(day: Date, { first }: Hours, free: readonly Period[] | null, onChoose: TimeGridProps['onChoose']) {
  const anchor = useRef<Date | null>(null);
  const [dragged, setDragged] = useState<Period | null>(null);
  const [hovered, setHovered] = useState<Period | null>(null);
  const timeOf = (event: PointerEvent<HTMLElement>) => {
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const y = Math.min(Math.max(event.clientY - top, 0), height - 1);
    return timeAt(day, (y / HOUR_PIXELS + first) * 60);
  };
  const isEmpty = ({ target }: PointerEvent<HTMLElement>) =>
    target instanceof Element && target.closest('[data-entry], [role="alert"], button') === null;
  const end = () => {
    anchor.current = null;
    setDragged(null);
  };
  if (!onChoose) return { dragged, hovered, pointer: {} };
  return {
    dragged,
    hovered,
    pointer: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0 || !isEmpty(event)) return;
        anchor.current = timeOf(event);
        if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (event.pointerType === 'touch') return;
        const time = timeOf(event);
        const begun = anchor.current;
        if (begun && Math.abs(time.getTime() - begun.getTime()) > DRAG_MILLISECONDS)
          setDragged(dragBetween(begun, time, free));
        setHovered(begun || !isEmpty(event) ? null : stepAt(time, free));
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        const begun = anchor.current;
        const period = dragged ?? (begun && stepAt(begun, free));
        end();
        if (period && begun && event.button === 0) onChoose(period);
      },
      onPointerCancel: end,
      onPointerLeave: () => setHovered(null),
    },
  };
}

/** Time by which the pointer must move before a press becomes a drag. */
const DRAG_MILLISECONDS = 6 * 60_000;

/** The band with rows of days and of several days. A press on a day of it chooses the day, if rows have days. */
function Band({
  days,
  entries,
  isTall,
  chosen,
  onChoose,
  ...props
}: TimeGridProps & EntriesOf & { entries: readonly Entry[]; isTall: boolean }) {
  const cells = useRef<HTMLDivElement>(null);
  const [from, setFrom] = useState<number | null>(null);
  const placed = placeInBand(entries, days);
  const lanes = Math.max(0, ...placed.map(({ lane }) => lane)) + 1;
  const choose = (a: number, b: number) => {
    const [first, last] = [days[Math.min(a, b)], days[Math.max(a, b)]];
    setFrom(null);
    if (first && last && onChoose) onChoose({ start: first, end: timeAt(last, 24 * 60) });
  };
  const column = (event: PointerEvent<HTMLElement>) => {
    const found = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((one) => one instanceof HTMLElement && one.dataset.column);
    return found instanceof HTMLElement ? Number(found.dataset.column) : null;
  };
  const shared = { of: props.of, rows: props.rows, division: props.division, moves: props.moves };
  return (
    <div className={styles.band} data-tall={isTall || undefined}>
      <span>{t('calendarAllDay')}</span>
      <div ref={cells} className={styles.bandCells} style={{ '--band': lanes } as CSSProperties}>
        {days.map((day, i) =>
          onChoose && isTall ? (
            <button
              key={dayOf(day)}
              type="button"
              style={{ gridColumn: i + 1 }}
              data-column={i}
              aria-label={dayName(day)}
              data-chosen={(chosen && chosen.start <= day && day < chosen.end) || undefined}
              onPointerDown={() => setFrom(i)}
              onPointerUp={(event) => choose(from ?? i, column(event) ?? i)}
              onClick={(event) => event.detail === 0 && choose(i, i)}
            />
          ) : (
            <span key={dayOf(day)} style={{ gridColumn: i + 1 }} />
          ),
        )}
        {placed.map(({ of: entry, first, last, lane }) => (
          <EntryBox
            key={`${entry.kind} ${entry.id}`}
            {...shared}
            entry={entry}
            scale={() => ({ columns: cells.current, days: days.length, hour: null })}
            style={{ gridColumn: `${first + 1} / ${last + 2}`, gridRow: lane + 1 }}
          />
        ))}
      </div>
    </div>
  );
}
