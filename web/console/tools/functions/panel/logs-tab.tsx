import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FunctionLogLine } from '../../../../../contract/functions.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Dot } from '../../../../ui/dot.tsx';
import { Segmented } from '../../../../ui/segmented.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { dateTime, milliseconds, timeOfDay } from '../../../format/format.ts';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import { functionOutput } from '../../../queries/functions.ts';
import styles from '../functions.module.css';

/** The output of a function, newest first. New lines appear by themselves until the reader pauses. */
export function LogsTab({ appRef, name }: { appRef: string; name: string }) {
  const [shown, setShown] = useState<'all' | 'errors'>('all');
  const [isLive, setIsLive] = useState(true);
  const query = useQuery(functionOutput(appRef, name, shown === 'errors', isLive));
  const { data } = query;
  return (
    <>
      <div className={styles.logBar}>
        <span className={styles.live} role="status">
          <Dot kind={isLive && !query.isError ? 'live' : 'unknown'} />
          {isLive ? 'live' : 'paused'}
        </span>
        <Segmented
          label="Lines"
          value={shown}
          options={[
            ['all', 'All'],
            ['errors', 'Errors'],
          ]}
          onChange={setShown}
        />
        <Button
          small
          kind="quiet"
          square
          icon={isLive ? IconPlayerPause : IconPlayerPlay}
          label={isLive ? 'Pause' : 'Continue'}
          onClick={() => setIsLive(!isLive)}
        />
      </div>
      <QueryFailure query={query} />
      {query.isPending && <Skeleton width={220} />}
      {data?.lines.length === 0 && (
        <p className="soft">
          {shown === 'errors'
            ? 'No errors and no warnings. console.error and exceptions appear here.'
            : 'No output yet. Call the function under Try it; what it writes with console.log appears here.'}
        </p>
      )}
      {data && data.lines.length > 0 && (
        <ol className={styles.lines} aria-label="Output">
          {data.lines.toReversed().map((line) => (
            <Line key={line.id} appRef={appRef} line={line} isNew={line.id > data.known} />
          ))}
        </ol>
      )}
    </>
  );
}

/** One line of output, with a link to the request that wrote it. */
function Line({ appRef, line, isNew }: { appRef: string; line: FunctionLogLine; isNew: boolean }) {
  const { at, level, message, request_id: requestId, milliseconds: took } = line;
  const time = (
    <time dateTime={at} title={dateTime(at)}>
      {timeOfDay(at)}
    </time>
  );
  return (
    <li className={classNames(level === 'error' && styles.bad, isNew && styles.fresh)}>
      {requestId === null ? (
        time
      ) : (
        <Link
          to="/app/$ref/calls/$requestId"
          params={{ ref: appRef, requestId }}
          aria-label={`Request of ${timeOfDay(at)}`}
        >
          {time}
        </Link>
      )}
      <span className={styles[level]}>{level}</span>
      <span className={styles.message}>
        {message}
        {took !== null && <span className="soft"> {milliseconds(took)}</span>}
      </span>
    </li>
  );
}
