import { Link } from '@tanstack/react-router';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { rowPath, useScreens } from '../../queries/screens.ts';
import styles from './calendar-page.module.css';
import { dayOf } from './days.ts';
import type { Entry } from './entries.ts';
import { RowWords } from './entry-box.tsx';
import { type Period, partsOn, stepAt } from './layout.ts';
import { freeWords } from './time-grid.tsx';
import type { CalendarOf, Contents } from './use-calendar.ts';
import { clockWords, dayName } from './words.ts';

/** A free time, a taken time or a row of a day. */
interface Part extends Period {
  readonly entry: Entry | null;
}

/** Shows a day with limited times as a list, for a phone: its rows, its taken times, and its free times with a button. */
export function DayList({
  of,
  contents,
  label,
  day,
  now,
  chosen,
  onChoose,
}: {
  of: CalendarOf;
  contents: Contents;
  label: string;
  day: Date;
  now: Date;
  chosen: Period | null;
  onChoose: ((period: Period) => void) | null;
}) {
  const free = partsOn(contents.free ?? [], day).map((one): Part => ({ ...one, entry: null }));
  const entries = partsOn(contents.entries, day).map((one): Part => ({ start: one.start, end: one.end, entry: one }));
  const parts = [...free, ...entries].sort((a, b) => a.start.getTime() - b.start.getTime());
  const isChosen = ({ start, end }: Period) => chosen !== null && start <= chosen.start && chosen.start < end;
  return (
    <section aria-label={label}>
      <p className={styles.dayTitle} role="status">
        {[dayName(day), freeWords(contents, day, now)].filter(Boolean).join(', ')}
      </p>
      <ul className={styles.slots} aria-busy={contents.isPending || undefined}>
        {parts.map((part) => (
          <li
            key={`${part.start.getTime()} ${part.entry?.id ?? ''}`}
            data-look={part.entry ? part.entry.kind : 'free'}
            data-chosen={(part.entry === null && isChosen(part)) || undefined}
          >
            <span>{clockWords(part)}</span>
            {part.entry ? (
              <PartWords {...{ of, contents }} entry={part.entry} />
            ) : (
              <span>{isChosen(part) && chosen ? clockWords(chosen) : t('calendarFree')}</span>
            )}
            {part.entry === null && onChoose && (
              <Button
                small
                kind={isChosen(part) ? 'first' : 'usual'}
                aria-label={`${contents.form?.title ?? t('calendarChoose')}, ${clockWords(part)}`}
                onClick={() => {
                  const step = stepAt(part.start, contents.free);
                  if (step && dayOf(step.start) === dayOf(day)) onChoose(step);
                }}
              >
                {contents.form?.title ?? t('calendarChoose')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function PartWords({ of, contents: { rows, division }, entry }: { of: CalendarOf; contents: Contents; entry: Entry }) {
  const all = useScreens();
  if (entry.kind === 'taken' || !rows) return <span>{t('calendarTaken')}</span>;
  const path = rowPath(all, rows, entry.row);
  const words = <RowWords {...{ of, rows, entry, division }} />;
  return path ? <Link to={path}>{words}</Link> : <span>{words}</span>;
}
