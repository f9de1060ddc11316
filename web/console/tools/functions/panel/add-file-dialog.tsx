import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FunctionSources } from '../../../../../contract/functions.ts';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { whyNoPath } from './code-draft.ts';

/** Asks for the path of a new file. */
export function AddFileDialog({
  files,
  onAdd,
  onClose,
}: {
  files: FunctionSources['files'];
  onAdd: (path: string) => void;
  onClose: () => void;
}) {
  const [path, setPath] = useState('');
  const why = whyNoPath(path.trim(), files);
  return (
    <FormDialog
      title="Add file"
      verb={['Add', 'Adding']}
      pending={false}
      error={null}
      offBecause={why}
      onSubmit={() => onAdd(path.trim())}
      onClose={onClose}
    >
      <TextInput
        label="Path"
        description="Relative to the folder of the functions."
        placeholder="_shared/cors.ts"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={path}
        error={path === '' ? null : why}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
