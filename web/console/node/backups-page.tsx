import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { BackupPage, BackupRequest, BackupState, BackupSummary, BackupWork } from '../../../contract/backup.ts';
import { backupWarnings } from '../../../contract/backup-warnings.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Empty } from '../../ui/empty.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { figureLink } from '../../ui/live-value.tsx';
import { AsOf } from '../../ui/page-header.tsx';
import { ScrollFrame } from '../../ui/scroll-frame.tsx';
import { Table, TableHead } from '../../ui/table.tsx';
import { bytes, count, dateTime, duration } from '../format/format.ts';
import { Page } from '../layout/page.tsx';
import { QueryFailure } from '../layout/query-failure.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import { backupPage, requestBackup } from '../queries/backups.ts';
import styles from './backups.module.css';
import { LastDrill } from './last-drill.tsx';
import node from './node.module.css';
import { Meter } from './node-load.tsx';
import { PhraseDialog } from './phrase-dialog.tsx';
import { Restore } from './restore.tsx';
import { Section } from './section.tsx';
import { WarningList } from './warning-list.tsx';

/** Time in milliseconds in which the backup process begins requested work. */
const BEGIN_MILLISECONDS = 4000;

/** Page of the node's backups for its owners: what could be lost, base backups, the last drill, and restores. */
export function BackupsPage() {
  const query = useQuery(backupPage());
  const { data, isLoading, isError, dataUpdatedAt } = query;
  return (
    <Page crumbs={[{ text: 'Backups' }]} fetching={isLoading}>
      {data?.state ? (
        <Backups
          page={data}
          state={data.state}
          readAt={dataUpdatedAt}
          isStale={isError}
          failure={<QueryFailure query={query} />}
        />
      ) : (
        <>
          <header className={node.head}>
            <h1>Backups</h1>
          </header>
          <QueryFailure query={query} />
          {data && <NoBackups />}
        </>
      )}
    </Page>
  );
}

function NoBackups() {
  return (
    <Empty title="This node takes no backups">
      <p>
        A node with the embedded PostgreSQL backs itself up unless <code>NINEFOLD_BACKUP_URL</code> is <code>off</code>.
        Set the variable to a folder on another disk or to an S3 bucket, and start the node again. The first state
        appears here a few seconds later.
      </p>
      <Code code="NINEFOLD_BACKUP_URL=/mnt/other-disk/ninefold" language="env" label="the variable" />
      <p>
        Back up a server of your own (<code>NINEFOLD_DATABASE_URL</code>) with its own means.
      </p>
    </Empty>
  );
}

interface BackupsProps {
  page: BackupPage;
  state: BackupState;
  /** Time of the browser at which the state was read. */
  readAt: number;
  isStale: boolean;
  /** The failure of the last refresh. */
  failure: ReactNode;
}

function Backups({ page, state, readAt, isStale, failure }: BackupsProps) {
  const request = useMutation(requestBackup());
  const [makesPhrase, setMakesPhrase] = useState(false);
  const isBeginning =
    request.isPending ||
    (request.isSuccess && state.running === null && readAt - request.submittedAt < BEGIN_MILLISECONDS);
  const button = (kind: BackupRequest, words: string) => (
    <Button
      onClick={() => request.mutate(kind)}
      busy={isBeginning && request.variables === kind && 'Requesting'}
      offBecause={state.running && `${workInWords[state.running.kind]} is under way.`}
    >
      {words}
    </Button>
  );
  const buttons = {
    base: button('base', 'Back up now'),
    drill: button('drill', 'Run a drill'),
    phrase: (
      <Button onClick={() => setMakesPhrase(true)}>
        {state.hasPhrase ? 'Make a new phrase' : 'Make a recovery phrase'}
      </Button>
    ),
  };
  const { restorableFrom: from, completeAt: to } = state;
  return (
    <>
      <header className={node.head}>
        <div className={styles.title}>
          <h1>Backups</h1>
          <div className="buttons">
            {buttons.base}
            {buttons.drill}
            {state.hasPhrase && buttons.phrase}
          </div>
        </div>
        <p className={node.summary}>
          <LossSentence page={page} state={state} /> <AsOf at={readAt} live={!isStale} />
        </p>
      </header>
      {failure}
      {request.error && <FailureNote facts={failureFacts(request.error)} />}
      <WarningList warnings={backupWarnings(page, { duration, dateTime })}>
        {({ action }) => action && buttons[action]}
      </WarningList>
      {state.running && <Running work={state.running} at={page.at} />}
      <div className={node.columns}>
        <div>
          {from !== null && to !== null && from < to && (
            <Restore state={state} reach={{ from: Date.parse(from), to: Date.parse(to) }} />
          )}
          <BaseBackups backups={state.backups} isStale={isStale} />
          <RestorePoints points={page.restore_points} />
        </div>
        <aside aria-label="State of the backups">
          <LastDrill drill={state.drill} />
          <Where state={state} />
        </aside>
      </div>
      {makesPhrase && <PhraseDialog hasPhrase={state.hasPhrase} onClose={() => setMakesPhrase(false)} />}
    </>
  );
}

