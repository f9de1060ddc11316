import type { User } from '@supabase/supabase-js';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import styles from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { updateUser } from '../../queries/users.ts';
import { makePassword } from './make-password.ts';
import { PasswordField, passwordFault } from './password-field.tsx';
import { nameOf } from './user-words.ts';

/** Sets a new password. */
export function PasswordDialog({ appRef, user, onClose }: { appRef: string; user: User; onClose: () => void }) {
  const [password, setPassword] = useState(makePassword);
  const [tried, setTried] = useState(false);
  const { mutate, isPending, error } = useMutation(updateUser(appRef, user.id));
  const fault = passwordFault(password);
  return (
    <FormDialog
      title="Reset password"
      verb={['Set password', 'Setting password']}
      pending={isPending}
      error={error}
      onSubmit={() => {
        setTried(true);
        if (!fault) mutate({ password }, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <PasswordField label="New password" value={password} fault={tried ? fault : null} onChange={setPassword} />
      <p className={styles.words}>
        The old password of <b>{nameOf(user)}</b> stops working, and all sessions of the user end. Ninefold sends no
        mail. Give the new password to the user: it is not shown again.
      </p>
    </FormDialog>
  );
}
