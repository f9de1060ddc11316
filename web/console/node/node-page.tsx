import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { NodeFigures } from '../../../contract/node.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { figureLink } from '../../ui/live-value.tsx';
import { AsOf } from '../../ui/page-header.tsx';
import { bytes, count, counted, duration, percent } from '../format/format.ts';
import { Page } from '../layout/page.tsx';
import { QueryFailure } from '../layout/query-failure.tsx';
import { nodeFigures } from '../queries/node.ts';
import { HistoryChart } from './history-chart.tsx';
import styles from './node.module.css';
import { NodeLoad, rate } from './node-load.tsx';
import { NodeSide } from './node-side.tsx';
import { bounds, type NodeWarning, nodeWarnings } from './node-warnings.ts';
import { WhatCouldBeLost } from './what-could-be-lost.tsx';

/** Page of the node for its owners: what needs attention, load, disk, connections, jobs, mails and backup. */
export function NodePage() {
  const figures = useQuery(nodeFigures());
  const { sort } = useSearch({ from: '/signed-in/node' });
  const { data } = figures;
  return (
    <Page crumbs={[{ text: 'Node' }]} fetching={figures.isLoading}>
      <header className={styles.head}>
        <h1>{location.host}</h1>
        {data && <Summary figures={data} at={figures.dataUpdatedAt} isLive={!figures.isError} />}
      </header>
      <QueryFailure query={figures} />
      {data && (
        <>
          <Warnings warnings={nodeWarnings(data)} />
          <Charts figures={data} />
          <div className={styles.columns}>
            <NodeLoad figures={data} order={sort === 'disk' ? 'disk' : 'load'} stale={figures.isError} />
            <aside aria-label="State of the node">
              <WhatCouldBeLost backup={data.backup} />
              <NodeSide figures={data} />
            </aside>
          </div>
        </>
      )}
    </Page>
  );
}

const figure = figureLink('apps');

function Summary({ figures, at, isLive }: { figures: NodeFigures; at: number; isLive: boolean }) {
  const { app_count: apps, workers, postgres, backup } = figures;
  return (
    <p className={styles.summary}>
      {figure(counted(apps, 'app runs', 'apps run'))} on PostgreSQL {postgres.version ?? ''} with{' '}
      {counted(workers, 'worker')}. <LossSentence backup={backup} /> <AsOf at={at} live={isLive} />
    </p>
  );
}

function LossSentence({ backup }: Pick<NodeFigures, 'backup'>) {
  if (backup === null) return 'Backups are not set up.';
  const { loss_window_seconds: loss, drill_age_seconds: drill } = backup;
  return (
    <>
      {loss !== null && (
        <>If this machine were lost now, at most the last {figure(duration(loss * 1000))} would be lost. </>
      )}
      {drill === null ? (
        'No restore was tried yet.'
      ) : (
        <>The last restore was tried {figure(`${duration(drill * 1000)} ago`)}.</>
      )}
    </>
  );
}

function Warnings({ warnings }: { warnings: readonly NodeWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="Needs attention">
      {warnings.map((warning) => (
        <li key={warning.id}>
          <span className={warning.isError ? styles.bad : styles.late}>
            <Icon of={warning.isError ? IconAlertCircle : IconAlertTriangle} />
          </span>
          <p>
            <b>{warning.title}</b>
            <small>{warning.detail}</small>
          </p>
          <WarningAction action={warning.action} />
        </li>
      ))}
    </ul>
  );
}

function WarningAction({ action }: Pick<NodeWarning, 'action'>) {
  if (action === null) return null;
  if (action.to === 'disk') {
    return (
      <Link to="/node" search={{ sort: 'disk' }} hash="apps" className={buttonClass()}>
        {action.words}
      </Link>
    );
  }
  return (
    <Link to={`/app/$ref/${action.to}`} params={{ ref: action.ref }} className={buttonClass()}>
      {action.words}
    </Link>
  );
}

function Charts({ figures: { history, cores, disk, memory, calls_in_flight: open } }: { figures: NodeFigures }) {
  const [first, last] = [history[0], history[history.length - 1]];
  const span = first && last ? duration(Date.parse(last.at) - Date.parse(first.at)) : '';
  const calls = history.map((one) => one.calls_per_second);
  const highest = Math.max(0, ...calls);
  const isDiskFull = disk !== null && disk.used_bytes >= bounds.diskShare * disk.size_bytes;
  return (
    <div className={styles.charts}>
      <HistoryChart
        title="Calls a second"
        span={span}
        value={rate(last?.calls_per_second ?? 0)}
        note={calls.length > 1 ? `highest ${rate(highest)}` : `${count(open)} open`}
        points={calls}
      />
      <HistoryChart
        title="Processor"
        span={span}
        value={percent(last?.processor ?? 0, 1)}
        note={`of ${counted(cores, 'core')}`}
        points={history.map((one) => one.processor)}
        max={1}
        bound={bounds.processorShare}
      />
      <HistoryChart
        title="Memory"
        span={span}
        value={bytes(memory.used_bytes)}
        note={`of ${bytes(memory.size_bytes)}`}
        points={history.map((one) => one.memory_bytes)}
        max={memory.size_bytes}
        bound={bounds.memoryShare * memory.size_bytes}
      />
      <HistoryChart
        title="Disk"
        span={span}
        value={disk === null ? '–' : bytes(disk.used_bytes)}
        note={disk === null ? 'not known' : `of ${bytes(disk.size_bytes)}`}
        points={history.map((one) => one.disk_bytes ?? 0)}
        max={disk?.size_bytes ?? 1}
        bound={disk && bounds.diskShare * disk.size_bytes}
        isWarning={isDiskFull}
      />
    </div>
  );
}
