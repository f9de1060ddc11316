import { Link } from '@tanstack/react-router';
import { dateFormat } from '../../../language/messages.ts';
import { rowPath, useScreens } from '../../queries/screens.ts';
import { addDays, dayOf, midnight } from './days.ts';
import type { Entry } from './entries.ts';
import { RowWords } from './entry-box.tsx';
import { overlaps, type Period } from './layout.ts';
import styles from './month-table.module.css';
import { freeWords } from './time-grid.tsx';
import { linkTo } from './use-address.ts';
import type { CalendarOf, Contents } from './use-calendar.ts';
import { clockWords, dayName } from './words.ts';

/** Shows the rows of a month by their days. */
export function MonthTable({
  of,
  contents,
  label,
  now,
  weeks,
  on,
  onChoose,
}: {
  of: CalendarOf;
  contents: Contents;
  label: string;
  now: Date;
  weeks: readonly (readonly Date[])[];
  /** A day of the month. */
  on: Date;
  /** Chooses a day for a new row; null if days are not chosen. */
  onChoose: ((period: Period) => void) | null;
}) {
  const entriesOn = (day: Date) =>
    contents.entries.filter((one) => one.kind === 'row' && overlaps(one, { start: day, end: addDays(day, 1) }));
  return (
    <table className={styles.month} aria-label={label} aria-busy={contents.isPending}>
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day.getDay()}>{dateFormat({ weekday: 'short' }).format(day)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={dayOf(week[0] ?? on)}>
            {week.map((day) => {
              const entries = entriesOn(day);
              const free = freeWords(contents, day, now);
              return (
                <td
                  key={dayOf(day)}
                  data-empty={(entries.length === 0 && free === '') || undefined}
                  data-other={day.getMonth() !== on.getMonth() || undefined}
                  aria-current={dayOf(day) === dayOf(now) ? 'date' : undefined}
                >
                  <div className={styles.top}>
                    <DayNumber day={day} onChoose={onChoose} />
                    <small>{free}</small>
                  </div>
                  <ul>
                    {entries.map((entry) => (
                      <li key={entry.id}>
                        <MonthEntry {...{ of, contents, entry, day }} />
                      </li>
                    ))}
                  </ul>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of a day. It leads to the day, or chooses the day in a calendar of days. */
function DayNumber({ day, onChoose }: { day: Date; onChoose: ((period: Period) => void) | null }) {
  const words = (
    <time dateTime={dayOf(day)}>
      <span className={styles.dayName}>{dayName(day)}</span>
      <span className={styles.dayNumber} aria-hidden="true">
        {dateFormat({ day: 'numeric' }).format(day)}
      </span>
    </time>
  );
  return onChoose ? (
    <button type="button" className={styles.toDay} onClick={() => onChoose({ start: day, end: addDays(day, 1) })}>
      {words}
    </button>
  ) : (
    <Link to="." search={linkTo({ view: 'day', on: day })} className={styles.toDay}>
      {words}
    </Link>
  );
}

function MonthEntry({ of, contents, entry, day }: { of: CalendarOf; contents: Contents; entry: Entry; day: Date }) {
  const all = useScreens();
  const { rows } = contents;
  if (!rows) return null;
  const path = rowPath(all, rows, entry.row);
  const isBegin = !entry.isInBand && dayOf(midnight(entry.start)) === dayOf(day);
  const words = (
    <>
      {isBegin && <b>{clockWords({ start: entry.start, end: entry.start })}</b>}{' '}
      <RowWords {...{ of, rows, entry }} division={contents.division} />
    </>
  );
  return path ? (
    <Link to={path} data-over={entry.isOver || undefined}>
      {words}
    </Link>
  ) : (
    <span>{words}</span>
  );
}
