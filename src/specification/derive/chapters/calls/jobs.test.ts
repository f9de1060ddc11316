import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../../../contract/settings-auth.ts';
import type { Specification } from '../../../../../contract/specification.ts';
import { type AppDatabase, startAppDatabase } from '../../../../../test/support/app-database.ts';
import { loadFacts } from '../../../../catalog/facts.ts';
import type { Executor } from '../../../../database/database.ts';
import type { Pool } from '../../../../database/pool.ts';
import { rowsAsText } from '../../../../database/statement.ts';
import { diffChapters } from '../../../compare/diff.ts';
import { specificationHtml } from '../../../render/html/specification.ts';
import { specificationMarkdown } from '../../../render/markdown/specification.ts';
import type { LiveFigures } from '../../../serve/figures/figures.ts';
import { loadJobFigures } from '../../../serve/figures/figures.ts';
import { withFigures } from '../../../serve/figures/with-figures.ts';
import { deriveSpecification } from '../../specification.ts';

let database: AppDatabase;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('spec-jobs');
  owner = database.as('app_owner');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const derive = async (executor: Executor = owner) =>
  deriveSpecification(await loadFacts(executor, { exposedSchemas: ['public'], authenticator: 'app_authenticator' }), {
    ref: 'helpdesk',
    name: 'Helpdesk',
    authSettings: defaultAuthSettings,
  });

const wordsOf = (before: Specification, after: Specification): string[] =>
  diffChapters({ ...before.chapters }, { ...after.chapters }).map(({ words }) => words);

it('the specification describes the jobs of the app in chapter 7, Markdown, HTML and changes, but not the schemas of pg_cron', async () => {
  const before = await derive();
  expect(before.chapters.calls?.jobs).toEqual([]);
  expect(specificationMarkdown(before)).not.toMatch(/Scheduled jobs|cron\.|net\.http|supabase_functions/);
  await owner.script(`select cron.schedule('nightly', '0 3 * * 1-5', 'delete from public.old');
    select cron.schedule_in_database('as', '30 seconds', 'select 1', current_database(), 'service_role', false)`);
  // Derives the specification as the role of the server. This role has no privilege on the table of jobs, but the jobs
  // must appear.
  const after = await derive(database.as('app_authenticator'));
  expect(after.chapters.calls?.jobs).toEqual([
    {
      id: 'as',
      schedule: '30 seconds',
      when: 'every 30 seconds',
      command: 'select 1',
      role: 'service_role',
      active: false,
    },
    {
      ...{ id: 'nightly', schedule: '0 3 * * 1-5', when: 'on weekdays at 03:00' },
      ...{ command: 'delete from public.old', role: null, active: true },
    },
  ]);
  expect(specificationMarkdown(after)).toContain(
    '| nightly | on weekdays at 03:00 (`0 3 * * 1-5`) | `delete from public.old` | the app’s owner | yes |',
  );
  expect(specificationHtml(after)).toContain('on weekdays at 03:00');
  expect(after.hash).not.toBe(before.hash);
  const words = wordsOf(before, after);
  expect(words).toContain(
    'There is a new scheduled job “nightly”: on weekdays at 03:00, it runs “delete from public.old” as the app’s owner.',
  );
  await owner.script(`select cron.schedule('nightly', '0 4 * * *', 'delete from public.old')`);
  expect(wordsOf(after, await derive())).toEqual([
    'The scheduled job “nightly” now runs every day at 04:00 (0 4 * * *; before: 0 3 * * 1-5).',
  ]);
});

it('chapter 6 advises on active jobs that name missing objects, and on jobs whose last runs failed', async () => {
  await owner.script(`select cron.unschedule(jobid) from cron.job; create table public.log (at timestamptz);
    create function public.tidy(days int) returns void language sql as 'select';
    select cron.schedule('fine', '0 3 * * *', 'select public.tidy(3); delete from public.log where at < now(); insert into public.log (at) values (now())');
    select cron.schedule('unqualified', '0 3 * * *', 'delete from sessions; select refresh()');
    select cron.schedule('lost', '0 3 * * *', 'select public.renamed(1); delete from "public".old o where o.at < now()');
    select cron.schedule('off', '0 3 * * *', 'select public.renamed(1)');
    select cron.alter_job((select jobid from cron.job where jobname = 'off'), active := false)`);
  const specification = await derive();
  const ofJobs = ({ chapters }: Specification) =>
    (chapters.roles?.advice ?? [])
      .filter(({ about }) => about === 'job that fails')
      .map(({ on, words }) => [on, words]);
  const lost = ['lost', expect.stringContaining('names public.renamed() and public.old, which do not exist')];
  expect(ofJobs(specification)).toEqual([lost]);
  await database.pool.script(`insert into cron.job_run_details (jobid, runid, status, return_message)
    select jobid, nextval('cron.runid_seq'), 'failed', E'ERROR:  no such day\\nCONTEXT:  x' from cron.job, generate_series(1, 3) where jobname in ('fine', 'lost')`);
  const live = await loadJobFigures(database.as('app_server'));
  const none = new Map();
  const figures = {
    entities: none,
    states: none,
    roles: none,
    calls: none,
    errors: [],
    limits: [],
    uses: new Map(),
    purpose: {},
    jobs: live,
  };
  const shown = withFigures(specification, figures as unknown as LiveFigures, new Date());
  expect(ofJobs(shown)).toEqual([
    ['fine', expect.stringContaining('The last 3 runs of the job failed (ERROR:  no such day)')],
    lost,
  ]);
  expect(shown.hash).toBe(specification.hash);
});

it.each(['anon', 'authenticated', 'service_role'])('chapter 7 does not show commands to %s', async (role) => {
  const [, result] = await database.as('app_authenticator').run([
    { text: `select set_config('role', $1, true)`, params: [role] },
    { text: 'select ninefold.scheduled_jobs()::text as jobs', params: [] },
  ]);
  expect(result && rowsAsText(result)[0]?.jobs).toBe('[]');
});
