import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { RealtimeState } from '../../../../contract/realtime.ts';
import { Button } from '../../../ui/button.tsx';
import { figureLink } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { realtimeState } from '../../queries/realtime.ts';
import { ChannelTable } from './channel-table.tsx';
import { InspectorPanel } from './inspector/inspector-panel.tsx';
import { PrivateOnly } from './private-only.tsx';
import styles from './realtime.module.css';
import { TableSwitches } from './table-switches.tsx';

/** Page of an app's realtime: its sockets and channels, the tables that send changes, and an inspector that joins a channel. */
export function RealtimePage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/realtime' });
  const state = useQuery(realtimeState(ref));
  const [topic, setTopic] = useState<{ name: string; isPrivate: boolean } | null>(null);
  const { data } = state;
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'Realtime' }]}
      fetching={state.isLoading}
      panel={
        topic && (
          <InspectorPanel
            key={JSON.stringify(topic)}
            appRef={ref}
            topic={topic}
            tables={data?.tables.filter(({ published }) => published) ?? []}
            onClose={() => setTopic(null)}
          />
        )
      }
    >
      <header className={styles.head}>
        <h1>Realtime</h1>
        <Button icon={IconPlugConnected} onClick={() => setTopic({ name: '', isPrivate: false })}>
          Join a channel
        </Button>
      </header>
      <QueryFailure query={state} />
      {data && (
        <>
          <Summary state={data} at={state.dataUpdatedAt} isLive={!state.isError} />
          <ChannelTable usage={data.usage} onJoin={(name, isPrivate) => setTopic({ name, isPrivate })} />
          <TableSwitches appRef={ref} tables={data.tables} />
          <PrivateOnly appRef={ref} isOn={data.private_only} />
        </>
      )}
    </Page>
  );
}

const figure = figureLink('channels');

/** The state of all workers in a sentence. */
function Summary({ state: { usage, limits }, at, isLive }: { state: RealtimeState; at: number; isLive: boolean }) {
  const { sockets, channels, sent_per_second: sent, received_per_second: received, delay, dropped } = usage;
  return (
    <p className={styles.summary}>
      {figure(counted(sockets, 'socket is', 'sockets are'))} open in {figure(counted(channels, 'channel'))}; each worker
      takes {limits.sockets}. {figure(counted(Math.round(sent), 'message goes', 'messages go'))} out each second, and{' '}
      {figure(counted(Math.round(received), 'message comes', 'messages come'))} in.{' '}
      {delay === null ? (
        'No row changed in the last minute.'
      ) : (
        <>
          Half of the changes arrive within {figure(`${delay.p50_ms} ms`)}, 99 of 100 within{' '}
          {figure(`${delay.p99_ms} ms`)}.
        </>
      )}{' '}
      {dropped > 0 && <>{figure(counted(dropped, 'message'), true)} did not reach slow clients. </>}
      <AsOf at={at} live={isLive} />
    </p>
  );
}
