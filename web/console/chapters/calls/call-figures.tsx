import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StatisticsWindow } from '../../../../contract/observed.ts';
import type { CallFigures } from '../../../../contract/specification-calls.ts';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { Sparkline } from '../../../ui/sparkline.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { count, counted, milliseconds, share } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { callSeries } from '../../queries/calls.ts';
import { WindowChoice } from '../window-choice.tsx';
import styles from './calls.module.css';

const words: Readonly<Record<StatisticsWindow, string>> = {
  hour: 'in the last hour, a point a minute',
  day: 'in 24 hours, a point for each 15 minutes',
  week: 'in 7 days, a point an hour',
};

/** Shows how often a call was requested recently, its durations and its error rate. */
export function CallFiguresOf({ appRef, id }: { appRef: string; id: string }) {
  const [window, setWindow] = useState<StatisticsWindow>('hour');
  const { data, isError } = useQuery(callSeries(appRef, id, window));
  const [call] = data?.calls ?? [];
  return (
    <>
      <WindowChoice value={window} onChange={setWindow} />
      {isError && <p className={styles.words}>Currently unavailable.</p>}
      {!data && !isError && (
        <p className={styles.words}>
          <Skeleton width={200} />
        </p>
      )}
      {data && !call && <p className={styles.words}>Not called {words[window].split(',')[0]}.</p>}
      {call && (
        <>
          <div className={styles.line}>
            <Sparkline values={call.points.calls} />
          </div>
          <p className={styles.words}>
            {counted(call.figures.calls, 'call')} {words[window]}
          </p>
          <Figures figures={call.figures} />
        </>
      )}
    </>
  );
}

const perMinute = (calls: number): string =>
  calls >= 10 ? count(calls) : calls >= 0.1 ? calls.toFixed(1) : 'under 0.1';

function Figures({ figures }: { figures: CallFigures }) {
  const { calls, failed, per_minute, p50_ms, p99_ms, last_at } = figures;
  const pairs: (readonly [string, string | null])[] = [
    ['a minute', perMinute(per_minute)],
    ['p50', p50_ms === null ? null : milliseconds(p50_ms)],
    ['p99', p99_ms === null ? null : milliseconds(p99_ms)],
    ['failed', share(failed, calls)],
  ];
  return (
    <p className={styles.figures}>
      {pairs.map(
        ([name, value]) =>
          value !== null && (
            <span key={name}>
              <b>
                <FlashOnChange value={value}>{value}</FlashOnChange>
              </b>{' '}
              {name}{' '}
            </span>
          ),
      )}
      {last_at !== null && (
        <span>
          last <TimeAgo iso={last_at} />
        </span>
      )}
    </p>
  );
}
