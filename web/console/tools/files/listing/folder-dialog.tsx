import { TextInput } from '@mantine/core';
import { useState } from 'react';
import form from '../../../forms/form.module.css';
import { FormDialog } from '../../../forms/form-dialog.tsx';

/** Returns the reason why a text cannot be a part of a path; null if it can. Pure. */
const partProblem = (name: string): string | null =>
  name.trim() === ''
    ? 'Enter a name first.'
    : name.includes('/') || name === '.' || name === '..'
      ? 'A name has no slash and is not “.” or “..”.'
      : null;

/** Asks for the name of a new folder. */
export function FolderDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <FormDialog
      title="New folder"
      verb={['Open', 'Opening']}
      pending={false}
      offBecause={partProblem(name)}
      error={null}
      onSubmit={() => onName(name.trim())}
      onClose={onClose}
    >
      <p className={form.words}>A folder is a part of the paths of its files. It exists once it has a file.</p>
      <TextInput
        label="Name"
        placeholder="2026-11"
        autoComplete="off"
        spellCheck={false}
        value={name}
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  );
}
