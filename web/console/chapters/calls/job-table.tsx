import type { JobEntry } from '../../../../contract/specification-calls.ts';
import { dateTime, milliseconds } from '../../format/format.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

const jobColumns: readonly WordsColumn<JobEntry>[] = [
  { name: 'Job', look: 'name', cell: ({ id }) => id, title: ({ id }) => id },
  {
    name: 'Runs',
    look: 'name',
    cell: ({ when, active }) => (active ? when : 'not active'),
    title: ({ schedule }) => schedule,
  },
  { name: 'Command', look: 'words', cell: ({ command }) => <code>{command}</code>, title: ({ command }) => command },
  { name: 'As', look: 'wide', cell: ({ role }) => (role === null ? 'the app’s owner' : <code>{role}</code>) },
  { name: 'Next run', look: 'wide', cell: ({ figures }) => (figures?.next_run ? dateTime(figures.next_run) : '–') },
  { name: 'Last run', look: 'name', cell: lastRun, title: lastRun },
];

function lastRun({ figures }: JobEntry): string {
  const run = figures?.last_run;
  if (!run) return '–';
  const at = run.at === null ? '' : ` ${dateTime(run.at)}`;
  const took = run.milliseconds === null ? '' : `, ${milliseconds(run.milliseconds)}`;
  const again = figures.failed > 1 ? `, ${figures.failed} times in a row` : '';
  const message = run.message === '' ? '' : `: ${run.message.replace(/^ERROR: +/, '')}`;
  return `${run.status}${at}${took}${again}${message}`;
}

/** Table of the scheduled jobs and other work that runs without a request. */
export const JobTable = ({ number, jobs }: { number: string; jobs: readonly JobEntry[] }) => (
  <TextTable
    number={number}
    caption="Scheduled jobs, in GMT"
    what={['Scheduled jobs', 'jobs']}
    columns={jobColumns}
    rows={jobs}
    keyOf={({ id }) => id}
  />
);
