import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import form from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { needsProof } from '../../queries/api-failure.ts';
import { createRecoveryLink } from '../../queries/team.ts';
import { LinkDialog } from './link-dialog.tsx';

/** Creates a recovery link for a builder who is locked out, then shows the link once. Only owners of the node may. */
export function RecoverDialog({
  name,
  email,
  hasSecondFactor,
  onClose,
}: {
  name: string;
  email: string;
  hasSecondFactor: boolean;
  onClose: () => void;
}) {
  const { mutate, data: link, error, isPending } = useMutation(createRecoveryLink());
  const [removesFactor, setRemovesFactor] = useState(false);
  const title = `Recover ${name}`;
  if (link) return <LinkDialog title={title} email={email} link={link} onClose={onClose} />;
  return (
    <FormDialog
      title={title}
      verb={['Create link', 'Creating link']}
      pending={isPending}
      error={needsProof(error) ? null : error}
      onSubmit={() => mutate({ email, remove_second_factor: removesFactor })}
      onClose={onClose}
    >
      <p className={form.words}>
        The link lets <b>{email}</b> set a new password. It works once, for 15 minutes. When it is used, every session
        of this builder ends. Make sure who asks for it: call, or meet.
      </p>
      {hasSecondFactor && (
        <>
          <label className={form.check}>
            <input
              type="checkbox"
              checked={removesFactor}
              onChange={({ target }) => setRemovesFactor(target.checked)}
            />
            Remove the second factor too
          </label>
          {removesFactor && (
            <p className={form.words}>
              The second factor and the recovery codes are removed at once, before the link is opened.
            </p>
          )}
        </>
      )}
    </FormDialog>
  );
}
