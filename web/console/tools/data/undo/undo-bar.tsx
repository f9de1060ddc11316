import { Popover } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowRight,
  IconCheck,
  IconHistory,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Kbd } from '../../../../ui/kbd.tsx';
import { caps } from '../../../../ui/shortcuts/bindings.ts';
import { isMac, useKeys } from '../../../../ui/shortcuts/keyboard.tsx';
import { counted, timeOfDay } from '../../../format/format.ts';
import { type SessionChange, useSessionChanges } from '../../../queries/rows/session-changes.ts';
import { changedRows, undoable, undoChange } from '../../../queries/rows/undo-change.ts';
import styles from './undo-bar.module.css';

const signs = { update: IconPencil, state: IconArrowRight, insert: IconPlus, delete: IconTrash } as const;

/** Confirms the last change of the session, with Undo, and lists the changes before it. */
export function UndoBar({ appRef }: { appRef: string }) {
  const changes = useSessionChanges(appRef);
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending, error, variables, data: kept = 0 } = useMutation(undoChange());
  const [last] = changes;
  const bindings = useMemo(
    () => [
      {
        keys: 'mod+z',
        group: 'Data',
        does: 'Undo the last change',
        run: () => {
          if (last && !isPending) mutate(last);
        },
      },
    ],
    [last, isPending, mutate],
  );
  useKeys(bindings);
  const keptWords = kept > 0 && `${counted(kept, 'row was', 'rows were')} changed since and stayed.`;
  if (!last) return keptWords && <span role="status">{keptWords}</span>;
  return (
    <span className={styles.bar}>
      {keptWords && <span role="status">{keptWords}</span>}
      {error ? (
        <span className={styles.failed} role="alert">
          {variables?.what}: {error.message}
        </span>
      ) : (
        <span className={styles.saved} role="status">
          <Icon of={IconCheck} small /> Saved: {last.what}
        </span>
      )}
      <Button small icon={IconArrowBackUp} busy={isPending && 'Undoing'} onClick={() => mutate(last)}>
        Undo
      </Button>
      <Popover opened={isOpen} onChange={setOpen} position="top-end" trapFocus returnFocus width={400}>
        <Popover.Target>
          <Button
            small
            square
            kind="quiet"
            icon={IconHistory}
            label="Changes in this session"
            onClick={() => setOpen(!isOpen)}
          />
        </Popover.Target>
        <Popover.Dropdown className={styles.list} aria-label="Changes in this session">
          <p className={styles.head}>
            <b>{counted(changes.length, 'change')} in this session</b>
            <span className="soft">kept until you leave the console</span>
          </p>
          <ul>
            {changes.map((change) => (
              <Entry key={change.id} change={change} isBusy={isPending} onUndo={() => mutate(change)} />
            ))}
          </ul>
          <p className={styles.foot}>
            <span>An undo is a new change. It is checked by the same rules.</span>
            <Kbd keys={caps('mod+z', isMac)} />
          </p>
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}

/** A change in the list of changes. If its rows were changed later, the change cannot be undone, and the entry says why. */
function Entry({ change, isBusy, onUndo }: { change: SessionChange; isBusy: boolean; onUndo: () => void }) {
  const { data } = useQuery(changedRows(change));
  const { off, kept } = data ? undoable(change, data) : { off: null, kept: 0 };
  const words = off !== null ? `${off}, so it cannot be undone` : change.how;
  return (
    <li className={styles.entry}>
      <Icon of={signs[change.kind]} small />
      <span className={styles.words}>
        <span className="cut">
          {change.what} <span className="soft">{change.table.entity.name}</span>
        </span>
        <small>
          {words === '' ? '' : `${words} · `}
          {off === null && kept > 0 && `${counted(kept, 'row was', 'rows were')} changed since and will stay · `}
          {timeOfDay(new Date(change.at).toISOString())}
        </small>
      </span>
      {off === null && data && (
        <Button small busy={isBusy && 'Undoing'} aria-label={`Undo ${change.what}`} onClick={onUndo}>
          Undo
        </Button>
      )}
    </li>
  );
}
