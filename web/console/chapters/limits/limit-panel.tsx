import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RealtimeUsage } from '../../../../contract/realtime.ts';
import type { LimitLine } from '../../../../contract/specification.ts';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { count } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { SqlLink } from '../../layout/sql-link.tsx';
import { realtimeState } from '../../queries/realtime.ts';
import { StoryLink } from '../errors/failed-calls.tsx';
import { Caller } from '../request/caller.tsx';
import { LimitControl } from './limit-control.tsx';
import { exactAmount, setIn } from './limit-words.ts';
import styles from './limits.module.css';

/** Panel of a limit: its meaning, value and source, who hit it, and how to change it. */
export function LimitPanel({
  appRef,
  line,
  ...steps
}: {
  appRef: string;
  line: LimitLine;
} & PanelSteps) {
  return (
    <Panel label={`Limit ${line.id}`} title={<code>{line.id}</code>} {...steps}>
      <VerdictLine>{line.meaning}</VerdictLine>
      <PanelSection title="Value">
        <KeyValues
          pairs={[
            ['In force', <b key="value">{exactAmount(line.value, line.unit)}</b>],
            line.figures != null &&
              line.figures.used !== null && ['Used now', exactAmount(line.figures.used, line.unit)],
            isCounted(line.id) && ['Used now', <UsedNow key="used" appRef={appRef} limit={line.id} />],
            ['Default', line.default === null ? 'no limit' : exactAmount(line.default, line.unit)],
            ['Set in', setIn(line)],
            line.code !== null && [
              'Error',
              <Link key="code" to="/app/$ref/errors" params={{ ref: appRef }} search={{ error: `code.${line.code}` }}>
                <code>{line.code}</code>
              </Link>,
            ],
          ]}
        />
      </PanelSection>
      <PanelSection title="Change">
        <Change appRef={appRef} line={line} />
      </PanelSection>
      <Hits appRef={appRef} line={line} />
    </Panel>
  );
}

/** Shows the control of a limit that the builder may change here, or else who may change it and where. */
function Change({ appRef, line }: { appRef: string; line: LimitLine }): ReactNode {
  const { change } = line;
  if (change === null) return <p>This limit is part of Ninefold and the same for every app.</p>;
  switch (change.by) {
    case 'setting':
      return <LimitControl key={line.id} appRef={appRef} line={line} />;
    case 'environment':
      return (
        <>
          <p>The operator sets this environment variable and restarts the node.</p>
          <Code code={`${change.key}=${line.value ?? ''}`} language="env" label="the environment variable" />
        </>
      );
    case 'sql':
      return (
        <>
          <p>Change this limit with SQL. Replace … with your value.</p>
          <Code code={change.key} language="sql" label="the SQL" />
          <p>
            <SqlLink appRef={appRef} sql={change.key} />
          </p>
        </>
      );
  }
}

/** Lists who hit the limit, and when. */
function Hits({ appRef, line: { figures, code } }: { appRef: string; line: LimitLine }) {
  if (!figures || figures.week === 0) {
    return (
      <PanelSection title="Rejected requests">
        <p className="soft">
          {code === null ? 'This limit does not reject requests.' : 'No rejected requests within 7 days.'}
        </p>
      </PanelSection>
    );
  }
  const { last_caller, last_requests } = figures;
  return (
    <PanelSection title="Rejected requests">
      <KeyValues
        pairs={[
          ['Times', `${count(figures.hour)} in an hour, ${count(figures.day)} in 24, ${count(figures.week)} in 7 days`],
          figures.last_at !== null && ['Last', <TimeAgo key="last" iso={figures.last_at} />],
          last_caller !== null && [
            'By',
            isUserId(last_caller) ? (
              <Caller key="by" appRef={appRef} who={{ user_id: last_caller, role: null }} />
            ) : (
              <code key="by">{last_caller}</code>
            ),
          ],
          last_requests.length !== 0 && [
            'Calls',
            <span key="calls" className={styles.ids}>
              {last_requests.map((id) => (
                <StoryLink key={id} appRef={appRef} id={id} />
              ))}
            </span>,
          ],
        ]}
      />
    </PanelSection>
  );
}

const isUserId = (who: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(who);

/** The part of the usage of all workers that a limit of each worker bounds. */
const usedOf: Readonly<Record<string, (usage: RealtimeUsage) => number>> = {
  realtimeSockets: ({ sockets }) => sockets,
  realtimeMessagesPerSecond: ({ received_per_second: received }) => Math.round(received),
  realtimeJoinsPerSecond: ({ joins_per_second: joins }) => Math.round(joins),
  realtimeDeliveriesPerSecond: ({ sent_per_second: sent }) => Math.round(sent),
};

/** Returns true for a limit of which the server counts what is used now. */
const isCounted = (limit: string): boolean => Object.hasOwn(usedOf, limit);

/** Shows what all workers use of a limit now. */
function UsedNow({ appRef, limit }: { appRef: string; limit: string }) {
  const { data } = useQuery(realtimeState(appRef));
  if (!data) return <span className="soft">Counting</span>;
  return <>{`${count(usedOf[limit]?.(data.usage) ?? 0)} on all workers; each worker has this limit`}</>;
}
