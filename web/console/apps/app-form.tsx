import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isTemplateName, templateNames, templates } from '../../../contract/templates.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import { ApiFailure } from '../queries/api-failure.ts';
import { cloneApp, createApp } from '../queries/apps.ts';
import styles from './apps.module.css';
import { refFault, refFor } from './ref-rule.ts';

/** Creates an app and opens it. */
export function MakeApp({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState('');
  const [template, setTemplate] = useState('');
  const making = useMutation(createApp());
  return (
    <AppForm
      title="Create app"
      verb={['Create app', 'Creating app']}
      pending={making.isPending}
      error={making.error}
      onClose={onClose}
      onSubmit={({ ref, name }, open) =>
        making.mutate(
          { ref, ...(name && { name }), ...(secret && { jwt_secret: secret }), ...(template && { template }) },
          { onSuccess: () => open(ref) },
        )
      }
    >
      <NativeSelect
        label="Template"
        description={isTemplateName(template) ? templates[template].summary : 'The app starts without tables.'}
        data={[
          { value: '', label: 'Empty database' },
          ...templateNames.map((value) => ({ value, label: templates[value].title })),
        ]}
        value={template}
        onChange={(event) => setTemplate(event.currentTarget.value)}
      />
      <details className={styles.more}>
        <summary>Import from a Supabase project</summary>
        <PasswordInput
          label="JWT secret"
          description="Enter the project’s JWT secret to keep its anon and service_role keys valid. 32 characters or more."
          autoComplete="off"
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      </details>
    </AppForm>
  );
}

/** Copies an app with its rows and members, and opens the copy. */
export function CloneApp({ from, onClose }: { from: string; onClose: () => void }) {
  const cloning = useMutation(cloneApp(from));
  return (
    <AppForm
      title={`Clone ${from}`}
      verb={['Clone app', 'Cloning app']}
      pending={cloning.isPending}
      error={cloning.error}
      onClose={onClose}
      onSubmit={({ ref, name }, open) => cloning.mutate({ ref, ...(name && { name }) }, { onSuccess: () => open(ref) })}
    >
      <p className={styles.words}>
        The copy contains the tables, rows, policies and members of <code>{from}</code>. It gets its own keys.
      </p>
    </AppForm>
  );
}

function AppForm({
  title,
  verb,
  pending,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  verb: readonly [word: string, ing: string];
  pending: boolean;
  error: Error | null;
  onSubmit: (app: { ref: string; name: string }, open: (ref: string) => void) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const [name, setName] = useState('');
  /** The ref that the builder typed; null while it follows the name. */
  const [typed, setTyped] = useState<string | null>(null);
  const ref = typed ?? refFor(name);
  const [tried, setTried] = useState(false);
  const navigate = useNavigate();
  const fault = refFault(ref);
  const taken = error instanceof ApiFailure && error.code === 'app_exists';

  const submit = () => {
    setTried(true);
    if (!fault)
      onSubmit({ ref, name: name.trim() }, (made) => void navigate({ to: '/app/$ref', params: { ref: made } }));
  };
  return (
    <FormDialog {...{ title, verb, pending, onClose }} error={taken ? null : error} onSubmit={submit}>
      <TextInput
        label="Name"
        placeholder="Helpdesk"
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Ref"
        description={
          <>
            The short name in URLs. You cannot change it later: <code>/apps/{ref || 'helpdesk'}</code>
          </>
        }
        error={(tried && fault) || (taken && error.message)}
        placeholder="helpdesk"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        value={ref}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
    </FormDialog>
  );
}
