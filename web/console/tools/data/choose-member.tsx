import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { userList } from '../../queries/users.ts';
import styles from './data.module.css';

const shown = 8;

/** Finds the member in whose name the page reads the rows. */
export function ChooseMember({
  appRef,
  onChoose,
  onClose,
}: {
  appRef: string;
  onChoose: (id: string) => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const { data, error, isPending } = useInfiniteQuery(userList(appRef, asked));
  const members = data?.users.slice(0, shown) ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = members;
    if (first) onChoose(first.id);
  };
  return (
    <Dialog title="See the rows as a member" onClose={onClose}>
      <form onSubmit={submit}>
        <TextInput
          label="Member"
          placeholder="ines@example.com, or part of it"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      </form>
      {error && <FailureNote facts={failureFacts(error)} />}
      <ul className={styles.members} aria-label="Members found">
        {members.map(({ id, email }) => (
          <li key={id}>
            <button type="button" className={styles.member} onClick={() => onChoose(id)}>
              <span className="cut">{email ?? 'no address'}</span>
              <code>{id.slice(0, 8)}</code>
            </button>
          </li>
        ))}
      </ul>
      {!isPending && !error && members.length === 0 && (
        <p className="soft">{asked === '' ? 'This app has no members yet.' : `No member matches ${asked}.`}</p>
      )}
    </Dialog>
  );
}
