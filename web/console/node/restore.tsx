import { TextInput } from '@mantine/core';
import { IconAlertCircle, IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { AppRestore, BackupState } from '../../../contract/backup.ts';
import { Code } from '../../ui/code.tsx';
import { Icon } from '../../ui/icon.tsx';
import { fieldTime } from '../format/field-time.ts';
import { counted, dateTime } from '../format/format.ts';
import { Form } from '../forms/form.tsx';
import { needsProof } from '../queries/api-failure.ts';
import { appList } from '../queries/apps.ts';
import { restoreApp } from '../queries/backups.ts';
import styles from './backups.module.css';
import node from './node.module.css';
import { Section } from './section.tsx';

/** Form of a ref, as the server checks it. */
const REF = /^[a-z][a-z0-9-]{2,39}$/;
/** Length of a date with its hyphen at the end of a suggested ref. */
const DATE = 11;

/** A part of the backups that a restore can return to, in milliseconds since 1970. */
interface Reach {
  readonly from: number;
  readonly to: number;
}

/** Sections that restore one app beside the living ones, and that say how to restore the complete node. */
export function Restore({ state, reach }: { state: BackupState; reach: Reach }) {
  const [time, setTime] = useState(() => fieldTime(reach.to, true));
  const at = Date.parse(time);
  return (
    <>
      <Section id="restore" title="Restore" note="choose a second">
        <RestoreApp time={time} onTime={setTime} reach={reach} />
        <RestoredApps restores={state.appRestores} />
      </Section>
      <Section title="Restore the complete node">
        <p className={node.words}>
          Stop the node, then run this command on its machine. The present data folder is kept beside the restored one.
          On another machine, add <code>--from</code>, <code>--to</code> and <code>--phrase-file</code>.
        </p>
        <Code
          code={`ninefold restore${Number.isNaN(at) ? '' : ` --at ${inUtc(at)}`}`}
          language="shell"
          label="the command that restores the node"
          wrap
        />
      </Section>
    </>
  );
}

/** Formats a time as the command line takes it, in UTC: 2026-11-29T10:15:00Z. */
const inUtc = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

/** Form that brings one app back under another ref. The app may have been deleted since. */
function RestoreApp({
  time,
  onTime,
  reach,
}: {
  /** The chosen time as its field has it. */
  time: string;
  onTime: (time: string) => void;
  reach: Reach;
}) {
  const { data: apps = [] } = useQuery(appList());
  const { mutate, isPending, isSuccess, error } = useMutation(restoreApp());
  const [ref, setRef] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const listId = useId();
  const as = typed ?? (REF.test(ref) && time !== '' ? `${ref.slice(0, 40 - DATE)}-${time.slice(0, DATE - 1)}` : '');
  const clear = () => {
    setRef('');
    setTyped(null);
  };
  const isTaken = apps.some((app) => app.ref === as);
  return (
    <Form
      verb={['Restore as a copy', 'Requesting']}
      pending={isPending}
      offBecause={reasonNot({ ref, as, isTaken, at: Date.parse(time) }, reach)}
      error={needsProof(error) ? null : error}
      aside={<span role="status">{isSuccess && 'Requested. The result appears below.'}</span>}
      onSubmit={() => mutate({ ref, at: new Date(time).toISOString(), as }, { onSuccess: clear })}
    >
      <div className={styles.fields}>
        <TextInput
          label="Time, in your time zone"
          type="datetime-local"
          step={1}
          min={fieldTime(reach.from, true)}
          max={fieldTime(reach.to, true)}
          value={time}
          onChange={({ currentTarget }) => onTime(currentTarget.value)}
        />
        <TextInput
          label="Ref of the app, also of a deleted one"
          list={listId}
          autoComplete="off"
          spellCheck={false}
          value={ref}
          onChange={({ currentTarget }) => setRef(currentTarget.value.trim())}
        />
        <TextInput
          label="Ref of the copy"
          autoComplete="off"
          spellCheck={false}
          value={as}
          onChange={({ currentTarget }) => setTyped(currentTarget.value.trim())}
        />
        <datalist id={listId}>
          {apps.map((app) => (
            <option key={app.ref} value={app.ref}>
              {app.name}
            </option>
          ))}
        </datalist>
      </div>
      <p className={node.words}>
        The living apps go on as they are. The copy is a new app with keys of its own and without sessions, and its jobs
        are paused.
      </p>
    </Form>
  );
}

/** Returns the reason why a restore cannot be requested; null if it can. */
function reasonNot(
  { ref, as, isTaken, at }: { ref: string; as: string; isTaken: boolean; at: number },
  { from, to }: Reach,
): string | null {
  if (!(at >= from && at <= to)) {
    return `Choose a time from ${dateTime(new Date(from).toISOString())} to ${dateTime(new Date(to).toISOString())}.`;
  }
  if (!REF.test(ref)) return 'Choose an app, or write the ref of a deleted one.';
  if (!REF.test(as)) return 'Write a ref for the copy: 3 to 40 small letters, digits and hyphens.';
  return isTaken ? `The app ${as} exists. Write another ref for the copy.` : null;
}

/** The last restores of apps with their results. */
function RestoredApps({ restores }: { restores: readonly AppRestore[] }) {
  if (restores.length === 0) return null;
  return (
    <ul className={styles.restored} aria-label="Restored apps">
      {restores.map((one) => (
        <li key={`${one.as} ${one.finishedAt}`}>
          <span className={one.failure === null ? node.good : node.bad}>
            <Icon of={one.failure === null ? IconCheck : IconAlertCircle} small />
          </span>
          <span>
            {one.failure === null ? (
              <Link to="/app/$ref" params={{ ref: one.as }} className={node.app}>
                {one.as}
              </Link>
            ) : (
              <b>{one.as}</b>
            )}{' '}
            {one.ref} at {dateTime(one.at)}
            <small>{one.failure ?? resultOf(one)}</small>
          </span>
        </li>
      ))}
    </ul>
  );
}

function resultOf({ rows, missingFiles, finishedAt }: AppRestore): string {
  const missing = missingFiles === 0 ? '' : ` ${counted(missingFiles, 'file')} could not be restored.`;
  return `${counted(rows, 'row')}, finished ${dateTime(finishedAt)}.${missing}`;
}
