import { TextInput } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { LimitLine } from '../../../../contract/specification.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { changeLimit, type LimitChange } from '../../queries/settings.ts';
import { amount, exactAmount, readAmount } from './limit-words.ts';
import styles from './limits.module.css';

/** Changes a limit that is an app setting. The change is in force at once and can be reset. */
export function LimitControl({ appRef, line }: { appRef: string; line: LimitLine }) {
  const { text, unlimited, wrong, undo, isPending, error, submit, type, choose, change } = useLimitChange(appRef, line);
  const ids = useId();
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.fields}>
        <TextInput
          className={styles.number ?? ''}
          aria-label={`New value of ${line.id}`}
          aria-describedby={`${ids}-range`}
          aria-invalid={wrong !== null}
          error={wrong !== null}
          inputMode="numeric"
          autoComplete="off"
          placeholder={line.default === null ? '' : String(line.default)}
          disabled={unlimited}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
        {line.unit !== 'count' && <span className="soft">{line.unit}</span>}
        {line.may_be_unlimited && (
          <label className={styles.check}>
            <input type="checkbox" checked={unlimited} onChange={(event) => choose(event.currentTarget.checked)} />
            No limit
          </label>
        )}
      </div>
      <p
        id={`${ids}-range`}
        className={wrong === null ? 'soft' : styles.wrong}
        role={wrong === null ? undefined : 'alert'}
      >
        {wrong ?? rangeWords(line)}
      </p>
      <div className="buttons">
        <Button type="submit" kind="first" busy={isPending && 'Saving'}>
          Save
        </Button>
        {line.set_in === 'setting' && (
          <Button kind="quiet" onClick={() => change('default', line.value)}>
            Back to {amount(line.default, line.unit)}
          </Button>
        )}
      </div>
      <div className={styles.said} role="status">
        {undo !== undefined && !isPending && !error && (
          <>
            {exactAmount(line.value, line.unit)} is in force.
            <Button small icon={IconArrowBackUp} onClick={() => change(undo, undefined)}>
              Undo
            </Button>
          </>
        )}
      </div>
      {error && <FailureNote facts={failureFacts(error)} />}
    </form>
  );
}

const rangeWords = ({ range, unit }: LimitLine): string =>
  range === null
    ? 'Any number.'
    : `${exactAmount(range[0], 'count')} to ${exactAmount(range[1], unit)}. The limit takes effect immediately.`;

/** Returns the typed value of a limit, and the functions that change the limit and undo the change. */
function useLimitChange(appRef: string, line: LimitLine) {
  const { mutate, isPending, error, reset } = useMutation(changeLimit(appRef));
  const [text, setText] = useState(line.value === null ? '' : String(line.value));
  const [unlimited, setUnlimited] = useState(line.value === null);
  const [wrong, setWrong] = useState<string | null>(null);
  const [undo, setUndo] = useState<LimitChange['to'] | undefined>();

  const change = (to: LimitChange['to'], back: LimitChange['to'] | undefined) =>
    mutate(
      { limit: line, to },
      {
        onSuccess: () => {
          const value = to === 'default' ? line.default : to;
          setText(value === null ? '' : String(value));
          setUnlimited(value === null);
          setUndo(back);
        },
      },
    );
  const stands: LimitChange['to'] = line.set_in === 'setting' ? line.value : 'default';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const read = unlimited ? { value: null } : readAmount(text, line);
    setWrong('wrong' in read ? read.wrong : null);
    if ('value' in read) change(read.value, stands);
  };
  const edit = () => {
    setWrong(null);
    setUndo(undefined);
    if (error) reset();
  };
  const type = (typed: string) => {
    edit();
    setText(typed);
  };
  const choose = (isUnlimited: boolean) => {
    edit();
    setUnlimited(isUnlimited);
  };
  return { text, unlimited, wrong, undo, isPending, error, submit, type, choose, change };
}
