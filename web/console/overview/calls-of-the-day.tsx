import { Fragment } from 'react';
import type { Activity } from '../../../contract/admin.ts';
import { FlashOnChange } from '../../ui/live-value.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { count, hour, milliseconds, share } from '../format/format.ts';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

/** Shows the requests of the last 24 hours as one bar for each hour, and the figures of the current day. */
export function CallsOfTheDay({ activity }: { activity: Activity | undefined }) {
  return (
    <SideSection title="Calls" aside="last 24 hours" least={activity ? undefined : 154}>
      {activity ? <Day activity={activity} /> : <Skeleton width={336} />}
    </SideSection>
  );
}

function Day({ activity: { hours, today } }: { activity: Activity }) {
  const all = hours.reduce((sum, { calls }) => sum + calls, 0);
  if (all === 0) return <p className={styles.none}>No requests in the last 24 hours.</p>;
  const figures: (readonly [string, string | null])[] = [
    ['p50', today.p50_ms === null ? null : milliseconds(today.p50_ms)],
    ['p99', today.p99_ms === null ? null : milliseconds(today.p99_ms)],
    ['failed', share(today.failed, today.calls)],
    ['a minute', count(today.per_minute)],
  ];
  const known = figures.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return (
    <>
      <div className={styles.line}>
        <Sparkline values={hours.map(({ calls }) => calls)} />
      </div>
      <div className={styles.ruler} aria-hidden="true">
        {hours
          .filter((_, place) => place % 6 === 0)
          .map(({ at }) => (
            <span key={at}>{hour(at)}</span>
          ))}
        <span>now</span>
      </div>
      <p className={styles.figures}>
        {known.map(([name, value]) => (
          <Fragment key={name}>
            <span>
              <b>
                <FlashOnChange value={value}>{value}</FlashOnChange>
              </b>{' '}
              {name}
            </span>{' '}
          </Fragment>
        ))}
      </p>
    </>
  );
}
