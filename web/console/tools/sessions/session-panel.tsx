import { Link } from '@tanstack/react-router';
import type { SessionRow } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { CopiedCode } from '../../../ui/copy-button.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { dateTime } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { whoOf } from './session-columns.tsx';
import styles from './session-panel.module.css';
import { signInMethodText } from './sign-in-method-text.ts';

const assurance: Readonly<Record<string, string>> = { aal1: 'one factor', aal2: 'two factors' };

const soft = (word: string) => <span className="soft">{word}</span>;

/** Panel of a session, with the buttons that end it. */
export function SessionPanel({
  appRef,
  session,
  ofUser,
  revoking,
  onRevoke,
  onRevokeUser,
  ...steps
}: {
  appRef: string;
  /** Undefined if the session has ended. */
  session: SessionRow | undefined;
  /** Number of sessions in the list that belong to the same user. */
  ofUser: number;
  revoking: boolean;
  onRevoke: () => void;
  onRevokeUser: () => void;
} & PanelSteps) {
  return (
    <Panel label="Selected session" title={session ? whoOf(session) : 'Session'} {...steps}>
      {session ? (
        <>
          <VerdictLine>
            {session.device}
            {session.ip && `, from ${session.ip}`}, signed in <TimeAgo iso={session.created_at} />.
          </VerdictLine>
          <div className={styles.actions}>
            <Button small kind="danger" busy={revoking && 'Revoking'} onClick={onRevoke}>
              Revoke
            </Button>
            {ofUser > 1 && (
              <Button small onClick={onRevokeUser}>
                Revoke all {ofUser} of this user
              </Button>
            )}
          </div>
          <Facts appRef={appRef} session={session} />
        </>
      ) : (
        <VerdictLine>This session has ended.</VerdictLine>
      )}
    </Panel>
  );
}

/** The details of a session and its user. */
function Facts({ appRef, session }: { appRef: string; session: SessionRow }) {
  return (
    <>
      <PanelSection title="Session">
        <KeyValues
          pairs={[
            ['Id', <CopiedCode key="id" text={session.id} what="the id" />],
            ['Since', dateTime(session.created_at)],
            ['Refreshed', session.refreshed_at ? dateTime(session.refreshed_at) : soft('not yet')],
            ['Ends unless it is used', session.ends_at ? dateTime(session.ends_at) : soft('never')],
            ['Signed in by', signInMethodText(session)],
            ['Assurance', `${session.aal}, ${assurance[session.aal] ?? 'unknown'}`],
            ['Address', session.ip ? <code key="ip">{session.ip}</code> : soft('not known')],
            ['User-Agent', session.user_agent ?? soft('none was sent')],
          ]}
        />
      </PanelSection>
      <PanelSection title="User">
        <KeyValues
          pairs={[
            [
              'Account',
              <Link key="user" to="/app/$ref/users" params={{ ref: appRef }} search={{ user: session.user_id }}>
                {whoOf(session)}
              </Link>,
            ],
            [
              'Sessions',
              <Link key="sessions" to="/app/$ref/sessions" params={{ ref: appRef }} search={{ user: session.user_id }}>
                only this user
              </Link>,
            ],
          ]}
        />
      </PanelSection>
    </>
  );
}
