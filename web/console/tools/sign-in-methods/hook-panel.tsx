import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  functionOfHook,
  grantOfHook,
  type HookFunction,
  type HookName,
  hooks,
  hookUriOf,
} from '../../../../contract/hooks.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Panel, VerdictLine } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Form } from '../../forms/form.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { type AppSettings, changeSettings, hookFunctions } from '../../queries/settings.ts';
import { problemOf } from './hooks-section.tsx';
import styles from './sign-in-methods-page.module.css';

/** The option in the list of functions that stands for an address outside of the app. */
const ADDRESS = 'address';

/** Panel of an auth hook: a function of the app, or an address with secrets. The secrets can be written but not read. */
export function HookPanel({
  appRef,
  name,
  settings,
  onClose,
}: {
  appRef: string;
  name: HookName;
  settings: AppSettings;
  onClose: () => void;
}) {
  const { title, effect } = hooks[name];
  const entry = (part: string) => settings.get(`hook_${name}_${part}`);
  const stored = String(entry('uri')?.value ?? '');
  const isAddressStored = stored !== '' && functionOfHook(stored) === null;
  const [choice, setChoice] = useState(isAddressStored ? ADDRESS : stored);
  const [address, setAddress] = useState(isAddressStored ? stored : '');
  const [secrets, setSecrets] = useState('');
  const functions = useQuery(hookFunctions(appRef));
  const { mutate, isPending, error } = useMutation(changeSettings(appRef));
  const isEnabled = entry('enabled')?.value === true;
  const isAddress = choice === ADDRESS;
  const uri = isAddress ? address.trim() : choice;
  const isFilled = uri !== '' && (!isAddress || secrets !== '' || entry('secrets')?.is_set === true);
  const offered = (functions.data ?? []).map((each) => hookUriOf(each.schema, each.name));
  const known = choice === '' || isAddress || offered.includes(choice) ? offered : [choice, ...offered];
  const save = () =>
    mutate(
      {
        [`hook_${name}_uri`]: uri,
        ...(isAddress && secrets !== '' && { [`hook_${name}_secrets`]: secrets.trim() }),
        [`hook_${name}_enabled`]: true,
      },
      { onSuccess: () => setSecrets('') },
    );
  return (
    <Panel
      label={title}
      title={title}
      tools={<Tag kind={isEnabled ? 'ok' : undefined}>{isEnabled ? 'on' : 'off'}</Tag>}
      onClose={onClose}
    >
      <VerdictLine>{effect}</VerdictLine>
      <Form
        className={styles.form}
        verb={[isEnabled ? 'Save' : 'Save and switch on', 'Saving']}
        pending={isPending}
        offBecause={isFilled ? null : 'The hook needs a function, or an address and a secret.'}
        error={error}
        aside={
          isEnabled && (
            <Button kind="quiet" onClick={() => mutate({ [`hook_${name}_enabled`]: false })}>
              Switch off
            </Button>
          )
        }
        onSubmit={save}
      >
        <NativeSelect
          label="Calls"
          description="A function of the app with one argument of type jsonb, or an address."
          value={choice}
          onChange={(event) => setChoice(event.currentTarget.value)}
          data={choicesOf(known)}
        />
        {isAddress && (
          <AddressFields
            {...{ address, secrets, isSet: entry('secrets')?.is_set === true }}
            onAddress={setAddress}
            onSecrets={setSecrets}
          />
        )}
        {functions.data && <Problem uri={uri} functions={functions.data} />}
        {functions.error && <FailureNote facts={failureFacts(functions.error)} />}
      </Form>
    </Panel>
  );
}

const choicesOf = (functions: readonly string[]) => [
  { value: '', label: 'nothing yet' },
  ...functions.map((value) => ({ value, label: value.replace('pg-functions://postgres/', '').replace('/', '.') })),
  { value: ADDRESS, label: 'an address' },
];

/** Says why the function of a hook cannot run, and shows the grants that it lacks. */
function Problem({ uri, functions }: { uri: string; functions: readonly HookFunction[] }) {
  const problem = problemOf(uri, functions);
  const target = functionOfHook(uri);
  const exists = functions.some((each) => hookUriOf(each.schema, each.name) === uri);
  return (
    <>
      {problem && <p role="status">{problem}</p>}
      {problem && target && exists && (
        <Code code={grantOfHook(target.schema, target.name)} language="sql" label="the grants" />
      )}
    </>
  );
}

/** Fields for the address of a hook and for the secrets that sign the requests to it. */
function AddressFields({
  address,
  secrets,
  isSet,
  onAddress,
  onSecrets,
}: {
  address: string;
  secrets: string;
  isSet: boolean;
  onAddress: (address: string) => void;
  onSecrets: (secrets: string) => void;
}) {
  return (
    <>
      <TextInput
        label="Address"
        placeholder="https://example.com/hooks/sign-in"
        autoComplete="off"
        value={address}
        onChange={(event) => onAddress(event.currentTarget.value)}
      />
      <TextInput
        label="Secrets"
        description="v1,whsec_ and Base64; several with | between. They sign each request (Standard Webhooks)."
        type="password"
        autoComplete="new-password"
        placeholder={isSet ? 'stored, not shown' : 'none'}
        value={secrets}
        onChange={(event) => onSecrets(event.currentTarget.value)}
      />
    </>
  );
}
