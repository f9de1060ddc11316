import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type AppRole, appRoles } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { inviteBuilder } from '../../data/team/team.ts';
import { dateTime } from '../../format/format.ts';
import form from '../users/form.module.css';
import { UserForm } from '../users/user-form.tsx';

/** Invites a builder, then shows the link this one time. */
export function InviteDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<AppRole>('developer');
  const { mutate, data: link, isPending, error } = useMutation(inviteBuilder(appRef));
  if (link) {
    return (
      <Dialog title="Invite builder" onClose={onClose}>
        <div className={form.form}>
          <p className={form.words}>
            Give this link to <b>{email}</b>. It works once, until {dateTime(link.expires_at)}, and is not shown again.
          </p>
          <TextInput label="Link" readOnly className={form.secret ?? ''} value={link.url} />
          <div className={form.buttons}>
            <CopyButton text={link.url} what="the link" word />
            <Button kind="quiet" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <UserForm
      title="Invite builder"
      verb={['Make link', 'Making link']}
      pending={isPending}
      error={error}
      onSubmit={() => mutate({ email: email.trim(), role })}
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        type="email"
        placeholder="ada@example.com"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <NativeSelect
        label="Role"
        data={[...appRoles]}
        value={role}
        onChange={(event) => setRole(appRoles.find((each) => each === event.currentTarget.value) ?? role)}
      />
    </UserForm>
  );
}
