import type { PortalEntity, PortalScreen } from '../../../../contract/portal.ts';
import { timeOf } from '../../../fields/format.ts';
import { keyOf } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { fieldIn } from '../../queries/screens.ts';
import { addDays } from './days.ts';
import { isInBand, type Period } from './layout.ts';

type Span = NonNullable<PortalScreen['span']>;

/** A row in a calendar, or a taken time of which the caller may know no more. */
export interface Entry extends Period {
  readonly id: string;
  readonly kind: 'row' | 'taken';
  readonly row: Row;
  /** True for a row of days or of several days, which the band above the hours shows. */
  readonly isInBand: boolean;
  /** True for a row whose state is final. */
  readonly isOver: boolean;
}

/** Returns true for a field with days, which have no time of the day. */
export const isDayField = (entity: PortalEntity, name: string): boolean => fieldIn(entity, name)?.editor === 'date';

/**
 * Returns the period of a row; null for a row without a start. A row without an end has no length. A last day belongs to
 * the row.
 */
export function periodOf(entity: PortalEntity, { start, end }: Span, row: Row): Period | null {
  const read = (name: string) =>
    timeOf(isDayField(entity, name) && row[name] != null ? `${row[name]}T00:00:00` : (row[name] ?? ''));
  const begun = read(start);
  if (!begun) return null;
  const ended = read(end);
  const isDay = isDayField(entity, start);
  const last = ended && isDayField(entity, end) ? addDays(ended, 1) : ended;
  return { start: begun, end: last && last > begun ? last : isDay ? addDays(begun, 1) : begun };
}

/** Returns the values of the span of a row for a period. */
export function spanValues(entity: PortalEntity, { start, end }: Span, period: Period): readonly [string, Date][] {
  const last = isDayField(entity, end) ? addDays(period.end, -1) : period.end;
  return [
    [start, period.start],
    [end, last],
  ];
}

/** Returns the entries of rows. */
export const entriesOf = (entity: PortalEntity, span: Span, rows: readonly Row[], kind: Entry['kind']): Entry[] =>
  rows.flatMap((row, i): Entry[] => {
    const period = periodOf(entity, span, row);
    const id = entity.key.length > 0 ? JSON.stringify(keyOf(entity, row)) : `${kind} ${i}`;
    const state = entity.machine?.states.find(({ value }) => value === row[entity.machine?.field ?? '']);
    return period
      ? [
          {
            ...period,
            ...{ id, kind, row },
            isInBand: isDayField(entity, span.start) || isInBand(period),
            isOver: state?.final === true,
          },
        ]
      : [];
  });

/**
 * Joins the rows that the caller may read with the taken times of all callers. A taken time of such a row is left out, and
 * so is a row of the future whose state is final and that takes no time, because its time can be chosen again.
 * @param of The field by which the calendar is divided.
 */
export function joinEntries(rows: readonly Entry[], taken: readonly Entry[], of: string | null, now: Date): Entry[] {
  const timeKey = ({ start, end, row }: Entry) => `${start.getTime()} ${end.getTime()} ${of === null ? '' : row[of]}`;
  const [own, all] = [new Set(rows.map(timeKey)), new Set(taken.map(timeKey))];
  return [
    ...rows.filter((one) => !one.isOver || one.end <= now || all.has(timeKey(one))),
    ...taken.filter((one) => !own.has(timeKey(one))),
  ];
}