const figure = figureLink('backups');

/** Says what could be lost and what can be restored. */
function LossSentence({ page, state }: { page: BackupPage; state: BackupState }) {
  const { restorableFrom, completeAt } = state;
  if (restorableFrom === null || completeAt === null) {
    return 'Nothing can be restored yet, because the first base backup is not finished.';
  }
  const loss = Date.parse(page.at) - Date.parse(completeAt);
  return (
    <>
      Every moment from {figure(dateTime(restorableFrom))} to {figure(dateTime(completeAt))} can be restored.{' '}
      {page.is_target_in_home ? (
        'If the disk of this node were lost now, the backups would be lost with it.'
      ) : (
        <>If this machine were lost now, at most the last {figure(duration(Math.max(1000, loss)))} would be lost.</>
      )}
    </>
  );
}

const workInWords: Readonly<Record<BackupWork['kind'], string>> = {
  base: 'A base backup',
  drill: 'A drill',
  app: 'A restore of an app',
};

function Running({ work: { kind, startedAt, bytes: done, total }, at }: { work: BackupWork; at: string }) {
  return (
    <p className={styles.running}>
      <b>{workInWords[kind]} is under way.</b>
      <small>
        {total !== null && total > 0 && <Meter share={done / total} />}
        {bytes(done)}
        {total !== null && ` of ${bytes(Math.max(done, total))}`}, for{' '}
        {duration(Date.parse(at) - Date.parse(startedAt))}
      </small>
    </p>
  );
}

const COLUMNS = ['Finished', 'Databases', 'Stored', 'Proven'] as const;

function BaseBackups({ backups, isStale }: { backups: readonly BackupSummary[]; isStale: boolean }) {
  return (
    <Section id="backups" title="Base backups" note={count(backups.length)}>
      <ScrollFrame>
        <Table label="Base backups" stale={isStale}>
          <TableHead names={COLUMNS} figures={COLUMNS.slice(1, 3)} />
          <tbody>
            {backups.map(({ id, finishedAt, bytes: size, storedBytes, isProven }) => (
              <tr key={id}>
                <td>{dateTime(finishedAt)}</td>
                <td className="num">{bytes(size)}</td>
                <td className="num">{bytes(storedBytes)}</td>
                <td>{isProven ? 'restored by a drill' : 'not yet'}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </ScrollFrame>
      {backups.length === 0 && <p className={node.words}>No base backups yet. The node takes one each day.</p>}
    </Section>
  );
}

function RestorePoints({ points }: { points: BackupPage['restore_points'] }) {
  return (
    <Section title="Restore points" note={count(points.length)}>
      {points.length === 0 ? (
        <p className={node.words}>
          No restore points yet. The node records one before an update of Ninefold changes the schemas.
        </p>
      ) : (
        <>
          <ul className={node.facts}>
            {points.toReversed().map(({ at, from, to }) => (
              <li key={at} className={styles.point}>
                <span>
                  Before the update from {from} to {to}
                </span>
                <span>{dateTime(at)}</span>
              </li>
            ))}
          </ul>
          <p className={node.words}>
            To return to the newest one, stop the node, run this command, and start the earlier version.
          </p>
          <Code code="ninefold rollback" language="shell" label="the command that returns to the restore point" />
        </>
      )}
    </Section>
  );
}

function Where({ state: { target, isStreaming, hasPhrase } }: { state: BackupState }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Target', target],
    ['Changes', isStreaming ? 'stored each second' : 'not received'],
    ['Recovery phrase', hasPhrase ? 'made' : 'not made'],
  ];
  return (
    <Section title="Where">
      <dl className={`${node.pairs} ${styles.where}`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
