import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { timeOf } from '../../../fields/format.ts';
import { dateFormat, t } from '../../../language/messages.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { followed } from '../../queries/live.ts';
import { keyOf } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { rowsBetween, SHOWN_ROWS } from '../../queries/rows.ts';
import { formFor, type Place, readableFields, rowPath, useScreens } from '../../queries/screens.ts';
import { Actions } from '../shared/actions.tsx';
import { Trouble } from '../shared/message.tsx';
import { NewLink } from '../shared/new-link.tsx';
import pageStyles from '../shared/page.module.css';
import { Shell } from '../shell/shell.tsx';
import styles from './calendar-page.module.css';
import { dayOf, monthIn, monthOf, weeksOf } from './weeks.ts';

const monthName = (day: Date) => dateFormat({ month: 'long', year: 'numeric' }).format(day);
const dayName = (day: Date) => dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }).format(day);

/** A calendar and the fields with the start and the end of its rows. */
interface Spanned extends Pick<Place, 'screen' | 'entity'> {
  readonly span: NonNullable<PortalScreen['span']>;
}

/** Shows rows that have a start and an end, by the days of a month. The address contains the month. */
export function CalendarPage({ screen, entity }: Place) {
  return screen.span && <Calendar screen={screen} entity={entity} span={screen.span} />;
}

function Calendar({ screen, entity, span }: Spanned) {
  const portal = usePortal();
  const all = useScreens();
  const { month } = useSearch({ strict: false }) as { month?: string };
  const shown = monthIn(month, new Date());
  const weeks = weeksOf(shown);
  const [first, last] = [weeks[0]?.[0] ?? shown, weeks.at(-1)?.at(-1) ?? shown];
  const after = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1);
  const { data, error } = useQuery({
    ...rowsBetween(portal, all, entity, screen, span, [first, after]),
    ...followed,
  });
  const byDay = rowsByDay(data?.rows ?? [], span, first, last);
  return (
    <Shell title={screen.title} isFollowed={!error}>
      <Head screen={screen} entity={entity} shown={shown} isCutShort={data?.rows.length === SHOWN_ROWS} />
      <Actions actions={screen.actions} />
      <Trouble error={error} />
      <table
        className={styles.month}
        aria-label={t('calendarOf', { title: screen.title, month: monthName(shown) })}
        aria-busy={!data}
      >
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day.getDay()}>{dateFormat({ weekday: 'short' }).format(day)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={dayOf(week[0] ?? shown)}>
              {week.map((day) => (
                <Day
                  key={dayOf(day)}
                  day={day}
                  isOther={day.getMonth() !== shown.getMonth()}
                  rows={byDay.get(dayOf(day)) ?? []}
                  {...{ screen, entity, span }}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Shell>
  );
}

/** Title of the calendar, the links to the months around it, and the form for a new row. */
function Head({
  screen,
  entity,
  shown,
  isCutShort,
}: Pick<Place, 'screen' | 'entity'> & {
  /** A day of the month that is shown. */
  shown: Date;
  /** True if the month has more rows than are shown. */
  isCutShort: boolean;
}) {
  const form = formFor(useScreens(), entity);
  const to = (months: number) =>
    ({ month: monthOf(new Date(shown.getFullYear(), shown.getMonth() + months)) }) as never;
  const month = monthName(shown);
  return (
    <div className={pageStyles.titlebar}>
      <div>
        <h1 className={pageStyles.title}>{screen.title}</h1>
        <p className={pageStyles.answer} role="status">
          {isCutShort ? t('calendarFirst', { month, count: SHOWN_ROWS }) : month}
        </p>
      </div>
      <div className={pageStyles.actions}>
        <Link to="." search={to(-1)} className={buttonClass({})} aria-label={t('previousMonth')}>
          <Icon of={IconChevronLeft} />
        </Link>
        <Link to="." search={to(1)} className={buttonClass({})} aria-label={t('nextMonth')}>
          <Icon of={IconChevronRight} />
        </Link>
        {form && <NewLink form={form} />}
      </div>
    </div>
  );
}

/** Day of the month with its rows. */
function Day({ day, isOther, rows, ...of }: Spanned & { day: Date; isOther: boolean; rows: readonly Row[] }) {
  return (
    <td
      data-empty={rows.length === 0 || undefined}
      data-other={isOther || undefined}
      aria-current={dayOf(day) === dayOf(new Date()) ? 'date' : undefined}
    >
      <time dateTime={dayOf(day)} title={dayName(day)}>
        <span className={styles.dayName}>{dayName(day)}</span>
        <span className={styles.dayNumber}>{dateFormat({ day: 'numeric' }).format(day)}</span>
      </time>
      <ul>
        {rows.map((row) => (
          <li key={JSON.stringify(keyOf(of.entity, row))}>
            <Entry {...of} row={row} day={day} />
          </li>
        ))}
      </ul>
    </td>
  );
}

/** Returns the rows of each day, by the day as `dayOf` writes it. A row without an end belongs only to the day of its start. */
function rowsByDay(
  rows: readonly Row[],
  { start, end }: NonNullable<PortalScreen['span']>,
  first: Date,
  last: Date,
): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const from = localTime(row[start]);
    if (!from) continue;
    const until = localTime(row[end]) ?? from;
    const day = new Date(Math.max(from.getTime(), first.getTime()));
    day.setHours(0, 0, 0, 0);
    // A row that ends at midnight does not belong to the day that begins then.
    while (day <= last && (day < until || dayOf(day) === dayOf(from))) {
      found.set(dayOf(day), [...(found.get(dayOf(day)) ?? []), row]);
      day.setDate(day.getDate() + 1);
    }
  }
  return found;
}

/** Reads a value as a time. A date is read as midnight in the browser's time zone. */
const localTime = (value: unknown): Date | null =>
  timeOf(typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00` : (value ?? ''));

function Entry({ screen, entity, span, row, day }: Spanned & { row: Row; day: Date }) {
  const all = useScreens();
  const path = rowPath(all, entity, row);
  const [leading] = readableFields(entity, screen.columns).filter(
    ({ name }) => name !== span.start && name !== span.end && !entity.key.includes(name),
  );
  const time = localTime(row[span.start]);
  const hasTime = time && dayOf(time) === dayOf(day) && !/^\d{4}-\d\d-\d\d$/.test(String(row[span.start]));
  const name = leading ? <FieldValue entity={entity} field={leading} row={row} isShort /> : rowName(all, entity, row);
  const words = (
    <>
      {hasTime && <b>{dateFormat({ timeStyle: 'short' }).format(time)}</b>} {name}
    </>
  );
  return path ? <Link to={path}>{words}</Link> : <span>{words}</span>;
}
