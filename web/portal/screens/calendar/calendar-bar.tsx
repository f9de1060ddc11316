import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { currentLocale, dateFormat, t } from '../../../language/messages.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './calendar-page.module.css';
import { dayOf, firstDayOfWeek, weekOf } from './days.ts';
import { hoursIn, partsOn } from './layout.ts';
import { type Address, linkTo, neighbour, type View } from './use-address.ts';
import type { Contents, Division } from './use-calendar.ts';
import { dayName } from './words.ts';

/** Number of rows that are tabs. More of them are in a list. */
const TABS = 6;

/** Chooses what a calendar shows: the row by which it is divided, the days, and the view. */
export function CalendarBar({
  address,
  contents,
  range,
  isPhone,
}: {
  address: Address;
  contents: Contents;
  range: string;
  isPhone: boolean;
}) {
  const { view, on } = address;
  const arrow = (step: 1 | -1) => (
    <Link
      to="."
      search={linkTo({ on: neighbour(address, step) })}
      className={buttonClass({ square: true })}
      aria-label={t(step === 1 ? 'calendarNext' : 'calendarPrevious', { view })}
    >
      <Icon of={step === 1 ? IconChevronRight : IconChevronLeft} />
    </Link>
  );
  return (
    <>
      <div className={styles.bar}>
        <Divisions contents={contents} />
        {/* The list of a day on a phone begins with the day. */}
        <h2 className={isPhone && view === 'day' && contents.free !== null ? 'sr' : undefined}>{range}</h2>
        <span className={styles.arrows}>
          {arrow(-1)}
          <Link to="." search={linkTo({ on: new Date() })} className={buttonClass()}>
            {t('timeToday')}
          </Link>
          {arrow(1)}
        </span>
        <nav className={styles.views} aria-label={t('calendarView')}>
          <ViewLink view="day" shown={view} name={t('calendarDay')} />
          <ViewLink view="week" shown={view} name={t('calendarWeek')} />
          <ViewLink view="month" shown={view} name={t('calendarMonth')} />
        </nav>
      </div>
      {isPhone && view === 'day' && <DayStrip on={on} contents={contents} />}
    </>
  );
}

const ViewLink = ({ view, shown, name }: { view: View; shown: View; name: string }) => (
  <Link to="." search={linkTo({ view })} aria-current={view === shown ? 'true' : undefined}>
    {name}
  </Link>
);

/** The rows by which a calendar is divided, as tabs or in a list. If no free times are known, all rows can be shown together. */
function Divisions({ contents: { divisions, divisionsLabel, division, free } }: { contents: Contents }) {
  const navigate = useNavigate();
  if (divisions.length < 2) return null;
  const mayShowAll = division === null || free === null;
  const all: readonly (Division | null)[] = mayShowAll ? [null, ...divisions] : divisions;
  const name = (one: Division | null) => one?.name ?? t('calendarAll');
  if (divisions.length > TABS) {
    return (
      <select
        className={styles.select}
        aria-label={divisionsLabel}
        value={String(division?.value ?? '')}
        onChange={({ currentTarget: { value } }) => {
          const chosen = divisions.find((one) => String(one.value) === value);
          void navigate({ to: '.', search: linkTo({ of: chosen?.value ?? null }) });
        }}
      >
        {all.map((one) => (
          <option key={String(one?.value ?? '')} value={String(one?.value ?? '')}>
            {name(one)}
          </option>
        ))}
      </select>
    );
  }
  return (
    <nav className={styles.views} aria-label={divisionsLabel}>
      {all.map((one) => (
        <Link
          key={String(one?.value ?? '')}
          to="."
          search={linkTo({ of: one?.value ?? null })}
          aria-current={one?.value === division?.value ? 'true' : undefined}
        >
          <bdi>{name(one)}</bdi>
        </Link>
      ))}
    </nav>
  );
}

/** The days of the week on a phone. A day without free time is grey. */
function DayStrip({ on, contents: { free } }: { on: Date; contents: Contents }) {
  return (
    <nav className={styles.strip} aria-label={t('calendarWeek')}>
      {weekOf(on, firstDayOfWeek(currentLocale())).map((day) => (
        <Link
          key={dayOf(day)}
          to="."
          search={linkTo({ on: day })}
          aria-label={dayName(day)}
          aria-current={dayOf(day) === dayOf(on) ? 'date' : undefined}
          data-full={(free !== null && dayOf(day) === dayOf(on) && hoursIn(partsOn(free, day)) === 0) || undefined}
        >
          {dateFormat({ weekday: 'short' }).format(day)}
          <b>{dateFormat({ day: 'numeric' }).format(day)}</b>
        </Link>
      ))}
    </nav>
  );
}
