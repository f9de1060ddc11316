import { Link } from '@tanstack/react-router';
import type { RequestTrace } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { KeyValues, Panel, PanelSection } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { shortId } from '../../format/format.ts';
import { replyOf } from '../errors/error-words.ts';
import { Caller } from './caller.tsx';
import { RefusedSection } from './refused.tsx';
import styles from './request.module.css';
import { addressOf, requestText, sourceWords } from './request-words.ts';

/** Panel with the caller, the request and the response. */
export function RequestPanel({
  appRef,
  trace,
  line,
  onClose,
}: {
  appRef: string;
  trace: RequestTrace;
  /** The error of chapter 8 for the response; undefined for a success, and if chapter 8 does not contain the error. */
  line: ErrorLine | undefined;
  onClose: () => void;
}) {
  const { who } = trace;
  const params = { ref: appRef };
  return (
    <Panel
      label="Request"
      title={<b>Request</b>}
      onClose={onClose}
      tools={<CopyButton text={requestText(trace, line)} what="the trace as text" word />}
    >
      <WhoSection appRef={appRef} who={who} />
      {trace.refused && <RefusedSection appRef={appRef} refused={trace.refused} who={who} />}
      <PanelSection title="Request" aside={trace.who.source === 'builder' ? undefined : 'values are not stored'}>
        <Code code={`${trace.method} ${addressOf(trace)}`} language="text" label="the request" wrap />
      </PanelSection>
      <ReplySections trace={trace} line={line} />
      {trace.touched.length > 0 && (
        <PanelSection title="Affected entities">
          <KeyValues
            pairs={trace.touched.map(({ schema, name, operation }, place) => [
              `${operation}${place === 0 ? '' : ', embedded'}`,
              <code key={`${schema}.${name}`}>{shortId(`${schema}.${name}`)}</code>,
            ])}
          />
        </PanelSection>
      )}
      <p className={styles.ways}>
        {line && (
          <Link
            to="/app/$ref/errors"
            params={params}
            search={{ error: line.id }}
            className={buttonClass({ small: true })}
          >
            Show the error in chapter 8
          </Link>
        )}
        <Link
          to="/app/$ref/calls"
          params={params}
          search={{ call: trace.call }}
          className={buttonClass({ small: true })}
        >
          Show the call in chapter 7
        </Link>
      </p>
    </Panel>
  );
}

/** The caller of a request. */
function WhoSection({ appRef, who }: { appRef: string; who: RequestTrace['who'] }) {
  const { session_id: session } = who;
  return (
    <PanelSection title="Who">
      <KeyValues
        pairs={[
          [who.user_id === null ? 'caller' : 'member', <Caller key="who" appRef={appRef} who={who} />],
          ['role', <code key="role">{who.role ?? 'not known'}</code>],
          session !== null && [
            'session',
            <Link key="session" to="/app/$ref/sessions" params={{ ref: appRef }} search={{ session }} title={session}>
              <code>{session.slice(0, 8)}</code>
            </Link>,
          ],
          ['identity', sourceWords(who.source)],
          ['address', <code key="address">{who.address}</code>],
        ]}
      />
    </PanelSection>
  );
}

/** The response of a request, and what to do about an error. */
function ReplySections({ trace, line }: { trace: RequestTrace; line: ErrorLine | undefined }) {
  return (
    <>
      <PanelSection title="Reply" aside={<Tag kind={trace.code === null ? 'ok' : 'error'}>{trace.status}</Tag>}>
        {line ? (
          <Code code={replyOf(line)} language="json" label="the reply" wrap />
        ) : (
          <p className="soft">{trace.code === null ? 'The requested data.' : <code>{trace.code}</code>}</p>
        )}
      </PanelSection>
      {line && (
        <>
          <PanelSection title="Action of the client">
            <p>{line.action}</p>
          </PanelSection>
          <PanelSection title="Message for the member">
            <p>{line.member}</p>
          </PanelSection>
        </>
      )}
    </>
  );
}
