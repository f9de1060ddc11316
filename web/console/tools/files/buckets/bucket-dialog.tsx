import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { storageLimits } from '../../../../../contract/limits/storage.ts';
import form from '../../../forms/form.module.css';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { type Bucket, createBucket, updateBucket } from '../../../queries/files/buckets.ts';
import styles from '../files.module.css';
import { readSize, type SizeUnit, sizeText, sizeUnits } from './size-text.ts';

/** Creates a bucket, or changes its rules. */
export function BucketDialog({
  appRef,
  bucket,
  onDone,
  onClose,
}: {
  appRef: string;
  /** Null to create a bucket. */
  bucket: Bucket | null;
  onDone: (id: string) => void;
  onClose: () => void;
}) {
  const creating = useMutation(createBucket(appRef));
  const updating = useMutation(updateBucket(appRef));
  const { mutate, isPending, error } = bucket ? updating : creating;
  const [id, setId] = useState(bucket?.id ?? '');
  const [isPublic, setPublic] = useState(bucket?.public ?? false);
  const given = bucket?.file_size_limit ? sizeText(bucket.file_size_limit) : { text: '', unit: 'MB' as const };
  const [size, setSize] = useState(given.text);
  const [unit, setUnit] = useState<SizeUnit>(given.unit);
  const [types, setTypes] = useState(bucket?.allowed_mime_types?.join('\n') ?? '');
  const limit = size.trim() === '' ? null : readSize(size, unit);
  const allowed = types.split(/[\s,]+/).filter((type) => type !== '');
  const wrongType = allowed.find((type) => !/^[\w.+*-]+\/[\w.+*-]+$/.test(type));
  const offBecause =
    id.trim() === ''
      ? 'Enter a name first.'
      : size.trim() !== '' && limit === null
        ? 'The largest file must be a number above 0.'
        : wrongType !== undefined
          ? `${wrongType} is no type such as image/png.`
          : null;
  return (
    <FormDialog
      title={bucket ? `Edit ${bucket.id}` : 'Create bucket'}
      verb={bucket ? ['Save', 'Saving'] : ['Create', 'Creating']}
      pending={isPending}
      offBecause={offBecause}
      error={error}
      onSubmit={() =>
        mutate(
          {
            id: id.trim(),
            public: isPublic,
            file_size_limit: limit,
            allowed_mime_types: allowed.length > 0 ? allowed : null,
          },
          { onSuccess: () => onDone(id.trim()) },
        )
      }
      onClose={onClose}
    >
      {!bucket && (
        <TextInput
          label="Name"
          description="It is part of the address of each file, and cannot be changed later."
          placeholder="attachments"
          maxLength={storageLimits.bucketNameCharacters.default}
          autoComplete="off"
          spellCheck={false}
          value={id}
          data-autofocus
          onChange={({ currentTarget }) => setId(currentTarget.value)}
        />
      )}
      <Access isPublic={isPublic} onChange={setPublic} />
      <Limits
        isFirst={bucket !== null}
        {...{ size, unit, types }}
        onSize={setSize}
        onUnit={setUnit}
        onTypes={setTypes}
      />
    </FormDialog>
  );
}

/** Choice between a private and a public bucket. */
const Access = ({ isPublic, onChange }: { isPublic: boolean; onChange: (isPublic: boolean) => void }) => (
  <fieldset className={form.options}>
    <legend className={form.label}>Reading</legend>
    <label className={form.check}>
      <input type="radio" name="bucket-access" checked={!isPublic} onChange={() => onChange(false)} />
      Private: policies decide who reads a file
    </label>
    <label className={form.check}>
      <input type="radio" name="bucket-access" checked={isPublic} onChange={() => onChange(true)} />
      Public: everybody with the address reads a file
    </label>
  </fieldset>
);

/** Fields of the largest file and of the types that a bucket takes. */
const Limits = ({
  isFirst,
  size,
  unit,
  types,
  onSize,
  onUnit,
  onTypes,
}: {
  /** True if the first of these fields has the focus. */
  isFirst: boolean;
  size: string;
  unit: SizeUnit;
  types: string;
  onSize: (size: string) => void;
  onUnit: (unit: SizeUnit) => void;
  onTypes: (types: string) => void;
}) => (
  <>
    <div className={styles.size}>
      <TextInput
        label="Largest file"
        description="Empty for the limit of the app."
        placeholder="50"
        inputMode="decimal"
        value={size}
        data-autofocus={isFirst || undefined}
        onChange={({ currentTarget }) => onSize(currentTarget.value)}
      />
      <NativeSelect
        label="Unit"
        data={[...sizeUnits]}
        value={unit}
        onChange={({ currentTarget }) => onUnit(sizeUnits.find((each) => each === currentTarget.value) ?? 'MB')}
      />
    </div>
    <Textarea
      label="Allowed types"
      description="One on each line, such as image/* or application/pdf. Empty for every type."
      placeholder={'image/*\napplication/pdf'}
      autosize
      minRows={2}
      maxRows={6}
      spellCheck={false}
      value={types}
      onChange={({ currentTarget }) => onTypes(currentTarget.value)}
    />
  </>
);
