import { TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { CreatedS3Key, S3KeyEntry } from '../../../../../contract/files.ts';
import { sessionLimits } from '../../../../../contract/limits/sessions.ts';
import { Button } from '../../../../ui/button.tsx';
import { Code } from '../../../../ui/code.tsx';
import { CopiedCode } from '../../../../ui/copy-button.tsx';
import { Empty } from '../../../../ui/empty.tsx';
import { KeyValues } from '../../../../ui/panel.tsx';
import { ScrollFrame } from '../../../../ui/scroll-frame.tsx';
import { LoadingRows, Table, TableHead } from '../../../../ui/table.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { pushClass, Toolbar, Workbench } from '../../../../ui/workbench.tsx';
import { TimeAgo } from '../../../format/time-ago.tsx';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import form from '../../../forms/form.module.css';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { Page } from '../../../layout/page.tsx';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import { connection } from '../../../queries/apps.ts';
import { createS3Key, deleteS3Key, rotateUrlKey, s3Keys } from '../../../queries/files/usage.ts';
import styles from '../files.module.css';
import { awsCommands, REGION, rcloneCommands, type S3Access } from './examples.ts';
import { SecretDialog } from './secret-dialog.tsx';

/** Access by the S3 protocol: its endpoint, keys and commands; and the key that signs links. */
export function S3Page({ appRef, nav, bucket }: { appRef: string; nav: ReactNode; bucket: string | undefined }) {
  const { data: app } = useQuery(connection(appRef));
  const keys = useQuery(s3Keys(appRef));
  const [dialog, setDialog] = useState<'create' | 'rotate' | S3KeyEntry | null>(null);
  const [created, setCreated] = useState<CreatedS3Key | null>(null);
  const endpoint = app ? `${app.origin ?? app.url}/storage/v1/s3` : '';
  const close = () => setDialog(null);
  const example = {
    endpoint,
    region: REGION,
    keyId: keys.data?.[0]?.id ?? 'KEY_ID',
    secret: 'SECRET',
    bucket: bucket ?? 'bucket',
  };
  return (
    <Page
      bare
      appRef={appRef}
      crumbs={[{ text: 'Files', link: { to: '/app/$ref/files', params: { ref: appRef } } }, { text: 'S3 and links' }]}
      fetching={keys.isLoading}
    >
      <Workbench wideList list={nav}>
        <Toolbar title="S3 and links">
          <span className={pushClass}>
            <Button small kind="first" icon={IconPlus} onClick={() => setDialog('create')}>
              Create access key
            </Button>
          </span>
        </Toolbar>
        <div className={styles.scroll}>
          <p className={styles.answer}>
            Programs that speak the protocol of Amazon S3 read and write the buckets of this app.
          </p>
          <QueryFailure query={keys} />
          <Address endpoint={endpoint} />
          <section className={styles.section}>
            <h2>
              Access keys <span className="soft">each reads and changes every file, whatever the policies say</span>
            </h2>
            {keys.data?.length === 0 ? (
              <Empty title="No access keys yet">
                <p>Create a key and put it into the settings of the program. The secret is shown once.</p>
              </Empty>
            ) : (
              !(keys.isError && !keys.data) && <KeyTable keys={keys.data} isStale={keys.isError} onDelete={setDialog} />
            )}
          </section>
          <Commands access={example} />
          <SignedLinks onRotate={() => setDialog('rotate')} />
        </div>
      </Workbench>
      {dialog === 'create' && (
        <CreateDialog
          appRef={appRef}
          onCreated={(key) => {
            setCreated(key);
            close();
          }}
          onClose={close}
        />
      )}
      {dialog === 'rotate' && <RotateDialog appRef={appRef} onClose={close} />}
      {dialog !== null && typeof dialog === 'object' && (
        <DeleteDialog appRef={appRef} accessKey={dialog} onClose={close} />
      )}
      {created && <SecretDialog created={created} onClose={() => setCreated(null)} />}
    </Page>
  );
}

const Address = ({ endpoint }: { endpoint: string }) => (
  <section className={styles.section}>
    <h2>Address</h2>
    <KeyValues
      pairs={[
        ['Endpoint', endpoint && <CopiedCode text={endpoint} what="the endpoint" />],
        ['Region', <CopiedCode key="region" text={REGION} what="the region" />],
        ['Addresses', 'path style: the bucket is the first part of the path'],
      ]}
    />
  </section>
);

const Commands = ({ access }: { access: S3Access }) => (
  <section className={styles.section}>
    <h2>Commands</h2>
    <Tabs
      label="Commands"
      tabs={[
        {
          name: 'aws',
          content: <Code code={awsCommands(access)} language="shell" label="the commands for aws" />,
        },
        {
          name: 'rclone',
          content: <Code code={rcloneCommands(access)} language="shell" label="the commands for rclone" />,
        },
      ]}
    />
  </section>
);

const SignedLinks = ({ onRotate }: { onRotate: () => void }) => (
  <section className={styles.section}>
    <h2>Signed links</h2>
    <p className={styles.prose}>
      A signed link reads or uploads one file until it ends. Replace the key to end all of them at once, for example
      after a link reached the wrong person.
    </p>
    <p>
      <Button small onClick={onRotate}>
        Replace the key of signed links
      </Button>
    </p>
  </section>
);

const KeyTable = ({
  keys,
  isStale,
  onDelete,
}: {
  keys: readonly S3KeyEntry[] | undefined;
  isStale: boolean;
  onDelete: (key: S3KeyEntry) => void;
}) => (
  <ScrollFrame>
    <Table label="Access keys" stale={isStale}>
      <TableHead names={['Name', 'Access key id', 'Created', 'By', 'Last used']} bare="Delete" />
      <tbody>
        {keys ? (
          keys.map((key) => (
            <tr key={key.id}>
              <td>{key.name}</td>
              <td>
                <CopiedCode text={key.id} what={`the id of ${key.name}`} />
              </td>
              <td>
                <TimeAgo iso={key.created_at} />
              </td>
              <td>{key.created_by}</td>
              <td>{key.last_used_at ? <TimeAgo iso={key.last_used_at} /> : <span className="soft">never</span>}</td>
              <td className="num">
                <Button small kind="quiet" aria-label={`Delete ${key.name}`} onClick={() => onDelete(key)}>
                  Delete
                </Button>
              </td>
            </tr>
          ))
        ) : (
          <LoadingRows rows={2} widths={[90, 160, 60, 80, 60, 40]} />
        )}
      </tbody>
    </Table>
  </ScrollFrame>
);

function CreateDialog({
  appRef,
  onCreated,
  onClose,
}: {
  appRef: string;
  onCreated: (key: CreatedS3Key) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const { mutate, isPending, error } = useMutation(createS3Key(appRef));
  return (
    <FormDialog
      title="Create access key"
      verb={['Create', 'Creating']}
      pending={isPending}
      offBecause={name.trim() === '' ? 'Enter a name first.' : null}
      error={error}
      onSubmit={() => mutate(name.trim(), { onSuccess: onCreated })}
      onClose={onClose}
    >
      <p className={form.words}>
        The key reads and changes every file of the app and bypasses the policies. Use it on servers only.
      </p>
      <TextInput
        label="Name"
        description="Says where the key is used."
        placeholder="Nightly backup"
        maxLength={sessionLimits.apiKeyNameCharacters.default}
        value={name}
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  );
}

function DeleteDialog({
  appRef,
  accessKey: { id, name },
  onClose,
}: {
  appRef: string;
  accessKey: S3KeyEntry;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(deleteS3Key(appRef));
  return (
    <FormDialog
      title={`Delete ${name}?`}
      verb={['Delete', 'Deleting']}
      danger
      focusesVerb
      pending={isPending}
      error={error}
      onSubmit={() => mutate(id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className={form.words}>Requests with this key are refused from the next one. You cannot restore the key.</p>
    </FormDialog>
  );
}

function RotateDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation(rotateUrlKey(appRef));
  return (
    <ConfirmByTyping
      title="Replace the key of signed links"
      name={appRef}
      verb={['Replace', 'Replacing']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      Every signed link of the app ends, for reading and for uploads. Clients must sign new ones.
    </ConfirmByTyping>
  );
}
