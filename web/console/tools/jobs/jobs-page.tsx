import { Link, useParams } from '@tanstack/react-router';
import type { JobEntry } from '../../../../contract/specification-calls.ts';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { liveValueClass } from '../../../ui/live-value.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { JobTable } from '../../chapters/calls/job-table.tsx';
import { useChapter } from '../../chapters/use-chapter.ts';
import { counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { SqlLink } from '../../layout/sql-link.tsx';
import { jobsSentence } from './jobs-words.ts';

const schedule = `select cron.schedule('nightly', '0 3 * * *', $$
  select 1
$$);`;

const question = 'What runs by itself?';

/** Page of the scheduled jobs: when each one runs, and how its last run ended. */
export function JobsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/jobs' });
  const { chapter, pending } = useChapter(ref, 'calls');
  const jobs = chapter?.jobs;
  return (
    <Page appRef={ref} crumbs={[{ text: 'Jobs' }]} question={question} fetching={pending}>
      <PageHeader name="Jobs" question={question}>
        {jobs && jobsSentence(jobs)}
      </PageHeader>
      {jobs?.length === 0 && (
        <Empty title="No jobs yet">
          <p>Schedule a statement with the functions of pg_cron. The node runs it as the role that scheduled it.</p>
          <Code code={schedule} language="sql" label="the SQL of a first job" />
          <SqlLink appRef={ref} sql={schedule} small={false} />
        </Empty>
      )}
      {jobs && jobs.length > 0 && (
        <>
          <JobTable number="Table 1" jobs={jobs} />
          <Statements appRef={ref} jobs={jobs} />
        </>
      )}
      <p>
        Functions that sign-in calls are hooks: see{' '}
        <Link to="/app/$ref/sign-in-methods" params={{ ref }} className={liveValueClass}>
          Sign-in methods
        </Link>
        .
      </p>
    </Page>
  );
}

/** Links that run a job now, or remove it, in SQL. */
const Statements = ({ appRef, jobs }: { appRef: string; jobs: readonly JobEntry[] }) => (
  <p>
    {counted(jobs.length, 'job')}: change or remove one in SQL.{' '}
    <SqlLink
      appRef={appRef}
      sql={`select jobid, jobname, schedule, active from cron.job order by jobid;\n-- select cron.unschedule('nightly');\n`}
    />
  </p>
);
