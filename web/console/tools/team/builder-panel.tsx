import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AppBuilder, BuilderAccess } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { factorTypeNames } from '../../queries/session.ts';
import { builderAccess } from '../../queries/team.ts';
import { Seen } from './builder-cells.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import styles from './team.module.css';

/**
 * Panel of one builder of an app with the builder's roles. Owners of the app also see the builder's keys and sessions,
 * and how to recover the account.
 */
export function BuilderPanel({
  appRef,
  builder,
  isOwner,
  ownsNode,
  onClose,
}: {
  appRef: string;
  /** Undefined if the id in the address belongs to no builder of the app. */
  builder: AppBuilder | undefined;
  /** True if the caller owns the app. */
  isOwner: boolean;
  /** True if the caller owns the node and is another builder. */
  ownsNode: boolean;
  onClose: () => void;
}) {
  return (
    <Panel label="Selected builder" title={builder?.name ?? 'Builder'} onClose={onClose}>
      {builder ? (
        <>
          <VerdictLine>{verdictOf(builder)}</VerdictLine>
          <PanelSection title="Builder">
            <KeyValues
              pairs={[
                ['E-mail', builder.email],
                ['On the node', builder.owns_node ? 'owner' : 'member'],
                ['Seen', <Seen key="seen" at={builder.last_seen_at} />],
              ]}
            />
          </PanelSection>
          {isOwner && <Access appRef={appRef} builder={builder} ownsNode={ownsNode} />}
          <PanelSection title="Apps">
            {builder.owns_node ? (
              <p className="soft">Every app, as an owner of the node.</p>
            ) : (
              <KeyValues pairs={Object.entries(builder.apps)} />
            )}
          </PanelSection>
        </>
      ) : (
        <VerdictLine>This builder has no role on the app.</VerdictLine>
      )}
    </Panel>
  );
}

/** Describes the role of a builder, and whether the builder has a second factor if the caller may see that. */
function verdictOf({ name, role, owns_node, has_second_factor: has }: AppBuilder): string {
  const what = owns_node ? 'an owner of the node' : `${role === 'owner' ? 'an' : 'a'} ${role} of this app`;
  return `${name} is ${what}${has === null ? '' : has ? ' and has a second factor' : ' without a second factor'}.`;
}

/** Lists the second factors, passkeys and sessions of a builder, and says how to recover the account. */
function Access({ appRef, builder, ownsNode }: { appRef: string; builder: AppBuilder; ownsNode: boolean }) {
  const { data, error } = useQuery(builderAccess(appRef, builder.id));
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />;
  return (
    <>
      <PanelSection title="Second factor">
        <Lines none="None. The builder adds one on the page Your account." lines={data.factors.map(factorLine)} />
      </PanelSection>
      <PanelSection title="Passkeys">
        <Lines
          none="None. The builder signs in with the password."
          lines={data.passkeys.map(({ name, created_at }) => [name || 'Passkey', created_at])}
        />
      </PanelSection>
      <PanelSection title="Sessions">
        <Lines
          none="The builder is not signed in."
          lines={data.sessions.map(({ device, created_at }) => [device, created_at])}
        />
      </PanelSection>
      <Recover builder={builder} ownsNode={ownsNode} />
    </>
  );
}

/** Recovers the account of a builder who is locked out: by a link, or by the command of the operator. */
function Recover({
  builder: { name, email, has_second_factor: has },
  ownsNode,
}: {
  builder: AppBuilder;
  ownsNode: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const command = `ninefold builders recover ${email}`;
  return (
    <PanelSection title="Recover account">
      {ownsNode ? (
        <>
          <p className="soft">{name} lost the password or the second factor? Create a link for a new password.</p>
          <p className={styles.command}>
            <Button small onClick={() => setOpen(true)}>
              Create recovery link
            </Button>
          </p>
        </>
      ) : (
        <>
          <p className="soft">
            An owner of the node creates a link for a new password on the page Builders. If no owner can sign in, the
            operator runs this command. With <code>--remove-second-factor</code> it removes the second factors too.
          </p>
          <p className={styles.command}>
            <code>{command}</code>
            <CopyButton text={command} what="the command" />
          </p>
        </>
      )}
      {isOpen && (
        <RecoverDialog name={name} email={email} hasSecondFactor={has === true} onClose={() => setOpen(false)} />
      )}
    </PanelSection>
  );
}

/** Name of a key or a session, and the time since which it exists. */
type Line = readonly [name: string, since: string];

const factorLine = ({ name, type, created_at }: BuilderAccess['factors'][number]): Line => [
  name || (factorTypeNames[type] ?? type),
  created_at,
];

function Lines({ none, lines }: { none: string; lines: readonly Line[] }) {
  return lines.length === 0 ? (
    <p className="soft">{none}</p>
  ) : (
    <KeyValues pairs={lines.map(([name, since]) => [name, <TimeAgo key={since} iso={since} />])} />
  );
}
