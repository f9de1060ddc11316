import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import { MigrationPreview, refusedBecause } from '../../../migrations/migration-preview.tsx';
import { type DefinedRole, invalidateRoles } from '../../../queries/roles.ts';
import { applyMigration, migrationTrial } from '../../../queries/sql.ts';
import { roleMigration } from './role-sql.ts';

/** Dialog that defines a role of members, or describes an existing one. It writes a migration. */
export function RoleDialog({
  appRef,
  defined: role,
  names,
  onDone,
  onClose,
}: {
  appRef: string;
  /** Undefined for a new role. */
  defined: DefinedRole | undefined;
  /** The names of all roles. */
  names: readonly string[];
  onDone: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const { sql, undo } = roleMigration(name.trim(), description, role);
  const fault =
    name.trim() === ''
      ? 'Give the role a name.'
      : !role && names.includes(name.trim())
        ? 'There is a role of this name.'
        : null;
  const trial = useQuery(migrationTrial(appRef, fault === null ? sql : ''));
  const apply = useMutation(applyMigration(appRef));
  return (
    <FormDialog
      title={role ? `Describe ${role.name}` : 'New role'}
      verb={role ? ['Save description', 'Saving'] : ['Define role', 'Defining']}
      pending={apply.isPending}
      offBecause={fault ?? refusedBecause(trial)}
      error={apply.error}
      onSubmit={() =>
        apply.mutate(
          { name: fileName(`${role ? 'describe' : 'define'} role ${name}`, new Date()), sql },
          { onSuccess: () => void invalidateRoles(appRef).then(() => onDone(name.trim())) },
        )
      }
      onClose={onClose}
    >
      {!role && (
        <TextInput
          label="Name"
          value={name}
          placeholder="agent"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
      <TextInput
        label="What its members do"
        value={description}
        placeholder="Answers tickets."
        data-autofocus={role ? true : undefined}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      {fault === null && <MigrationPreview {...{ sql, undo, trial }} />}
    </FormDialog>
  );
}
