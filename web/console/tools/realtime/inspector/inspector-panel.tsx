import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { RealtimeTable } from '../../../../../contract/realtime.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Panel } from '../../../../ui/panel.tsx';
import { requestRoleHeader } from '../../../queries/acting.ts';
import { failureFacts } from '../../../queries/api-failure.ts';
import type { RequestRole } from '../../../queries/rows/row.ts';
import { specification } from '../../../queries/specification.ts';
import { ViewAsMenu } from '../../data/view-as-menu.tsx';
import styles from '../realtime.module.css';
import { FrameList } from './frame-list.tsx';
import { refusalWords } from './refusal-words.ts';
import { SendForm } from './send-form.tsx';
import { type ChannelState, useChannel } from './use-channel.ts';

const NO_TABLE = '';

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
  const [topic, setTopic] = useState(given.name);
  const [isPrivate, setPrivate] = useState(given.isPrivate);
  const [table, setTable] = useState(NO_TABLE);
  const [caller, setCaller] = useState<RequestRole>('anon');
  const [error, setError] = useState<unknown>(null);
  const isOpen = state.is === 'joined' || state.is === 'joining';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      const { 'x-ninefold-as': accessToken = null } = await requestRoleHeader(appRef, caller);
      const chosen = tables.find((one) => idOf(one) === table);
      const changes = chosen ? [{ event: '*', schema: chosen.schema, table: chosen.name }] : [];
      join({ topic, isPrivate, changes, accessToken });
    } catch (failure) {
      setError(failure);
    }
  };
  const role = caller === 'service' ? null : caller === 'anon' ? 'anon' : 'authenticated';
  return (
    <Panel label="Join a channel" title="Join a channel" onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <ViewAsMenu appRef={appRef} what="Channel" requestRole={caller} onSeat={setCaller} />
        <div className={styles.pair}>
          <TextInput
            label="Channel"
            placeholder="room:1"
            value={topic}
            onChange={(event) => setTopic(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            required
          />
          {/* With keys, the click on Leave does not submit the form by the button that takes its place. */}
          {isOpen ? (
            <Button key="leave" onClick={leave}>
              Leave
            </Button>
          ) : (
            <Button key="join" type="submit" kind="first">
              Join
            </Button>
          )}
        </div>
        <label className={styles.check}>
          <input type="checkbox" checked={isPrivate} onChange={(event) => setPrivate(event.currentTarget.checked)} />
          Private: policies on realtime.messages decide
        </label>
        <NativeSelect
          label="Changes of"
          value={table}
          onChange={(event) => setTable(event.currentTarget.value)}
          data={[
            { value: NO_TABLE, label: 'no table' },
            ...tables.map((one) => ({ value: idOf(one), label: idOf(one) })),
          ]}
        />
      </form>
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

const idOf = ({ schema, name }: RealtimeTable): string => `${schema}.${name}`;

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
