import type { BackupFigures } from '../../../../contract/backup.ts';
import type { PurposeFigures } from '../../../../contract/description.ts';
import type { ErrorFigures } from '../../../../contract/specification.ts';
import type { CallEntry, JobFigures } from '../../../../contract/specification-calls.ts';
import type { RoleFigures } from '../../../../contract/specification-roles.ts';
import { countUsers } from '../../../accounts/users/list-users.ts';
import type { App } from '../../../apps/app.ts';
import { readStartMilliseconds } from '../../../apps/functions/function-logs.ts';
import { runAsServerRole } from '../../../apps/run-as-server-role.ts';
import { readErrorStatistics } from '../../../apps/statistics/error-statistics.ts';
import { readFigures } from '../../../apps/statistics/read-statistics.ts';
import type { Database } from '../../../database/database.ts';
import { firstJson } from '../../../database/statement.ts';
import { jobIds } from '../../derive/chapters/calls/jobs.ts';
import { type EntityFigures, loadEntityFigures } from './entities.ts';
import type { MetError } from './errors.ts';
import { loadStateFigures, type StateFigures } from './states.ts';
import { loadUses, type Uses } from './uses.ts';

/** Figures that change although the app's behaviour does not. */
export interface LiveFigures {
  purpose: Omit<PurposeFigures, 'entities'>;
  entities: EntityFigures;
  states: StateFigures;
  roles: MemberFigures;
  /** Figures by the id of the call. */
  calls: ReadonlyMap<string, NonNullable<CallEntry['figures']>>;
  jobs: RunFigures;
  /** Median start of the process of edge functions in the last day, in milliseconds; null without one. */
  functionStart: number | null;
  errors: readonly MetError[];
  limits: readonly HitLimit[];
  uses: Uses;
  backup: BackupFigures | null;
}

/** Reads the state of the node's backups; null if it takes none. */
export type ReadBackup = () => Promise<BackupFigures | null>;

/**
 * Reads the figures of an app.
 * @throws Errors of `readCatalog` and `Executor.run`.
 */
export async function loadFigures(app: App, readBackup: ReadBackup): Promise<LiveFigures> {
  const { database, serverDatabase } = app;
  const [members, calls_today, entities, states, roles, calls, incidents, jobs, functionStart, backup, uses] =
    await Promise.all([
      countUsers(database),
      callsToday(serverDatabase),
      loadEntityFigures(database),
      loadStateFigures(app),
      loadRoleFigures(serverDatabase),
      readFigures(app),
      readErrorStatistics(app),
      loadJobFigures(serverDatabase),
      readStartMilliseconds(serverDatabase),
      readBackup(),
      loadUses(app),
    ]);
  return {
    purpose: { members, calls_today },
    entities,
    states,
    roles,
    calls,
    jobs,
    functionStart,
    backup,
    uses,
    ...incidents,
  };
}

async function callsToday(database: Database): Promise<number> {
  const [result] = await runAsServerRole(database, [
    {
      text: `select pg_catalog.to_json(coalesce(pg_catalog.sum(calls), 0)) from ninefold.call_statistics
        where bucket >= pg_catalog.date_trunc('day', pg_catalog.now() at time zone 'utc') at time zone 'utc'`,
      params: [],
    },
  ]);
  return (result && firstJson<number>(result)) ?? 0;
}

/** How often callers exceeded a limit, and the last of these callers. */
export interface HitLimit extends ErrorFigures {
  name: string;
  last_caller: string | null;
}

/** The figures of each job, by the id of the job. */
export type RunFigures = ReadonlyMap<string, JobFigures>;

type Row = JobFigures & { jobid: string; name: string | null; role: string };

/**
 * Reads the next run and the result of the last run of each job.
 * @throws Errors of `Executor.run`.
 */
export async function loadJobFigures(database: Database): Promise<RunFigures> {
  const [result] = await runAsServerRole(database, [{ text: 'select ninefold.job_figures()', params: [] }]);
  const rows = (result && firstJson<Row[]>(result)) ?? [];
  const ids = jobIds(rows);
  return new Map(rows.map(({ jobid, name: _, role: __, ...figures }) => [ids.get(jobid) ?? jobid, figures]));
}

/** The number of members of each member role, by the name of the role. */
type MemberFigures = ReadonlyMap<string, RoleFigures>;

const COUNTS = `select coalesce(pg_catalog.json_agg(r), '[]') from (
  select d.name, (select pg_catalog.count(*) from ninefold.member_roles m where m.role = d.name) as members from ninefold.roles d) r`;

/**
 * Reads the number of members of each member role, also of roles without members.
 * @throws Errors of `Executor.run`.
 */
async function loadRoleFigures(database: Database): Promise<MemberFigures> {
  const [result] = await runAsServerRole(database, [{ text: COUNTS, params: [] }]);
  const rows = (result && firstJson<{ name: string; members: number }[]>(result)) ?? [];
  return new Map(rows.map(({ name, members }) => [name, { members }]));
}
