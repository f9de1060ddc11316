import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import { queryClient } from '../queries/query-client.ts';
import { builder, enter } from '../queries/session.ts';
import { acceptInvitation, shownInvitation } from '../queries/team.ts';
import { AuthLayout, coverForm, coverTitle, NewPasswordField, secretOfLink } from './auth-layout.tsx';
import styles from './sign-in.module.css';

/** Accepts an invitation for a new builder or for the builder who is signed in. */
export function Invitation() {
  const [secret] = useState(secretOfLink);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const invitation = useQuery(shownInvitation(secret));
  const signedIn = useQuery(builder());
  const { mutateAsync, isPending, error } = useMutation(acceptInvitation());
  const shown = invitation.data;
  const isNew = shown?.is_builder === false;
  const isOwn = shown !== undefined && signedIn.data?.email === shown.email;
  const accept = async (email: string) => {
    await mutateAsync(isNew ? { secret, name: name.trim(), password } : { secret });
    if (isNew) await enter({ email, password });
    queryClient.removeQueries({ queryKey: ['apps'] });
    await navigate({ to: '/' });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Ignores a failure here, because the page shows it from the state of the mutation.
    if (!isPending && shown) accept(shown.email).catch(() => undefined);
  };
  return (
    <AuthLayout title="Invitation">
      <form className={coverForm} onSubmit={submit}>
        <div>
          <h1 className={coverTitle}>Invitation</h1>
          {shown && (
            <p className={styles.setupWords}>
              {shown.invited_by} invites {shown.email} to {shown.app_name ?? 'this node'}, as {shown.role}.
            </p>
          )}
        </div>
        {invitation.error && <FailureNote facts={failureFacts(invitation.error)} />}
        {isNew && (
          <>
            <TextInput
              label="Name"
              name="name"
              autoComplete="name"
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NewPasswordField value={password} onChange={setPassword} />
          </>
        )}
        {error && <FailureNote facts={failureFacts(error)} />}
        {(isNew || isOwn) && (
          <Button kind="first" wide type="submit" busy={isPending && 'Accepting'}>
            Accept
          </Button>
        )}
        {shown && !isNew && !isOwn && (
          <>
            <p className={styles.setupWords}>Sign in as {shown.email}, then open the link again.</p>
            <Link to="/sign-in" className={buttonClass({ kind: 'first', wide: true })}>
              Sign in
            </Link>
          </>
        )}
      </form>
    </AuthLayout>
  );
}
