import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { ApiFailure } from '../../../queries/api-failure.ts';
import { inviteMember } from '../../../queries/roles.ts';

/** Dialog that mails an invitation. The account that it creates has a role; the roles that allow least come first. */
export function InviteDialog({
  appRef,
  roles,
  preset,
  onDone,
  onClose,
}: {
  appRef: string;
  /** The names of the roles, the least first. */
  roles: readonly string[];
  /** The role that is chosen at first; null for none. */
  preset: string | null;
  onDone: (email: string) => void;
  onClose: () => void;
}) {
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState(preset ?? '');
  const { mutate, isPending, error } = useMutation(inviteMember(appRef));
  const isTaken = error instanceof ApiFailure && error.code === 'email_exists';
  return (
    <FormDialog
      title="Invite a member"
      verb={['Send invitation', 'Sending']}
      pending={isPending}
      offBecause={/^\S+@\S+$/.test(email.trim()) ? null : 'An address looks like ada@example.com.'}
      error={isTaken ? null : error}
      onSubmit={() =>
        mutate({ email: email.trim(), role: chosen === '' ? null : chosen }, { onSuccess: () => onDone(email.trim()) })
      }
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        type="email"
        placeholder="ada@example.com"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        error={isTaken && 'There is a member with this address. Grant the role instead.'}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <NativeSelect
        label="Role"
        description="The roles that allow least come first."
        value={chosen}
        data={[{ value: '', label: 'no role, as every member' }, ...roles]}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
    </FormDialog>
  );
}
