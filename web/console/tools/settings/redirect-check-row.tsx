import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { RedirectDecision } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { redirectDecision } from '../../queries/settings.ts';
import type { Draft } from './draft.ts';
import { sections } from './setting-words.ts';
import styles from './settings.module.css';

/** Row with a field that checks whether a sign-in may redirect to an address. */
export function RedirectCheckRow({ appRef, draft }: { appRef: string; draft: Draft }) {
  const [text, setText] = useState('');
  const [address, setAddress] = useState('');
  const { data, error, isFetching } = useQuery(redirectDecision(appRef, address));
  const hasChanges = sections.addresses.some((key) => draft.changes.has(key));
  const check = (event: FormEvent) => {
    event.preventDefault();
    setAddress(text.trim());
  };
  return (
    <div className={styles.row}>
      <div>
        <b>Check an address</b>
        <p>
          {hasChanges
            ? 'The stored addresses decide. Save your changes to check with them.'
            : 'Shows whether a sign-in may return to the address, and which entry allows it.'}
        </p>
      </div>
      <div className={styles.stack}>
        <form className={styles.unit} onSubmit={check}>
          <TextInput
            className={styles.wide ?? ''}
            aria-label="Address to check"
            placeholder="https://app.example.com/welcome"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button
            type="submit"
            offBecause={text.trim() === '' ? 'Enter an address first.' : null}
            busy={isFetching && 'Checking'}
          >
            Check
          </Button>
        </form>
        <p role="status" className={classNames(data?.address === null && styles.wrong)}>
          {error ? failureFacts(error).message : data && <Decision decision={data} typed={address} />}
        </p>
      </div>
    </div>
  );
}

function Decision({ decision, typed }: { decision: RedirectDecision; typed: string }) {
  const { by, entry, refusal, address } = decision;
  if (refusal !== null) return `Refused. ${refusals[refusal]}`;
  return (
    <>
      Allowed by {entry === null ? reasons[by ?? 'site'] : <code>{entry}</code>}
      {address !== typed && (
        <>
          <br />
          Browsers open <code>{address}</code>
        </>
      )}
    </>
  );
}

const reasons: Readonly<Record<NonNullable<RedirectDecision['by']>, string>> = {
  site: 'the site address',
  origin: 'the app’s own address',
  loopback: 'the rule for the member’s own machine',
  entry: 'an entry',
};

const refusals: Readonly<Record<NonNullable<RedirectDecision['refusal']>, string>> = {
  'too long': 'The address is too long.',
  malformed: 'This is no complete address. Begin with https:// or with the scheme of your app.',
  scheme: 'Addresses of this scheme run code or read files.',
  'user name': 'The address has a user name or a password.',
  node: 'This is an address of the node, below which other apps are served.',
  'network address': 'No entry can allow an IP address.',
  'not listed': 'No entry matches it. A sign-in returns to the site address.',
};
