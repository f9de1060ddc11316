import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { timeOf } from '../../../fields/format.ts';
import { currentLocale } from '../../../language/messages.ts';
import { addDays, dayIn, dayOf, firstDayOfWeek, midnight, weekOf, weeksOf } from './days.ts';
import type { Period } from './layout.ts';

export type View = 'day' | 'week' | 'month';

/** The part of a calendar that its address names. */
export interface Address {
  readonly view: View;
  /** A day of the days that are shown. */
  readonly on: Date;
  /** The days that are shown. For a month, these are its complete weeks. */
  readonly days: readonly Date[];
  /** Key of the row by which the calendar is divided, as text; null if the address has none. */
  readonly of: string | null;
  /** The time that the caller has chosen for a new row. */
  readonly chosen: Period | null;
}

/** Changes of an address. `chosen: null` removes the chosen time. */
export type Visit = Partial<Pick<Address, 'view' | 'on' | 'chosen'>> & { readonly of?: unknown };

const isView = (value: unknown): value is View => value === 'day' || value === 'week' || value === 'month';

/** Returns the search parameters of a change. */
const searchOf = ({ view, on, of, chosen }: Visit): Record<string, unknown> => ({
  ...(view && { view }),
  ...(on && { on: dayOf(on) }),
  ...(of !== undefined && { of: of ?? undefined }),
  ...(chosen !== undefined && { at: chosen?.start.toISOString(), until: chosen?.end.toISOString() }),
});

/** Returns the search parameters of a link to another part of the calendar. It keeps the others. */
export const linkTo = (visit: Visit) =>
  ((before: Record<string, unknown>) => ({ ...before, ...searchOf({ chosen: null, ...visit }) })) as never;

/** Returns the day to which an arrow leads: the same place in the day, week or month before or after. */
export function neighbour({ view, on }: Pick<Address, 'view' | 'on'>, step: 1 | -1): Date {
  if (view === 'month') return new Date(on.getFullYear(), on.getMonth() + step);
  return addDays(on, view === 'week' ? 7 * step : step);
}

/** Reads what the address of a calendar shows. Returns it, and a function that changes the address. */
export function useAddress(usual: View): readonly [Address, (visit: Visit, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const view = isView(search.view) ? search.view : usual;
  const [start, end] = [search.at, search.until].map((text) => (typeof text === 'string' ? timeOf(text) : null));
  const chosen = start && end && start < end ? { start, end } : null;
  const on = dayIn(search.on, chosen?.start ?? new Date());
  const first = firstDayOfWeek(currentLocale());
  const days = view === 'day' ? [midnight(on)] : view === 'week' ? weekOf(on, first) : weeksOf(on, first).flat();
  const of = search.of === undefined || search.of === null ? null : String(search.of);
  const go = useCallback(
    (visit: Visit, replace = false) => void navigate({ to: '.', search: linkTo(visit), replace }),
    [navigate],
  );
  return [{ view, on, days, of, chosen }, go];
}
