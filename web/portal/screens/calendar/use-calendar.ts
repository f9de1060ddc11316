import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PortalCalendar, PortalEntity, PortalScreen } from '../../../../contract/portal.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { followed } from '../../queries/live.ts';
import { choices, freeTimes, rowsBetween, SHOWN_ROWS } from '../../queries/rows.ts';
import { entityIn, fieldIn, formFor, useScreens } from '../../queries/screens.ts';
import { useCaller } from '../shell/gate.tsx';
import { addDays } from './days.ts';
import { type Entry, entriesOf, joinEntries } from './entries.ts';
import type { Period } from './layout.ts';
import type { Address } from './use-address.ts';

/** Maximum number of rows among which a calendar chooses the one that it shows. */
const DIVISIONS = 50;

/** A calendar with its entity. */
export interface CalendarOf {
  readonly screen: PortalScreen;
  readonly entity: PortalEntity;
  readonly span: NonNullable<PortalScreen['span']>;
  readonly calendar: PortalCalendar;
}

/** A row by which a calendar is divided, such as a room. */
export interface Division {
  readonly value: unknown;
  readonly name: string;
}

/** The contents of the days that a calendar shows. */
export interface Contents {
  readonly entries: readonly Entry[];
  /** The entity of the rows that are shown completely; undefined if the caller may read no such row. */
  readonly rows: PortalEntity | undefined;
  /** The free times; null if the app does not limit the times that can be chosen. */
  readonly free: readonly Period[] | null;
  readonly divisions: readonly Division[];
  /** Label of the rows by which the calendar is divided; empty if it is not divided. */
  readonly divisionsLabel: string;
  /** The row whose times are shown; null for all. */
  readonly division: Division | null;
  /** The form of a new row; undefined if the caller cannot add rows. */
  readonly form: PortalScreen | undefined;
  /** True for a visitor who could add rows as a member. */
  readonly isInvited: boolean;
  readonly isPending: boolean;
  readonly isCutShort: boolean;
  readonly error: Error | null;
}

/** Reads the rows, the taken times and the free times of the shown days. */
export function useContents({ screen, entity, span, calendar }: CalendarOf, { days, of }: Address): Contents {
  const portal = usePortal();
  const all = useScreens();
  const caller = useCaller();
  const now = useNow();
  const rows = calendar.rows === null ? undefined : entityIn(all, calendar.rows);
  const times = calendar.taken === null ? undefined : entityIn(all, calendar.taken);
  const { divisions, divisionsLabel, division, isPending } = useDivisions(calendar, of);
  const period: readonly [Date, Date] = [days[0] ?? now, addDays(days.at(-1) ?? now, 1)];
  const conditions: Record<string, string> =
    calendar.of && division ? { [calendar.of.field]: `eq.${division.value}` } : {};
  const people = rows?.fields.filter(({ editor }) => editor === 'member').map(({ name }) => name) ?? [];
  const columns = [...(rows === entity ? screen.columns : []), ...(calendar.of ? [calendar.of.field] : []), ...people];
  const query = (of: PortalEntity | undefined, names: readonly string[]) => ({
    ...rowsBetween(portal, all, of ?? entity, { columns: names, filter: screen.filter }, span, period, conditions),
    ...followed,
    enabled: of !== undefined && !isPending,
  });
  const read = useQuery(query(rows, columns));
  const taken = useQuery(query(times, calendar.of ? [calendar.of.field] : []));
  const limits = calendar.free;
  const isLimited = limits !== null && (limits.of === null || division !== null);
  const free = useQuery({
    ...freeTimes(
      portal,
      limits ?? { schema: null, name: '', of: null, from: '', to: '' },
      span,
      division?.value,
      period,
    ),
    ...followed,
    enabled: isLimited && !isPending,
  });
  const shown = rows ? entriesOf(rows, span, read.data?.rows ?? [], 'row') : [];
  const others = times ? entriesOf(times, span, taken.data?.rows ?? [], 'taken') : [];
  const mayGive = [span.start, span.end].every((name) => rows && fieldIn(rows, name)?.insertable);
  const form = rows && mayGive ? formFor(all, rows) : undefined;
  return {
    entries: times ? joinEntries(shown, others, calendar.of?.field ?? null, now) : shown,
    ...{ rows, divisions, divisionsLabel, division },
    free: isLimited ? (free.data ?? []) : null,
    form,
    isInvited: caller === null && form === undefined && calendar.invites,
    isPending: isPending || read.isLoading || taken.isLoading || free.isLoading,
    isCutShort: read.data?.rows.length === SHOWN_ROWS || taken.data?.rows.length === SHOWN_ROWS,
    error: read.error ?? taken.error ?? free.error,
  };
}

/** Returns the rows by which a calendar is divided, and the one that is shown. A calendar with free times shows one. */
function useDivisions({ of, free }: PortalCalendar, wanted: string | null) {
  const portal = usePortal();
  const all = useScreens();
  const owner = of ? entityIn(all, of.entity) : undefined;
  const found = useQuery({ ...choices(portal, all, owner?.id ?? '', '', DIVISIONS + 1), enabled: owner !== undefined });
  const read = found.data?.rows ?? [];
  const divisions =
    of && owner && read.length <= DIVISIONS
      ? read.map((row): Division => ({ value: row[of.key], name: rowName(all, owner, row) }))
      : [];
  const division =
    divisions.find(({ value }) => String(value) === wanted) ??
    (free !== null || divisions.length === 1 ? divisions[0] : null);
  return {
    divisions,
    divisionsLabel: owner?.label ?? '',
    division: division ?? null,
    isPending: owner !== undefined && found.isLoading,
  };
}

const MINUTE_MILLISECONDS = 60_000;

/** Returns the current time, and a later one after each minute. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
