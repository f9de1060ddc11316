import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../ui/button.tsx';
import { recover } from '../queries/team.ts';
import { AuthLayout, CoverForm, coverForm, coverTitle, NewPasswordField, secretOfLink } from './auth-layout.tsx';
import styles from './sign-in.module.css';

/** Sets a new password with the link that `ninefold builders recover` prints. */
export function Recovery() {
  const [secret] = useState(secretOfLink);
  const [password, setPassword] = useState('');
  const { mutate, isPending, isSuccess, error } = useMutation(recover());
  if (isSuccess) {
    return (
      <AuthLayout title="New password">
        <div className={coverForm}>
          <div>
            <h1 className={coverTitle}>New password set</h1>
            <p className={styles.setupWords}>All your earlier sessions have ended.</p>
          </div>
          <Link to="/sign-in" className={buttonClass({ kind: 'first', wide: true })}>
            Sign in
          </Link>
        </div>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title="New password">
      <CoverForm
        verb={['Set password', 'Setting password']}
        pending={isPending}
        error={error}
        onSubmit={() => mutate({ secret, password })}
      >
        <h1 className={coverTitle}>New password</h1>
        <NewPasswordField autoFocus value={password} onChange={setPassword} />
      </CoverForm>
    </AuthLayout>
  );
}
