import { IconExternalLink, IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListedCall } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, shortId, timeOfDay } from '../../format/format.ts';
import { recentErrors } from '../../queries/calls.ts';
import { Caller } from '../request/caller.tsx';
import { errorName, replyOf, replyRemark, times } from './error-words.ts';
import styles from './errors.module.css';
import { StoryLink } from './failed-calls.tsx';

/** Panel of an error: its meaning, the action, the text for members, the response, and the last requests with it. */
export function ErrorPanel({
  appRef,
  line,
  ...steps
}: {
  appRef: string;
  line: ErrorLine;
} & PanelSteps) {
  const [last] = line.figures?.last_requests ?? [];
  return (
    <Panel
      label={`Error ${errorName(line)}`}
      title={
        <>
          <code>{errorName(line)}</code>{' '}
          {line.statuses.map((status) => (
            <Tag key={status}>{status}</Tag>
          ))}
        </>
      }
      {...steps}
    >
      <VerdictLine>{line.meaning}</VerdictLine>
      {line.caveat && <p className="soft">Unknown in part: {line.caveat}.</p>}
      <PanelSection title="Action of the client">
        <p>{line.action}</p>
      </PanelSection>
      <PanelSection title="Message for the member">
        <p className={styles.says}>{line.member}</p>
      </PanelSection>
      <PanelSection title="Reply" aside={replyRemark(line)}>
        <Code code={replyOf(line)} language="json" label="the reply" wrap />
      </PanelSection>
      <Behind appRef={appRef} line={line} />
      {line.figures && line.figures.last_requests.length > 0 && <LastCalls appRef={appRef} line={line} />}
      <p className={styles.ways}>
        {last !== undefined && (
          <Link
            to="/app/$ref/calls/$requestId"
            params={{ ref: appRef, requestId: last }}
            className={buttonClass({ small: true })}
          >
            <Icon of={IconListSearch} small />
            Trace of the last request
          </Link>
        )}
        <a href={line.page} target="_blank" rel="noreferrer" className={buttonClass({ small: true, kind: 'quiet' })}>
          <Icon of={IconExternalLink} small />
          Documentation
        </a>
      </p>
    </Panel>
  );
}

/** Shows the origin of an error: the rule, the function, the limit, and the SQL. */
function Behind({ appRef, line: { group, origin, limit, sql } }: { appRef: string; line: ErrorLine }) {
  const params = { ref: appRef };
  const pairs: (readonly [string, ReactNode])[] = [];
  if (origin !== null) {
    pairs.push([
      group === 'rule' ? 'Rule' : group === 'function' ? 'Function' : 'Of',
      group === 'rule' ? (
        <Link key="rule" to="/app/$ref/rules" params={params} search={{ rule: origin }}>
          <code>{shortId(origin)}</code>
        </Link>
      ) : (
        <code key="origin">{shortId(origin)}</code>
      ),
    ]);
  }
  if (limit !== null) {
    pairs.push([
      'Limit',
      <Link key="limit" to="/app/$ref/limits" params={params} search={{ limit }}>
        <code>{limit}</code>
      </Link>,
    ]);
  }
  if (pairs.length === 0 && sql === null) return null;
  return (
    <PanelSection title="Origin">
      {pairs.length > 0 && <KeyValues pairs={pairs} />}
      {sql !== null && (
        <div className={styles.behind}>
          <Code code={sql} language="sql" label="the SQL of the error" wrap />
        </div>
      )}
    </PanelSection>
  );
}

/** Lists the last requests with the error. The caller and the time of a request are shown as long as the node stores its trace. */
function LastCalls({ appRef, line }: { appRef: string; line: ErrorLine }) {
  const { data = [] } = useQuery({ ...recentErrors(appRef, line.code), enabled: line.code !== null });
  const ids = line.figures?.last_requests ?? [];
  return (
    <PanelSection title="Last calls" aside={`${count(ids.length)} of ${count(times(line, 'week'))} in 7 days`}>
      <ul>
        {ids.map((id) => (
          <LastCall key={id} appRef={appRef} id={id} call={data.find(({ request_id }) => request_id === id)} />
        ))}
      </ul>
    </PanelSection>
  );
}

function LastCall({ appRef, id, call }: { appRef: string; id: string; call: ListedCall | undefined }) {
  return (
    <li className={styles.request}>
      <StoryLink appRef={appRef} id={id} />
      {call && (
        <>
          <span className={styles.time}>{timeOfDay(call.at)}</span>
          <span className="cut">
            <Caller appRef={appRef} who={call} />
          </span>
          <span className={`cut ${styles.method}`}>
            {call.method} {call.path}
          </span>
        </>
      )}
    </li>
  );
}
