import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useRef } from 'react';
import { t } from '../../../language/messages.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { code } from '../../../ui/recovery/code.ts';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { SHOWN_ROWS } from '../../queries/rows.ts';
import { fieldIn, type Place } from '../../queries/screens.ts';
import { Actions } from '../shared/actions.tsx';
import { NewLink } from '../shared/new-link.tsx';
import pageStyles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { Shell } from '../shell/shell.tsx';
import { CalendarBar } from './calendar-bar.tsx';
import styles from './calendar-page.module.css';
import { DayList } from './day-list.tsx';
import { dayOf } from './days.ts';
import { hoursIn, type Period } from './layout.ts';
import { Legend } from './legend.tsx';
import { MonthTable } from './month-table.tsx';
import { TimeGrid } from './time-grid.tsx';
import { type Address, neighbour, useAddress, type View, type Visit } from './use-address.ts';
import { type CalendarOf, type Contents, useContents, useNow } from './use-calendar.ts';
import { useRowMoves } from './use-row-moves.ts';
import { hourWords, rangeWords } from './words.ts';

const NewRow = lazy(code(() => import('./new-row.tsx').then(({ NewRow: dialog }) => ({ default: dialog }))));

/**
 * Shows rows that have a start and an end, as a day, a week or a month. Times that are free are chosen by a press, a drag
 * or the keyboard, and become new rows. The address contains the view, the day, and the chosen time.
 */
export function CalendarPage({ screen, entity }: Place) {
  const { span, calendar } = screen;
  return span && calendar && <Calendar of={{ screen, entity, span, calendar }} />;
}

function Calendar({ of }: { of: CalendarOf }) {
  const { screen, entity, span } = of;
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false }) === true;
  const isOfDays = fieldIn(entity, span.start)?.editor === 'date';
  const [address, go] = useAddress(isOfDays ? 'month' : isPhone ? 'day' : 'week');
  const contents = useContents(of, address);
  const moves = useRowMoves(of, contents.rows);
  const now = useNow();
  const page = useRef<HTMLDivElement>(null);
  const { view, on, days, chosen } = address;
  const range = rangeWords(days, view === 'month', on);
  const label = t('calendarOf', { title: contents.division?.name ?? screen.title, month: range });
  const canChoose = contents.form !== undefined || contents.isInvited;
  const choose = (period: Period) => {
    moves.dismiss();
    go({ chosen: period });
  };
  const shared = { of, contents, moves, now, label };
  const isList = isPhone && view === 'day' && contents.free !== null;
  return (
    <Shell title={screen.title} isFollowed={!contents.error}>
      <Keys address={address} go={go} />
      <Head of={of} contents={contents} address={address} range={range} />
      <Actions actions={screen.actions} />
      <Trouble error={contents.error} />
      <div ref={page}>
        <CalendarBar {...{ address, contents, range, isPhone }} />
        {view === 'month' ? (
          <MonthTable {...shared} weeks={weeksIn(days)} on={on} onChoose={canChoose && isOfDays ? choose : null} />
        ) : isList ? (
          <DayList {...shared} day={on} onChoose={canChoose ? choose : null} chosen={chosen} />
        ) : (
          <TimeGrid
            {...shared}
            {...{ days, chosen }}
            onChoose={canChoose ? choose : null}
            onDay={(day) => go({ on: day }, true)}
          />
        )}
      </div>
      {view !== 'month' && !isList && <Legend contents={contents} canChoose={canChoose} />}
      <p className="sr" role="status">
        {moves.said}
      </p>
      {chosen && canChoose && (
        <Suspense>
          <NewRow
            key={contents.division?.name}
            {...{ of, contents, chosen }}
            place={() => page.current?.querySelector('[data-chosen]') ?? null}
            onTimes={(period) => go({ chosen: period }, true)}
            onClose={() => go({ chosen: null }, true)}
          />
        </Suspense>
      )}
    </Shell>
  );
}

const weeksIn = (days: readonly Date[]): Date[][] =>
  Array.from({ length: Math.ceil(days.length / 7) }, (_, i) => days.slice(i * 7, i * 7 + 7));

/** Title of the calendar, what is free in it, and the form for a new row. */
function Head({
  of,
  contents,
  address,
  range,
}: {
  of: CalendarOf;
  contents: Contents;
  address: Address;
  range: string;
}) {
  const { screen } = of;
  const { free, isInvited, isCutShort, form } = contents;
  const isEmpty = !contents.isPending && !contents.error && contents.entries.length === 0;
  const words = [
    isEmpty ? screen.empty : null,
    free && !contents.isPending && address.view !== 'month'
      ? t('calendarFreeIn', { hours: hourWords(hoursIn(free)), range })
      : null,
    isCutShort ? t('calendarFirst', { month: range, count: SHOWN_ROWS }) : null,
    isInvited ? t('calendarInvite') : null,
  ];
  const answer = words.filter((one) => one !== null).join(' ');
  return (
    <div className={pageStyles.titlebar}>
      <div>
        <h1 className={pageStyles.title}>{screen.title}</h1>
        {answer !== '' && (
          <p className={pageStyles.answer} role="status">
            {answer}
          </p>
        )}
      </div>
      <div className={classNames(pageStyles.actions, styles.actions)}>
        {form && <NewLink form={form} />}
        {isInvited && (
          <Link to="/account/sign-in" search={{ next: screen.route }} className={buttonClass()}>
            {t('signIn')}
          </Link>
        )}
      </div>
    </div>
  );
}

const views: Readonly<Record<string, View>> = { d: 'day', w: 'week', m: 'month' };

/** Binds the keys of a calendar: T for today, J and K for the days after and before, D, W and M for the views. */
function Keys({ address, go }: { address: Address; go: (visit: Visit) => void }) {
  const { view, on } = address;
  const day = dayOf(on);
  useKeys(
    useMemo(() => {
      const at = { view, on: new Date(`${day}T00:00:00`) };
      const binding = (keys: string, does: string, visit: () => Visit) => ({
        ...{ keys, does, group: '' },
        run: () => go({ chosen: null, ...visit() }),
      });
      return [
        binding('t', t('timeToday'), () => ({ on: new Date() })),
        binding('j', t('calendarNext', { view }), () => ({ on: neighbour(at, 1) })),
        binding('k', t('calendarPrevious', { view }), () => ({ on: neighbour(at, -1) })),
        ...Object.entries(views).map(([keys, to]) => binding(keys, viewName(to), () => ({ view: to }))),
      ];
    }, [view, day, go]),
  );
  return null;
}

const viewName = (view: View): string =>
  view === 'day' ? t('calendarDay') : view === 'week' ? t('calendarWeek') : t('calendarMonth');
