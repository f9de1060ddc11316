import { Link, useParams } from '@tanstack/react-router';
import type { LogResponse, LogSummary } from '../../../../contract/observed.ts';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { SheetFoot } from '../../../ui/sheet.tsx';
import { count, counted } from '../../format/format.ts';
import styles from './logs-page.module.css';

/** Foot of the logs: the number of shown, matching and hidden requests, and for how long the app stores requests. */
export function LogFoot({
  shown,
  kept,
  summary,
  at,
  isLive,
  more,
  onShowHidden,
}: {
  /** Number of rows; undefined until they are loaded. */
  shown: number | undefined;
  kept: LogResponse['kept'] | undefined;
  summary: LogSummary | undefined;
  at: number;
  isLive: boolean;
  more: { word: string; busy: boolean; onMore: () => void } | null;
  onShowHidden: () => void;
}) {
  const { ref } = useParams({ from: '/signed-in/app/$ref/logs' });
  if (shown === undefined || !kept) return <SheetFoot shown="Looking" />;
  // The list may be newer than the summary, so it can contain more requests than the summary counts.
  const total = Math.max(shown, summary?.total ?? 0);
  return (
    <SheetFoot
      shown={
        <FlashOnChange value={shown}>
          {total > shown ? `${count(shown)} of ${counted(total, 'request')}` : counted(shown, 'request')}
        </FlashOnChange>
      }
      more={more}
      remark={
        <>
          {summary && summary.left_out > 0 && `${counted(summary.left_out, 'request')} at peak load not stored · `}
          {summary && summary.hidden > 0 && (
            <>
              {count(summary.hidden)} of console and health checks hidden{' '}
              <button type="button" className={styles.link} onClick={onShowHidden}>
                Show
              </button>{' '}
              ·{' '}
            </>
          )}
          <Link to="/app/$ref/limits" params={{ ref }} search={{ limit: 'logDays' }} className={styles.link}>
            stored for {counted(kept.days, 'day')}
          </Link>
          , at most {count(kept.requests)} <AsOf at={at} live={isLive} />
        </>
      }
    />
  );
}
