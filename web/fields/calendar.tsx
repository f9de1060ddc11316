import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import styles from './time-field.module.css';

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });
const dayName = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });
const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** Calendar of one month. A click on a day chooses it. With the keyboard, the reader chooses days in the text field above. */
export function Calendar({ chosen, today, onChoose }: { chosen: Date; today: Date; onChoose: (day: Date) => void }) {
  const [turned, setTurned] = useState({ from: '', by: 0 });
  const own = `${chosen.getFullYear()} ${chosen.getMonth()}`;
  // If the reader types a date of another month, the calendar shows that month, and no longer the month to which the reader turned.
  const by = turned.from === own ? turned.by : 0;
  const first = new Date(chosen.getFullYear(), chosen.getMonth() + by, 1);
  const before = (first.getDay() + 6) % 7;
  const days = Array.from(
    { length: 42 },
    (_, place) => new Date(first.getFullYear(), first.getMonth(), 1 - before + place),
  );
  const turn = (step: number) => setTurned({ from: own, by: by + step });
  return (
    <div className={styles.calendar}>
      <div className={styles.month}>
        <b aria-live="polite">{monthName.format(first)}</b>
        <Button small square kind="quiet" icon={IconChevronLeft} label="Previous month" onClick={() => turn(-1)} />
        <Button small square kind="quiet" icon={IconChevronRight} label="Next month" onClick={() => turn(1)} />
      </div>
      <div className={styles.days}>
        {weekdays.map((name) => (
          <span key={name} className={styles.weekday} aria-hidden="true">
            {name}
          </span>
        ))}
        {days.map((day) => (
          <button
            key={day.getTime()}
            type="button"
            tabIndex={-1}
            aria-label={dayName.format(day)}
            aria-pressed={isSameDay(day, chosen)}
            aria-current={isSameDay(day, today) ? 'date' : undefined}
            className={classNames(styles.day, day.getMonth() !== first.getMonth() && styles.outside)}
            onClick={() => onChoose(day)}
          >
            {day.getDate()}
          </button>
        ))}
      </div>
    </div>
  );
}

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();
