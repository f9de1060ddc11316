import type { ComputedPart, PortalEntity, PortalFigure } from '../../../../contract/portal.ts';
import { timeOf } from '../../../fields/format.ts';
import { dateFormat, t } from '../../../language/messages.ts';
import { distinctKeys } from '../../../ui/distinct-keys.ts';
import { figureText, numberOf } from './figure-text.ts';
import { LineChart } from './line-chart.tsx';
import styles from './parts-page.module.css';
import { useValueLabels } from './value-labels.ts';

/** Number of days between two points from which each point is a week. */
const WEEK_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/** A chart with a value for each day, or for each week of a year, and the same values as a table for screen readers. */
export function Line({
  part,
  entity,
  figure: { at, lines, further },
}: {
  part: Extract<ComputedPart, { kind: 'line' }>;
  entity: PortalEntity;
  figure: Extract<PortalFigure, { kind: 'line' }>;
}) {
  const labelOf = useValueLabels(
    entity,
    part.by,
    lines.map(({ by }) => by),
  );
  const times = at.map((day) => timeOf(`${day}T00:00:00`) ?? new Date(0));
  const isWeekly = times.length > 1 && Number(times[1]) - Number(times[0]) > WEEK_MILLISECONDS / 2;
  const named = lines.map(({ by, values }) => ({
    label: part.by === null ? '' : labelOf(by),
    values: values.map(numberOf),
  }));
  const keys = distinctKeys(named.map(({ label }) => label));
  const format = (value: number | null) => figureText(part, entity, value);
  const dayText = (time: Date) => {
    const day = dateFormat({ weekday: 'short', day: 'numeric', month: 'long' }).format(time);
    return isWeekly ? t('figureWeekFrom', { date: dateFormat({ dateStyle: 'medium' }).format(time) }) : day;
  };
  return (
    <>
      <LineChart
        title={part.title}
        times={times}
        dayText={dayText}
        lines={named}
        isWhole={part.value === 'count'}
        format={format}
      />
      {further > 0 && <p className={styles.note}>{t('figureFurther', { count: further })}</p>}
      <table className="sr" aria-label={part.title}>
        <thead>
          <tr>
            <th>{t(isWeekly ? 'figureWeek' : 'figureDay')}</th>
            {named.map(({ label }, i) => (
              <th key={keys[i]}>{label || part.title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, i) => (
            <tr key={at[i]}>
              <th scope="row">{dayText(time)}</th>
              {named.map(({ values }, line) => (
                <td key={keys[line]}>{format(values[i] ?? null)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
