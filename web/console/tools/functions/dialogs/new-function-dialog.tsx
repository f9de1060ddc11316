import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Code } from '../../../../ui/code.tsx';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { deployFunction } from '../../../queries/functions.ts';
import { templateOf, whyNoFunctionName } from '../function-words.ts';
import { VerifyField } from './verify-field.tsx';

/** Deploys a new function from a template. */
export function NewFunctionDialog({
  appRef,
  taken,
  onCreated,
  onClose,
}: {
  appRef: string;
  taken: readonly string[];
  onCreated: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [verifies, setVerifies] = useState(true);
  const { mutate, isPending, error } = useMutation(deployFunction(appRef));
  const why = whyNoFunctionName(name, taken);
  const entrypoint = `${name}/index.ts`;
  return (
    <FormDialog
      title="New function"
      width={560}
      verb={['Deploy', 'Deploying']}
      pending={isPending}
      offBecause={why}
      error={error}
      onSubmit={() =>
        mutate(
          { name, files: { [entrypoint]: templateOf(name) }, entrypoint, verify_jwt: verifies },
          { onSuccess: () => onCreated(name) },
        )
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="It is the end of the address of the function, and cannot be changed later."
        placeholder="send-receipt"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        error={name === '' ? null : why}
        onChange={(event) => setName(event.currentTarget.value.trim())}
      />
      <VerifyField verifies={verifies} onChange={setVerifies} />
      <Code code={templateOf(name || 'send-receipt')} language="javascript" label="the code" />
    </FormDialog>
  );
}
