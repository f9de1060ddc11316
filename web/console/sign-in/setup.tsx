import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { passwordLimits } from '../../../contract/limits/passwords.ts';
import { buttonClass } from '../../ui/button.tsx';
import { makeFirstBuilder, setupState } from '../queries/setup.ts';
import { AuthLayout, CoverForm, coverForm, coverTitle, NewPasswordField, secretOfLink } from './auth-layout.tsx';
import styles from './sign-in.module.css';

/** Creates the first builder of a new node and signs in. */
export function Setup() {
  const { data } = useQuery(setupState());
  return data?.needed === false ? <Done /> : <FirstBuilder />;
}

function FirstBuilder() {
  const [code, setCode] = useLinkCode();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const { mutateAsync, isPending, error } = useMutation(makeFirstBuilder());
  const min = passwordLimits.builderPasswordMinCharacters.default;
  const long = [...password].length;

  const submit = () => {
    const builder = { token: code.trim(), name: name.trim(), email: email.trim(), password };
    // Ignores a failure here, because the page shows it from the state of the mutation.
    mutateAsync(builder).then(
      () => navigate({ to: '/' }),
      () => undefined,
    );
  };
  return (
    <AuthLayout title="Create the first builder" right={<StartHint />}>
      <CoverForm
        verb={['Create account and open the console', 'Creating account']}
        pending={isPending}
        error={error}
        onSubmit={submit}
      >
        <div>
          <h1 className={coverTitle}>Create the first builder</h1>
          <p className={styles.setupWords}>This node is new. The one-time link creates its first builder account.</p>
        </div>
        <TextInput
          label="Set-up code"
          description={
            <>
              The code is part of the link that <code>ninefold start</code> printed. It works once.
            </>
          }
          classNames={{ input: styles.code ?? '' }}
          required
          autoFocus={code === ''}
          autoComplete="off"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          name="name"
          autoComplete="name"
          required
          autoFocus={code !== ''}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <NewPasswordField
          description={
            <span className={long >= min ? styles.enough : undefined}>
              {long === 0 ? `At least ${min} characters` : `${long} characters; ${min} are needed`}
            </span>
          }
          value={password}
          onChange={setPassword}
        />
      </CoverForm>
    </AuthLayout>
  );
}

/** Returns the code in the page's address. Reads the code again if the builder opens the link while this page is open. */
function useLinkCode() {
  const [code, setCode] = useState(secretOfLink);
  useEffect(() => {
    // If only the part of the address after # changes, the browser does not load the page again.
    const take = () => setCode(secretOfLink());
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return [code, setCode] as const;
}

function Done() {
  return (
    <AuthLayout title="Create the first builder">
      <div className={coverForm}>
        <div>
          <h1 className={coverTitle}>Set-up is complete</h1>
          <p className={styles.setupWords}>This node has its first builder. The one-time link is no longer valid.</p>
        </div>
        <Link to="/sign-in" className={buttonClass({ kind: 'first', wide: true })}>
          Sign in
        </Link>
      </div>
    </AuthLayout>
  );
}

/** Shows where the setup code is: in the output of the first start. */
function StartHint() {
  return (
    <pre className={styles.terminal}>
      <b>$ npm start</b>
      {'\n\n'}No builder yet. Open this page and create the first one:{'\n\n  '}
      <span className={styles.link}>{location.origin}/setup#token=…</span>
      {'\n\n'}The link is for one use. Each start prints a new one{'\n'}until the first builder exists.
    </pre>
  );
}
