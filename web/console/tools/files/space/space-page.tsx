import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FileUsage } from '../../../../../contract/files.ts';
import { storageLimits } from '../../../../../contract/limits/storage.ts';
import { Button } from '../../../../ui/button.tsx';
import { Empty } from '../../../../ui/empty.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { ScrollFrame } from '../../../../ui/scroll-frame.tsx';
import { LoadingRows, Table, TableHead } from '../../../../ui/table.tsx';
import { Gauge, Toolbar, Workbench } from '../../../../ui/workbench.tsx';
import { bytes, count, counted, percent } from '../../../format/format.ts';
import { Page } from '../../../layout/page.tsx';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { fileUsage, sweepFiles, verifyFiles } from '../../../queries/files/usage.ts';
import styles from '../files.module.css';
import { checkWords, differences } from './check-words.ts';

/** The space that the files of an app take: by bucket, by member, and what no object names. */
export function SpacePage({ appRef, nav }: { appRef: string; nav: ReactNode }) {
  const usage = useQuery(fileUsage(appRef));
  const { data, isError } = usage;
  return (
    <Page
      bare
      appRef={appRef}
      crumbs={[{ text: 'Files', link: { to: '/app/$ref/files', params: { ref: appRef } } }, { text: 'Space' }]}
      fetching={usage.isLoading}
    >
      <Workbench wideList list={nav}>
        <Toolbar title="Space" />
        <div className={styles.scroll}>
          <QueryFailure query={usage} />
          {data && <Answer appRef={appRef} usage={data} />}
          {data?.buckets.length === 0 && (
            <Empty title="No files yet">
              <p>Create a bucket and upload a file. Its space appears here.</p>
            </Empty>
          )}
          {(!data || data.buckets.length > 0) && !(isError && !data) && (
            <Section title="By bucket">
              <Table label="Space by bucket" stale={isError}>
                <TableHead names={['Bucket', 'Files', 'Size', 'Part']} figures={['Files', 'Size', 'Part']} />
                <tbody>
                  {data ? (
                    data.buckets.map(({ id, objects, bytes: size }) => (
                      <tr key={id}>
                        <td>
                          <Link to="/app/$ref/files" params={{ ref: appRef }} search={{ bucket: id }}>
                            <code>{id}</code>
                          </Link>
                        </td>
                        <td className="num">{count(objects)}</td>
                        <td className="num">{bytes(size)}</td>
                        <td className="num">{percent(size, sumOf(data.buckets))}</td>
                      </tr>
                    ))
                  ) : (
                    <LoadingRows rows={4} widths={[120, 40, 56, 32]} />
                  )}
                </tbody>
              </Table>
            </Section>
          )}
          {data && data.members.length > 0 && <Members appRef={appRef} usage={data} isStale={isError} />}
          {data && data.buckets.length > 0 && <Unused appRef={appRef} usage={data} />}
          {data && data.buckets.length > 0 && <Check appRef={appRef} />}
        </div>
      </Workbench>
    </Page>
  );
}

const sumOf = (parts: readonly { bytes: number }[]): number => parts.reduce((sum, part) => sum + part.bytes, 0);

