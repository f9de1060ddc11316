import { Link, useNavigate } from '@tanstack/react-router';
import type { AppLoad, NodeFigures } from '../../../contract/node.ts';
import { ScrollFrame } from '../../ui/scroll-frame.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { rowClass, Table, TableHead } from '../../ui/table.tsx';
import { bytes, count, milliseconds, percent } from '../format/format.ts';
import styles from './node.module.css';
import { bounds } from './node-warnings.ts';

/** Number of apps in the table. The page of all apps has the others. */
const SHOWN = 10;

/** The column by which the apps are sorted. */
export type AppOrder = 'load' | 'disk';

/** Table of the busiest or the largest apps. */
export function NodeLoad({
  figures: { apps, app_count: total },
  order,
  stale,
}: {
  figures: NodeFigures;
  order: AppOrder;
  stale: boolean;
}) {
  const navigate = useNavigate();
  const shown = sorted(apps, order).slice(0, SHOWN);
  const largest = Math.max(1, ...apps.map((app) => app.database_bytes ?? 0));
  return (
    <section id="apps" aria-labelledby="apps-title" className={styles.section}>
      <header>
        <h2 id="apps-title">
          Apps{' '}
          <span>
            {shown.length} of {count(total)}
          </span>
        </h2>
        <Segmented
          label="Order"
          value={order}
          options={[
            ['load', 'Load'],
            ['disk', 'Disk'],
          ]}
          onChange={(sort) =>
            void navigate({ to: '/node', search: sort === 'disk' ? { sort } : {}, replace: true, resetScroll: false })
          }
        />
        <Link to="/">All</Link>
      </header>
      <ScrollFrame>
        <Table label="Apps" stale={stale}>
          <TableHead names={NAMES} figures={NAMES.slice(1)} />
          <tbody>
            {shown.map((app) => (
              <tr
                key={app.ref}
                className={rowClass}
                onClick={() => void navigate({ to: '/app/$ref', params: { ref: app.ref } })}
              >
                <td>
                  <Link to="/app/$ref" params={{ ref: app.ref }} className={styles.app}>
                    {app.ref}
                  </Link>
                </td>
                <td className="num">{rate(app.calls_per_second)}</td>
                <td className={app.failed >= bounds.failedShare ? `num ${styles.bad}` : 'num'}>
                  {percent(app.failed, 1)}
                </td>
                <td className="num">{within(app.p50_seconds)}</td>
                <td className="num">{within(app.p99_seconds)}</td>
                <td className="num">
                  {app.database_bytes === null ? (
                    '–'
                  ) : (
                    <>
                      <Meter share={app.database_bytes / largest} />
                      {bytes(app.database_bytes)}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </ScrollFrame>
      {shown.length === 0 && <p className={styles.words}>No apps yet. Create one on the page Apps.</p>}
    </section>
  );
}

const NAMES = ['App', 'Calls a second', 'Failed', 'Half within', '99 of 100 within', 'Disk'] as const;

/** Bar that is filled by a share, from 0 to 1. The figure is beside it. */
export function Meter({ share, isWarning = false }: { share: number; isWarning?: boolean }) {
  return (
    <span className={isWarning ? `${styles.meter} ${styles.warning}` : styles.meter} aria-hidden="true">
      <i style={{ width: `${Math.round(100 * Math.min(1, share))}%` }} />
    </span>
  );
}

const sorted = (apps: readonly AppLoad[], order: AppOrder): AppLoad[] =>
  apps.toSorted((a, b) =>
    order === 'load'
      ? b.calls_per_second - a.calls_per_second || a.ref.localeCompare(b.ref)
      : (b.database_bytes ?? 0) - (a.database_bytes ?? 0),
  );

/** Formats a rate: "412", "3.1", "0.02". */
export const rate = (value: number): string =>
  value === 0
    ? '0'
    : value < 0.01
      ? '<0.01'
      : value < 1
        ? value.toFixed(2)
        : value < 10
          ? value.toFixed(1)
          : count(value);

/** The upper bound of a bucket, so the time is at most this. */
const within = (seconds: number | null): string => (seconds === null ? '–' : milliseconds(seconds * 1000));
