import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NodeFigures } from '../../../contract/node.ts';
import { count, counted, duration } from '../format/format.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import styles from './node.module.css';
import { Meter } from './node-load.tsx';
import { bounds } from './node-warnings.ts';

/** Number of queues of mails that are listed. */
const SHOWN_QUEUES = 5;

/** Sections beside the table of apps: connections, jobs, mails that wait. */
export function NodeSide({ figures }: { figures: NodeFigures }) {
  return (
    <>
      <Connections figures={figures} />
      <Jobs jobs={figures.jobs} />
      <Mails mails={figures.mails} />
    </>
  );
}

function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  const id = `${title.toLowerCase()}-title`;
  return (
    <section aria-labelledby={id} className={styles.section}>
      <header>
        <h2 id={id}>
          {title} {note !== undefined && <span>{note}</span>}
        </h2>
      </header>
      {children}
    </section>
  );
}

function Connections({ figures }: { figures: NodeFigures }) {
  const { postgres, calls_waiting_for_connection: waiting } = figures;
  const { connections, max_connections: max, version, embedded } = postgres;
  const age = postgres.oldest_transaction_seconds;
  return (
    <Section title="PostgreSQL" note={version === null ? undefined : `${version}${embedded ? ', this machine' : ''}`}>
      <dl className={styles.pairs}>
        <dt>Connections</dt>
        <dd>
          {connections === null || max === null ? (
            '–'
          ) : (
            <>
              <Meter share={connections / max} isWarning={connections >= bounds.connectionsShare * max} />
              {count(connections)} of {count(max)}
            </>
          )}
        </dd>
        <dt>Calls that wait for one</dt>
        <dd>{count(waiting)}</dd>
        <dt>Oldest transaction</dt>
        <dd>{age === null ? '–' : duration(age * 1000)}</dd>
      </dl>
    </Section>
  );
}

function Jobs({ jobs: { running, succeeded, failed } }: Pick<NodeFigures, 'jobs'>) {
  return (
    <Section title="Jobs" note={`${count(running)} ${running === 1 ? 'runs' : 'run'}`}>
      <dl className={styles.pairs}>
        <dt>Succeeded since the start</dt>
        <dd>{count(succeeded)}</dd>
        <dt>Failed since the start</dt>
        <dd className={failed > 0 ? styles.late : undefined}>{count(failed)}</dd>
      </dl>
    </Section>
  );
}

function Mails({ mails }: Pick<NodeFigures, 'mails'>) {
  const waiting = mails?.reduce((sum, one) => sum + one.waiting, 0) ?? 0;
  const more = (mails?.length ?? 0) - SHOWN_QUEUES;
  return (
    <Section title="Mails" note={mails === null ? undefined : `${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`}>
      {mails === null ? (
        <p className={styles.words}>Another node sends the mails and runs the jobs.</p>
      ) : mails.length === 0 ? (
        <p className={styles.words}>No mail waits.</p>
      ) : (
        <dl className={styles.pairs}>
          {mails.slice(0, SHOWN_QUEUES).map(({ app, waiting: some, since }) => (
            <div key={app}>
              <dt>
                <Link to="/app/$ref/mail" params={{ ref: app }}>
                  {app}
                </Link>
              </dt>
              <dd>
                {count(some)}, since <TimeAgo iso={since} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {more > 0 && <p className={styles.words}>And {counted(more, 'more app')}.</p>}
    </Section>
  );
}
