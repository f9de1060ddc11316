import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { appRoles } from '../../../../contract/least-roles.ts';
import { nodeRoles } from '../../../../contract/team.ts';
import form from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { needsProof } from '../../queries/api-failure.ts';
import { inviteBuilder, type TeamOf } from '../../queries/team.ts';
import { LinkDialog } from './link-dialog.tsx';

/** Invites a builder to an app or to the node, then shows the link once. */
export function InviteDialog({ of, onClose }: { of: TeamOf; onClose: () => void }) {
  // The role with the fewest privileges is first, so that nobody gets more by a careless choice.
  const roles = of === null ? [...nodeRoles].reverse() : [...appRoles].reverse();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof roles)[number]>(of === null ? 'member' : 'reader');
  const [createsApps, setCreatesApps] = useState(true);
  const { mutate, data: link, isPending, error } = useMutation(inviteBuilder(of));
  if (link) return <LinkDialog title="Invite builder" email={email} link={link} onClose={onClose} />;
  const submit = () => {
    const appRole = appRoles.find((one) => one === role);
    const nodeRole = nodeRoles.find((one) => one === role);
    if (of === null && nodeRole) mutate({ email: email.trim(), role: nodeRole, creates_apps: createsApps });
    else if (appRole) mutate({ email: email.trim(), role: appRole });
  };
  return (
    <FormDialog
      title="Invite builder"
      verb={['Create link', 'Creating link']}
      pending={isPending}
      error={needsProof(error) ? null : error}
      onSubmit={submit}
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
        data={[...roles]}
        value={role}
        onChange={(event) => setRole(roles.find((each) => each === event.currentTarget.value) ?? role)}
      />
      {of === null && role === 'member' && (
        <label className={form.check}>
          <input type="checkbox" checked={createsApps} onChange={({ target }) => setCreatesApps(target.checked)} />
          May create apps
        </label>
      )}
    </FormDialog>
  );
}
