import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { fieldTime } from '../../format/field-time.ts';
import styles from './logs-page.module.css';

/** Asks for a period of the log. */
export function PeriodDialog({
  from,
  to,
  onChoose,
  onClose,
}: {
  /** In milliseconds since 1970. */
  from: number;
  to: number;
  onChoose: (from: string, to: string) => void;
  onClose: () => void;
}) {
  const [wrong, setWrong] = useState<string | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [begin, end] = ['from', 'to'].map((name) => Date.parse(String(form.get(name))));
    if (begin === undefined || end === undefined || !(begin < end)) setWrong('The end is after the beginning.');
    else onChoose(new Date(begin).toISOString(), new Date(end).toISOString());
  };
  return (
    <Dialog title="Choose a time" onClose={onClose}>
      <form className={styles.period} onSubmit={submit}>
        <TextInput data-autofocus name="from" type="datetime-local" label="From" defaultValue={fieldTime(from)} />
        <TextInput name="to" type="datetime-local" label="To" defaultValue={fieldTime(to)} error={wrong} />
        <div>
          <Button type="submit" kind="first">
            Show
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
