import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { firstJson, type Statement } from '../database/statement.ts';

/**
 * For each of the schemas `cron` and `net` of an app's database, says whether Ninefold created the schema. An attached
 * database may have its own schemas with these names, which Ninefold does not use.
 */
export interface ScheduledParts {
  jobs: boolean;
  http: boolean;
}

const PARTS = `select pg_catalog.json_build_object(
  'jobs', pg_catalog.to_regclass('ninefold.job_states') is not null,
  'http', exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where n.nspname = 'net' and p.proname = '_queue_request' and (r.rolsuper or p.proowner = (
      select o.nspowner from pg_catalog.pg_namespace o where o.nspname = 'ninefold'))))`;

/** Reads which of the two schemas Ninefold created. */
export async function readParts(database: Executor): Promise<ScheduledParts> {
  const [result] = await database.run([{ text: PARTS, params: [] }]);
  return (result && firstJson<ScheduledParts>(result)) ?? { jobs: false, http: false };
}

/** An active job and its next due time. */
export interface DueJob {
  id: string;
  /** The next time at which the job is due, in milliseconds since 1970; null if the job never runs. */
  due: number | null;
  /** True if a run of the job is in progress. */
  running: boolean;
  /** True if another process runs the job. */
  foreign: boolean;
}

const milliseconds = (time: string): string => `(extract(epoch from ${time}) * 1000)::int8`;

/** If the clock was set back by more than this, times of previous runs are ignored. */
const CLOCK_SET_BACK = `interval '3 hours'`;
/**
 * For a job whose previous runs are ignored, the search for a due time starts this long before the current time. A job
 * that is due now has a due time in the past, which a search from the current time would miss.
 */
const JUST_DUE = `interval '1 minute'`;

const DUE = `select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
    'id', j.jobid::text, 'running', s.run is not null, 'foreign', s.run is not null and s.runner <> $2,
    'due', ${milliseconds(`ninefold.next_run(j.schedule, case
      when s.last_due > $1::timestamptz + ${CLOCK_SET_BACK} then $1::timestamptz - ${JUST_DUE}
      else greatest(s.last_due, $1::timestamptz - pg_catalog.make_interval(secs => $3::int)) end)`)})), '[]')
  from cron.job j join ninefold.job_states s using (jobid) where j.active`;

/** Reads the due time of each active job. */
export async function readDueJobs(database: Executor, runner: string, now: number): Promise<DueJob[]> {
  const params = [iso(now), runner, String(limits.jobCatchUpSeconds.default)];
  const [result] = await database.run([{ text: DUE, params }]);
  return (result && firstJson<DueJob[]>(result)) ?? [];
}

/**
 * Statements that end runs of processes that no longer exist. If the command of a run was not sent, the job becomes due
 * again. If the command was sent and its session has ended, the run counts as failed. It is not repeated, because the
 * command may have committed.
 */
const RECOVER: readonly Omit<Statement, 'params'>[] = [
  {
    text: `with unsent as (
        select s.jobid, s.run from ninefold.job_states s join cron.job_run_details d on d.runid = s.run
        where s.runner <> $1 and d.status = 'starting' for update of s
      ), freed as (
        update ninefold.job_states s set last_due = s.claimed_from, run = null from unsent u where s.jobid = u.jobid
      )
      delete from cron.job_run_details d using unsent u where d.runid = u.run`,
  },
  {
    text: `with ended as (
        update ninefold.job_states s set run = null
        from cron.job_run_details d
        where s.runner <> $1 and d.runid = s.run and d.status = 'running' and ninefold.session_start(d.job_pid) is distinct from s.session_start
        returning d.runid
      )
      update cron.job_run_details d set status = 'failed', end_time = pg_catalog.clock_timestamp(),
        return_message = 'server restarted' from ended e where d.runid = e.runid`,
  },
  {
    // Frees a job if the app's owner has deleted the row of its run from cron.job_run_details. Otherwise the job would
    // count as running forever.
    text: `update ninefold.job_states s set run = null
      where s.runner <> $1 and s.run is not null and not exists (select from cron.job_run_details d where d.runid = s.run)`,
  },
];

/** Ends runs of other processes that no longer exist. */
export async function recoverRuns(database: Executor, runner: string): Promise<void> {
  await database.run(RECOVER.map((statement) => ({ ...statement, params: [runner] })));
}

