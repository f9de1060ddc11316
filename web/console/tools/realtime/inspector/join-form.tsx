import { NativeSelect, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import type { RealtimeTable } from '../../../../../contract/realtime.ts';
import { Button } from '../../../../ui/button.tsx';
import type { RequestRole } from '../../../queries/rows/row.ts';
import { ViewAsMenu } from '../../data/view-as-menu.tsx';
import styles from '../realtime.module.css';

/** The channel that the inspector joins, and as whom. */
export interface JoinDraft {
  topic: string;
  isPrivate: boolean;
  /** The table whose changes the channel receives; null for none. */
  table: RealtimeTable | null;
  caller: RequestRole;
}

/** Form with the caller and the options of a channel. */
export function JoinForm({
  appRef,
  draft: { topic, isPrivate, table, caller },
  tables,
  isOpen,
  onChange,
  onJoin,
  onLeave,
}: {
  appRef: string;
  draft: JoinDraft;
  tables: readonly RealtimeTable[];
  isOpen: boolean;
  onChange: (part: Partial<JoinDraft>) => void;
  onJoin: () => void;
  onLeave: () => void;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onJoin();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <ViewAsMenu appRef={appRef} what="Channel" requestRole={caller} onSeat={(next) => onChange({ caller: next })} />
      <div className={styles.pair}>
        <TextInput
          label="Channel"
          placeholder="room:1"
          value={topic}
          onChange={(event) => onChange({ topic: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          required
        />
        {/* With keys, the click on Leave does not submit the form by the button that takes its place. */}
        {isOpen ? (
          <Button key="leave" onClick={onLeave}>
            Leave
          </Button>
        ) : (
          <Button key="join" type="submit" kind="first">
            Join
          </Button>
        )}
      </div>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={isPrivate}
          onChange={(event) => onChange({ isPrivate: event.currentTarget.checked })}
        />
        Private: policies on realtime.messages decide
      </label>
      <NativeSelect
        label="Changes of"
        value={table === null ? '' : idOf(table)}
        onChange={(event) => onChange({ table: tables.find((one) => idOf(one) === event.currentTarget.value) ?? null })}
        data={[{ value: '', label: 'no table' }, ...tables.map((one) => ({ value: idOf(one), label: idOf(one) }))]}
      />
    </form>
  );
}

const idOf = ({ schema, name }: RealtimeTable): string => `${schema}.${name}`;
