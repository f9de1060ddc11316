import { Menu } from '@mantine/core';
import { IconChevronDown, IconCopy } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../../../ui/button.tsx';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { PanelSection } from '../../../../ui/panel.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { connection } from '../../../queries/apps.ts';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { signedPath } from '../../../queries/files/objects.ts';
import { objectPath } from '../../../queries/files/storage-call.ts';
import styles from './object.module.css';

const HOUR = 3600;
const durations: readonly (readonly [seconds: number, words: string])[] = [
  [HOUR, '1 hour'],
  [24 * HOUR, '1 day'],
  [7 * 24 * HOUR, '7 days'],
  [365 * 24 * HOUR, '1 year'],
];

/** The links of an object: its public address, a signed link that ends, and its path. */
export function LinksSection({ appRef, bucket, name }: { appRef: string; bucket: Bucket; name: string }) {
  const { data } = useQuery(connection(appRef));
  const api = `${data?.origin ?? data?.url ?? ''}/storage/v1`;
  return (
    <PanelSection title="Links">
      {bucket.public && (
        <Line label="Public" text={`${api}/object/public/${objectPath(bucket.id, name)}`} what="the public link" />
      )}
      <SignedLink appRef={appRef} bucket={bucket.id} name={name} api={api} />
      <Line label="Path" text={name} what="the path" />
    </PanelSection>
  );
}

const Line = ({ label, text, what }: { label: string; text: string; what: string }) => (
  <div className={styles.link}>
    <span>{label}</span>
    <code className="cut" title={text}>
      {text}
    </code>
    <CopyButton text={text} what={what} />
  </div>
);

/** Makes a signed link with a chosen duration and copies it. */
function SignedLink({ appRef, bucket, name, api }: { appRef: string; bucket: string; name: string; api: string }) {
  const signing = useMutation({
    mutationFn: async ([seconds, words]: (typeof durations)[number]) => {
      const signed = signedPath(appRef, bucket, name, seconds).then((path) => `${api}${path}`);
      // A browser lets a page write to the clipboard only during the click, so the page promises the text.
      const text = signed.then((link) => new Blob([link], { type: 'text/plain' }));
      const isCopied = await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]).then(
        () => true,
        () => false,
      );
      return { link: await signed, words, isCopied };
    },
  });
  return (
    <>
      <div className={styles.link}>
        <span>Signed</span>
        <code className="cut" title={signing.data?.link}>
          {signing.data?.link ?? 'not made yet'}
        </code>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button small icon={IconCopy} busy={signing.isPending && 'Signing'} aria-label="Copy a signed link">
              {signing.data?.isCopied ? `Copied, ${signing.data.words}` : 'Copy'}
              <IconChevronDown size={14} stroke={1.5} aria-hidden="true" />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {durations.map((duration) => (
              <Menu.Item key={duration[0]} onClick={() => signing.mutate(duration)}>
                Valid for {duration[1]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <span role="status" className="sr">
        {signing.data &&
          `The signed link, valid for ${signing.data.words}, is ${signing.data.isCopied ? 'copied' : 'shown'}.`}
      </span>
      {signing.error && <FailureNote facts={failureFacts(signing.error)} />}
    </>
  );
}
