import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RealtimeTable } from '../../../../../contract/realtime.ts';
import { classNames } from '../../../../ui/class-names.ts';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Panel } from '../../../../ui/panel.tsx';
import { requestRoleHeader } from '../../../queries/acting.ts';
import { failureFacts } from '../../../queries/api-failure.ts';
import { specification } from '../../../queries/specification.ts';
import styles from '../realtime.module.css';
import { FrameList } from './frame-list.tsx';
import { type JoinDraft, JoinForm } from './join-form.tsx';
import { refusalWords } from './refusal-words.ts';
import { SendForm } from './send-form.tsx';
import { type ChannelState, useChannel } from './use-channel.ts';

/** Joins a channel as a chosen caller, sends broadcasts, and shows what arrives. */
export function InspectorPanel({
  appRef,
  topic: given,
  tables,
  onClose,
}: {
  appRef: string;
  topic: { name: string; isPrivate: boolean };
  tables: readonly RealtimeTable[];
  onClose: () => void;
}) {
  const { state, frames, join, leave, send } = useChannel(appRef);
  const { data } = useQuery(specification(appRef));
  const [draft, setDraft] = useState<JoinDraft>({
    ...{ topic: given.name, isPrivate: given.isPrivate, table: null, caller: 'anon' },
  });
  const [error, setError] = useState<unknown>(null);
  const { topic, isPrivate, table, caller } = draft;
  const submit = async () => {
    setError(null);
    try {
      const { 'x-ninefold-as': accessToken = null } = await requestRoleHeader(appRef, caller);
      const changes = table ? [{ event: '*', schema: table.schema, table: table.name }] : [];
      join({ topic, isPrivate, changes, accessToken });
    } catch (failure) {
      setError(failure);
    }
  };
  const role = caller === 'service' ? null : caller === 'anon' ? 'anon' : 'authenticated';
  return (
    <Panel label="Join a channel" title="Join a channel" onClose={onClose}>
      <JoinForm
        {...{ appRef, draft, tables }}
        isOpen={state.is === 'joined' || state.is === 'joining'}
        onChange={(part) => setDraft((known) => ({ ...known, ...part }))}
        onJoin={() => void submit()}
        onLeave={leave}
      />
      {error !== null && <FailureNote facts={failureFacts(error)} />}
      <p className={classNames(styles.verdict, state.is === 'refused' && styles.refused)} role="status">
        {state.is === 'refused'
          ? `Refused. ${refusalWords(state.reason, { topic, role }, data?.chapters.roles)}`
          : stateWords(state, topic)}
      </p>
      {state.is === 'joined' && <SendForm onSend={send} />}
      <FrameList frames={frames} />
      <p className="soft">Acting as a member is in the audit log. Nobody sees the member as present.</p>
    </Panel>
  );
}

function stateWords(state: Exclude<ChannelState, { is: 'refused' }>, topic: string): string {
  switch (state.is) {
    case 'left':
      return 'Choose who joins, name a channel, and join it.';
    case 'joining':
      return `Joining “${topic}”…`;
    case 'joined':
      return `Joined “${topic}”. What arrives is shown as it arrives.`;
    case 'ended':
      return `The channel ended. ${state.reason}`;
  }
}
