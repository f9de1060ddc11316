import type { JobFigures } from '../../../../contract/specification-calls.ts';
import { runAsServerRole } from '../../../apps/run-as-server-role.ts';
import type { Database } from '../../../database/database.ts';
import { firstJson } from '../../../database/statement.ts';
import { jobIds } from '../../derive/chapters/calls/jobs.ts';

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
