import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { currentLanguage, t } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { localNumber } from './read-number.ts';
import styles from './time-field.module.css';

/** Formats a date of the calendar, which is the Gregorian one in every language. */
const named = (day: Date, options: Intl.DateTimeFormatOptions): string => {
  const language = currentLanguage();
  return new Intl.DateTimeFormat(`${language === 'en' ? 'en-GB' : language}-u-ca-gregory`, options).format(day);
};

/** Two letters for each day of the week, from Monday. */
const weekdayNames = (): string[] =>
  Array.from({ length: 7 }, (_, place) => {
    const day = new Date(2026, 1, 2 + place);
    return currentLanguage() === 'en' ? named(day, { weekday: 'short' }).slice(0, 2) : named(day, { weekday: 'short' });
  });

/** Years before and after the shown one that the list of years offers. */
const YEARS_BEFORE = 100;
const YEARS_AFTER = 20;

/**
 * Calendar of one month. A click on a day chooses it. With the keyboard, the reader chooses days in the text field above,
 * so nothing in the calendar is a stop of the key Tab.
 */
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
        <b aria-live="polite">{named(first, { month: 'long' })}</b>
        <select
          className={styles.year}
          aria-label={t('year')}
          tabIndex={-1}
          value={first.getFullYear()}
          onChange={({ currentTarget: { value } }) => turn((Number(value) - first.getFullYear()) * 12)}
        >
          {yearsAround(first.getFullYear()).map((year) => (
            <option key={year} value={year}>
              {named(new Date(year, 0, 1), { year: 'numeric' })}
            </option>
          ))}
        </select>
        <Button
          small
          square
          kind="quiet"
          tabIndex={-1}
          icon={IconChevronLeft}
          label={t('previousMonth')}
          onClick={() => turn(-1)}
        />
        <Button
          small
          square
          kind="quiet"
          tabIndex={-1}
          icon={IconChevronRight}
          label={t('nextMonth')}
          onClick={() => turn(1)}
        />
      </div>
      <div className={styles.days}>
        {weekdayNames().map((name) => (
          <span key={name} className={styles.weekday} aria-hidden="true">
            {name}
          </span>
        ))}
        {days.map((day) => (
          <button
            key={day.getTime()}
            type="button"
            tabIndex={-1}
            aria-label={named(day, { dateStyle: 'full' })}
            aria-pressed={isSameDay(day, chosen)}
            aria-current={isSameDay(day, today) ? 'date' : undefined}
            className={classNames(styles.day, day.getMonth() !== first.getMonth() && styles.outside)}
            onClick={() => onChoose(day)}
          >
            {localNumber(String(day.getDate()))}
          </button>
        ))}
      </div>
    </div>
  );
}

const yearsAround = (year: number): number[] =>
  Array.from({ length: YEARS_BEFORE + 1 + YEARS_AFTER }, (_, place) => year - YEARS_BEFORE + place);

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();