const Section = ({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) => (
  <section className={styles.section}>
    <h2>
      {title}
      {aside !== undefined && <span className="soft">{aside}</span>}
    </h2>
    <ScrollFrame>{children}</ScrollFrame>
  </section>
);

/** One sentence about the space, and the ratio as a gauge. */
function Answer({ appRef, usage: { buckets, stored, quota_bytes } }: { appRef: string; usage: FileUsage }) {
  const files = buckets.reduce((sum, { objects }) => sum + objects, 0);
  const named = sumOf(buckets);
  const limit = (
    <Link to="/app/$ref/limits" params={{ ref: appRef }} search={{ limit: 'appStorageBytes' }}>
      {bytes(quota_bytes)}
    </Link>
  );
  return (
    <div className={styles.answer}>
      <p>
        {counted(files, 'file')} in {counted(buckets.length, 'bucket')} {files === 1 ? 'takes' : 'take'}{' '}
        {bytes(stored.bytes)}
        {quota_bytes > 0 && <> of {limit}</>}.
        {named > stored.bytes && ` Equal contents are stored once, which saves ${bytes(named - stored.bytes)}.`}
      </p>
      {quota_bytes > 0 && <Gauge part={stored.bytes / quota_bytes} />}
    </div>
  );
}

function Members({
  appRef,
  usage: { members, members_with_files },
  isStale,
}: {
  appRef: string;
  usage: FileUsage;
  isStale: boolean;
}) {
  const isCut = members_with_files > members.length;
  return (
    <Section
      title="By member"
      aside={isCut && `the ${members.length} with the most of ${counted(members_with_files, 'member')} with files`}
    >
      <Table label="Space by member" stale={isStale}>
        <TableHead names={['Member', 'Files', 'Size']} figures={['Files', 'Size']} />
        <tbody>
          {members.map(({ id, email, objects, bytes: size }) => (
            <tr key={id}>
              <td>
                <Link to="/app/$ref/users" params={{ ref: appRef }} search={{ user: id }}>
                  {email ?? <code>{id}</code>}
                </Link>
              </td>
              <td className="num">{count(objects)}</td>
              <td className="num">{bytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}

/** The bytes that no object names. */
function Unused({ appRef, usage: { unused, uploads } }: { appRef: string; usage: FileUsage }) {
  const { mutate, isPending, error } = useMutation(sweepFiles(appRef));
  return (
    <Section title="Without a file">
      <Table label="Bytes without a file">
        <TableHead names={['What', 'Number', 'Size', 'Ends']} figures={['Number', 'Size']} />
        <tbody>
          <tr>
            <td>Contents of deleted files</td>
            <td className="num">{count(unused.contents)}</td>
            <td className="num">{bytes(unused.bytes)}</td>
            <td>
              {unused.contents === 0 ? (
                'The node deletes them within seconds'
              ) : (
                <Button small busy={isPending && 'Deleting'} onClick={() => mutate()}>
                  Delete now
                </Button>
              )}
            </td>
          </tr>
          <tr>
            <td>Uploads that are not complete</td>
            <td className="num">{count(uploads.count)}</td>
            <td className="num">{bytes(uploads.bytes)}</td>
            <td>
              The node deletes their parts after{' '}
              <Link to="/app/$ref/limits" params={{ ref: appRef }} search={{ limit: 'uploadHours' }}>
                {counted(storageLimits.uploadHours.default, 'hour')}
              </Link>
            </td>
          </tr>
        </tbody>
      </Table>
      {error && <FailureNote facts={failureFacts(error)} />}
    </Section>
  );
}

/** Compares the rows of the files with their bytes. */
function Check({ appRef }: { appRef: string }) {
  const { mutate, data, isPending, error } = useMutation(verifyFiles(appRef));
  return (
    <Section title="Check">
      <p className={styles.prose}>
        {data
          ? checkWords(data)
          : 'Compares every file with its bytes. With their contents, the node reads all bytes and compares their hash.'}
      </p>
      {data && data.differences.length > 0 && (
        <Table label="Differences">
          <TableHead names={['Difference', 'File']} />
          <tbody>
            {data.differences.map(({ kind, object, key }) => (
              <tr key={`${kind} ${object} ${key}`}>
                <td>{differences[kind]}</td>
                <td>
                  <code>{object ?? key}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {error && <FailureNote facts={failureFacts(error)} />}
      <p className="buttons">
        <Button small busy={isPending && 'Checking'} onClick={() => mutate(false)}>
          Check sizes
        </Button>
        <Button small offBecause={isPending ? 'A check runs.' : null} onClick={() => mutate(true)}>
          Check contents
        </Button>
      </p>
    </Section>
  );
}
