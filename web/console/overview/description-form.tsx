import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { PurposeChapter } from '../../../contract/description.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { isSubmitKey } from '../../ui/key-name.ts';
import { failureFacts } from '../queries/api-failure.ts';
import { type Description, describeApp } from '../queries/description.ts';
import styles from './description.module.css';

/** Form that changes a part of the app's description. Esc discards the changes. */
export function DescriptionForm({
  appRef,
  chapter,
  onDone,
}: {
  appRef: string;
  chapter: PurposeChapter;
  onDone: () => void;
}) {
  const [given, setGiven] = useState<Description>({
    name: chapter.name,
    purpose: chapter.purpose ?? '',
    audience: chapter.audience ?? '',
    owner: chapter.owner ?? '',
  });
  const { mutate, isPending, error } = useMutation(describeApp(appRef));
  const change = (changed: Partial<Description>) => setGiven({ ...given, ...changed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate(given, { onSuccess: onDone });
  };
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
        if (isSubmitKey(event)) submit(event);
      }}
    >
      <TextInput
        label="Name"
        placeholder="Helpdesk"
        maxLength={200}
        autoComplete="off"
        data-autofocus
        ref={focusFirst}
        value={given.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Purpose"
        placeholder="Customers write to us here, and agents answer them."
        maxLength={4000}
        autosize
        minRows={2}
        maxRows={12}
        value={given.purpose}
        onChange={(event) => change({ purpose: event.currentTarget.value })}
      />
      <Textarea
        label="Audience"
        placeholder="Companies that buy from us, and those who support them"
        maxLength={4000}
        autosize
        minRows={1}
        maxRows={12}
        value={given.audience}
        onChange={(event) => change({ audience: event.currentTarget.value })}
      />
      <TextInput
        label="Owner"
        placeholder="Ines Okafor, ines@northwind.example"
        maxLength={400}
        autoComplete="off"
        value={given.owner}
        onChange={(event) => change({ owner: event.currentTarget.value })}
      />
      {error && <FailureNote facts={failureFacts(error)} />}
      <div className={styles.buttons}>
        <Button kind="first" type="submit" busy={isPending && 'Saving'}>
          Save
        </Button>
        <Button kind="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const focusFirst = (field: HTMLInputElement | null) => field?.focus();
