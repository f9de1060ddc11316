import { Textarea } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type FirebaseHashParameters,
  type ImportPreview,
  type ImportSource,
  readHashParameters,
} from '../../../../contract/member-imports.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { FilePicker } from '../../../ui/file-picker.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Form } from '../../forms/form.tsx';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { runImport, sendImport } from '../../queries/imports.ts';
import { ImportReport } from './import-report.tsx';
import styles from './users.module.css';

const sources = [
  ['csv', 'CSV'],
  ['supabase', 'Supabase'],
  ['firebase', 'Firebase'],
  ['auth0', 'Auth0'],
] as const;

const words: Readonly<Record<ImportSource, string>> = {
  csv: 'The first row names the columns: email or phone, and any of id, password_hash, email_confirmed, name, created_at, user_metadata, app_metadata.',
  supabase: 'A dump with COPY blocks (supabase db dump --data-only --use-copy), or the table auth.users as CSV.',
  firebase: 'The JSON of firebase auth:export, with the password hash parameters of the project.',
  auth0: 'The export of users, one JSON object a line, with the bcrypt hashes that Auth0 sends on request.',
};

/** Page that imports members from a file: the choice of the file, its first rows, the import and the refused rows. */
export function ImportPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/import-users' });
  const [source, setSource] = useState<ImportSource>('csv');
  const [file, setFile] = useState<File | null>(null);
  const [parameters, setParameters] = useState('');
  const [part, setPart] = useState(0);
  const firebase = source === 'firebase' ? readHashParameters(parameters) : null;
  const sending = useMutation({
    mutationFn: (sent: { file: File; firebase: FirebaseHashParameters | null }) =>
      sendImport(ref, sent.file, { source, ...(sent.firebase && { firebase: sent.firebase }) }, setPart),
  });
  const running = useMutation({ mutationFn: (id: string) => runImport(ref, id) });
  const submit = () => {
    setPart(0);
    if (file) sending.mutate({ file, firebase });
  };
  const reset = () => {
    sending.reset();
    running.reset();
  };
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'Users', link: { to: '/app/$ref/users', params: { ref } } }, { text: 'Import' }]}
      fetching={sending.isPending}
    >
      <div className={styles.import}>
        <h1 className={styles.title}>Import users</h1>
        {running.data ? (
          <ImportReport appRef={ref} id={running.data.id} onAgain={reset} />
        ) : sending.data ? (
          <Preview {...{ preview: sending.data.preview, id: sending.data.id, running }} onBack={reset} />
        ) : (
          <Form
            className={styles.form}
            verb={['Send and preview', `Sending ${Math.round(part * 100)} %`]}
            pending={sending.isPending}
            offBecause={file === null ? 'Choose a file first' : null}
            error={sending.error}
            onSubmit={submit}
          >
            <Segmented label="Where the file is from" value={source} options={sources} onChange={setSource} />
            <p className={styles.importPageWords}>{words[source]}</p>
            <FilePicker label="File" verb={file ? 'Choose another file' : 'Choose file'} onFile={setFile}>
              {file?.name ?? 'or drop it here'}
            </FilePicker>
            {source === 'firebase' && (
              <HashParameters text={parameters} isValid={firebase !== null} onChange={setParameters} />
            )}
          </Form>
        )}
      </div>
    </Page>
  );
}

/** Field for the parameters of Firebase's password hashes. */
function HashParameters({
  text,
  isValid,
  onChange,
}: {
  text: string;
  isValid: boolean;
  onChange: (text: string) => void;
}) {
  return (
    <Textarea
      label="Password hash parameters"
      description="In the console of Firebase: Authentication, Users, Password hash parameters. Without them only accounts without a password are imported."
      rows={6}
      spellCheck={false}
      error={
        text !== '' &&
        !isValid &&
        'This does not contain base64_signer_key, base64_salt_separator, rounds and mem_cost.'
      }
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The first rows of the file, and the button that starts the import. */
function Preview({
  preview: { records, failure },
  id,
  running,
  onBack,
}: {
  preview: ImportPreview;
  id: string;
  running: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error'>;
  onBack: () => void;
}) {
  return (
    <>
      {failure && (
        <p role="alert">
          <b>The file cannot be read.</b> {failure}
        </p>
      )}
      <p className={styles.importPageWords}>The first rows, as they would be imported. Nothing is imported yet.</p>
      <div className={styles.table}>
        <Table label="First rows of the file">
          <TableHead names={['Line', 'Account', 'Password', 'Confirmed', 'Signs in by', '']} />
          <tbody>
            {records.map((record) => (
              <tr key={record.line}>
                <td>{record.line}</td>
                <td>{record.email ?? record.phone ?? '–'}</td>
                <td>{record.password === null ? 'none' : `${record.password}, ${record.password_milliseconds} ms`}</td>
                <td>{record.confirmed ? 'yes' : 'no'}</td>
                <td>{record.providers.join(', ')}</td>
                <td>{record.refused && <Tag kind="error">{record.refused}</Tag>}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      {running.error && <FailureNote facts={failureFacts(running.error)} />}
      <div className={styles.buttons}>
        {failure === null && (
          <Button kind="first" busy={running.isPending && 'Starting'} onClick={() => running.mutate(id)}>
            Import
          </Button>
        )}
        <Button onClick={onBack}>Choose another file</Button>
      </div>
    </>
  );
}
