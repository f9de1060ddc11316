import { NativeSelect, TextInput } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { linkDays, type SpecificationLink } from '../../../../contract/specification-links.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { dateTime } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import form from '../../forms/form.module.css';
import { failureFacts } from '../../queries/api-failure.ts';
import {
  createSpecificationLink,
  specificationLinks,
  withdrawSpecificationLink,
} from '../../queries/specification-links.ts';
import { versionList } from '../../queries/versions.ts';
import styles from './share-dialog.module.css';

const CURRENT = 'current';
const WITHOUT_END = 'none';
const WIDTH = 600;

/**
 * Makes links by which readers without an account read the specification, and lists the links of the app with their
 * makers and their last readings.
 */
export function ShareDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const links = useQuery(specificationLinks(appRef));
  const withdrawing = useMutation(withdrawSpecificationLink(appRef));
  const error = links.error ?? withdrawing.error;
  return (
    <Dialog title="Share the specification" width={WIDTH} onClose={onClose}>
      <div className={form.form}>
        <p className={form.words}>
          Anyone who has the link reads the specification without an account: all nine chapters as a page that can be
          printed, without rows, figures or keys.
        </p>
        <NewLink appRef={appRef} />
        <section aria-labelledby="links-title">
          <h2 id="links-title" className={styles.title}>
            Links
          </h2>
          {error && <FailureNote facts={failureFacts(error)} />}
          {links.data ? (
            <LinkList links={links.data} onWithdraw={(id) => withdrawing.mutate(id)} />
          ) : (
            !error && <Skeleton width={280} />
          )}
        </section>
      </div>
    </Dialog>
  );
}

function NewLink({ appRef }: { appRef: string }) {
  const [shown, setShown] = useState(CURRENT);
  const [end, setEnd] = useState('30');
  const versions = useInfiniteQuery(versionList(appRef)).data?.pages.flatMap((page) => page.versions) ?? [];
  const { mutate, data, isPending, error } = useMutation(createSpecificationLink(appRef));
  const days = linkDays.find((one) => String(one) === end) ?? null;
  const create = () => mutate({ version: shown === CURRENT ? null : Number(shown), days });
  return (
    <>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) create();
        }}
      >
        <NativeSelect
          label="Shows"
          value={shown}
          onChange={(event) => setShown(event.currentTarget.value)}
          data={[
            { value: CURRENT, label: 'The app as it is when read' },
            ...versions.map(({ number, at }) => ({
              value: String(number),
              label: `Version ${number}, ${dateTime(at)}`,
            })),
          ]}
        />
        <NativeSelect
          label="Ends"
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
          data={[
            ...linkDays.map((one) => ({ value: String(one), label: `after ${one} days` })),
            { value: WITHOUT_END, label: 'when withdrawn' },
          ]}
        />
        <Button kind="first" type="submit" icon={IconLink} busy={isPending && 'Creating link'} data-autofocus>
          Create link
        </Button>
      </form>
      {error && <FailureNote facts={failureFacts(error)} />}
      {data && (
        <div className={styles.created} role="status">
          <TextInput
            label="New link, which is shown only once"
            readOnly
            className={form.secret ?? ''}
            value={data.url}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={data.url} what="the link" word />
        </div>
      )}
    </>
  );
}

function LinkList({ links, onWithdraw }: { links: readonly SpecificationLink[]; onWithdraw: (id: string) => void }) {
  if (links.length === 0) return <p className="soft">No links. Create one to share the specification.</p>;
  return (
    <ul className={styles.links}>
      {links.map((link) => (
        <li key={link.id}>
          <div>
            <b className={link.ended ? 'soft' : undefined}>{shownWords(link)}</b>
            <span className="soft">
              made by {link.created_by} <TimeAgo iso={link.created_at} />, {endWords(link)}
            </span>
          </div>
          <span className={styles.read}>
            {link.last_read_at ? (
              <>
                read <TimeAgo iso={link.last_read_at} />
              </>
            ) : (
              'never read'
            )}
          </span>
          <Button
            small
            kind="quiet"
            aria-label={`Withdraw the link that ${link.created_by} made ${dateTime(link.created_at)}`}
            onClick={() => onWithdraw(link.id)}
          >
            {link.ended ? 'Remove' : 'Withdraw'}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const shownWords = ({ version }: SpecificationLink): string =>
  version === null ? 'The app as it is' : `Version ${version}`;

function endWords({ ended, expires_at, created_by }: SpecificationLink): string {
  if (ended === 'creator') return `off because ${created_by} may no longer share this app`;
  if (expires_at === null) return 'no end';
  return `${ended === 'expired' ? 'ended' : 'ends'} ${dateTime(expires_at)}`;
}
