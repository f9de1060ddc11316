import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { counted } from '../../../format/format.ts';
import form from '../../../forms/form.module.css';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { type Entry, relocateEntries } from '../../../queries/files/objects.ts';
import { entriesWords, folderOf, newPaths, targetProblem } from './entries-words.ts';

/** Moves or copies objects and folders: one to a new path, several into a folder, in the same bucket or another. */
export function RelocateDialog({
  appRef,
  buckets,
  bucket,
  verb,
  entries,
  onDone,
  onClose,
}: {
  appRef: string;
  buckets: readonly Bucket[];
  bucket: string;
  verb: 'move' | 'copy';
  entries: readonly Entry[];
  /** Called with the new path of a single object that stays in the bucket, otherwise with null. */
  onDone: (path: string | null) => void;
  onClose: () => void;
}) {
  const [only] = entries;
  const single = entries.length === 1 && only ? only : null;
  const [target, setTarget] = useState(single ? single.name.replace(/\/$/, '') : folderOf(only?.name ?? ''));
  const [toBucket, setToBucket] = useState(bucket);
  const [done, setDone] = useState(0);
  const { mutate, isPending, error } = useMutation(relocateEntries(appRef, bucket));
  const isSame =
    toBucket === bucket && (single ? single.name.replace(/\/$/, '') === target : folderOf(only?.name ?? '') === target);
  const isBelowItself =
    toBucket === bucket && entries.some(({ kind, name }) => kind === 'folder' && `${target}/`.startsWith(name));
  const offBecause =
    targetProblem(target, single === null) ??
    (isSame
      ? 'Choose another place first.'
      : isBelowItself && verb === 'move'
        ? 'A folder cannot be moved into itself.'
        : null);
  const progress = done > 0 ? `${verb === 'move' ? 'Moved' : 'Copied'} ${counted(done, 'file')}` : null;
  const submit = () => {
    const pathOf = newPaths(entries, target);
    mutate(
      { entries, verb, toBucket, pathOf, onProgress: setDone },
      { onSuccess: () => onDone(single?.kind === 'object' && toBucket === bucket ? pathOf(single.name) : null) },
    );
  };
  return (
    <FormDialog
      title={`${verb === 'move' ? 'Move' : 'Copy'} ${entriesWords(entries)}`}
      verb={verb === 'move' ? ['Move', progress ?? 'Moving'] : ['Copy', progress ?? 'Copying']}
      pending={isPending}
      offBecause={offBecause}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {buckets.length > 1 && (
        <NativeSelect
          label="Bucket"
          data={buckets.map(({ id }) => id)}
          value={toBucket}
          onChange={({ currentTarget }) => setToBucket(currentTarget.value)}
        />
      )}
      <TextInput
        label={single ? 'Path' : 'Folder'}
        description={single ? 'Folders and the name, with slashes between.' : 'Empty for the bucket itself.'}
        autoComplete="off"
        spellCheck={false}
        value={target}
        data-autofocus
        onChange={({ currentTarget }) => setTarget(currentTarget.value)}
      />
      {verb === 'move' && (
        <p className={form.words}>Links and fields of rows that name the present path do not follow.</p>
      )}
    </FormDialog>
  );
}