/** A claimed run of a job. */
export interface Run {
  id: string;
  username: string;
  command: string;
  /** The next due time of the job in milliseconds since 1970; null if the job never runs again. */
  next: number | null;
}

const CLAIM = `with claimed as (
    update ninefold.job_states s set
      run = pg_catalog.nextval('cron.runid_seq'), runner = $3, session_start = null, claimed_from = s.last_due,
      last_due = ninefold.last_run_until(j.schedule, $2::timestamptz, $4::timestamptz)
    from cron.job j
    where s.jobid = $1::int8 and j.jobid = s.jobid and j.active and s.run is null
      and (s.last_due < $2::timestamptz or s.last_due > $4::timestamptz + ${CLOCK_SET_BACK})
    returning s.run, s.last_due, j.jobid, j.database, j.username, j.command, j.schedule
  ), noted as (
    insert into cron.job_run_details (jobid, runid, database, username, command, status)
    select c.jobid, c.run, c.database, c.username, c.command, 'starting' from claimed c
  )
  select pg_catalog.json_build_object('id', c.run::text, 'username', c.username, 'command', c.command,
    'next', ${milliseconds('ninefold.next_run(c.schedule, c.last_due)')}) from claimed c`;

/** Claims the run of a due job. Returns null if another process claimed it or the job no longer exists. */
export async function claimRun(
  database: Executor,
  job: string,
  due: number,
  runner: string,
  now: number,
): Promise<Run | null> {
  const [result] = await database.run([{ text: CLAIM, params: [job, iso(due), runner, iso(now)] }]);
  return result ? firstJson<Run>(result) : null;
}

const BEGIN = `with begun as (
    update ninefold.job_states s set session_start = $3::timestamptz
    from cron.job_run_details d
    where s.run = $1::int8 and s.runner = $4 and d.runid = s.run and d.status = 'starting' returning s.run
  )
  update cron.job_run_details d set status = 'running', job_pid = $2::int, start_time = pg_catalog.clock_timestamp()
  from begun b where d.runid = b.run returning d.runid`;

/** Records the session that is about to run the command. Returns false if another process has taken the run over. */
export async function beginRun(
  database: Executor,
  run: string,
  session: { pid: string; start: string },
  runner: string,
): Promise<boolean> {
  const [result] = await database.run([{ text: BEGIN, params: [run, session.pid, session.start, runner] }]);
  return (result?.rows.length ?? 0) > 0;
}

/** Releases a claimed run whose command was not sent. The job becomes due again. */
export async function releaseRun(database: Executor, run: string): Promise<void> {
  await database.run([
    {
      text: 'update ninefold.job_states set last_due = claimed_from, run = null where run = $1::int8',
      params: [run],
    },
    { text: `delete from cron.job_run_details where runid = $1::int8 and status = 'starting'`, params: [run] },
  ]);
}

/** The result of a run. */
export interface Outcome {
  status: 'succeeded' | 'failed';
  message: string;
}

/** Records the end of a run, and deletes the oldest runs above the limits. */
export async function finishRun(database: Executor, job: string, run: string, outcome: Outcome): Promise<void> {
  const message = outcome.message.slice(0, limits.jobMessageCharacters.default);
  await database.run([
    {
      text: `update cron.job_run_details set status = $2, return_message = $3, end_time = pg_catalog.clock_timestamp(),
        start_time = coalesce(start_time, pg_catalog.clock_timestamp()) where runid = $1::int8`,
      params: [run, outcome.status, message],
    },
    { text: 'update ninefold.job_states set run = null where run = $1::int8', params: [run] },
    {
      text: `delete from cron.job_run_details where runid <= (
          select d.runid from cron.job_run_details d where d.jobid = $1::int8 order by d.runid desc offset $2::int limit 1)
        and jobid = $1::int8`,
      params: [job, String(limits.jobRunsKept.default)],
    },
    {
      text: `delete from cron.job_run_details where runid <= (
          select d.runid from cron.job_run_details d order by d.runid desc offset $1::int limit 1)`,
      params: [String(limits.appRunsKept.default)],
    },
  ]);
}

const iso = (time: number): string => new Date(time).toISOString();
