import type { JobEntry } from '../../../../../contract/specification-calls.ts';
import type { JobFact } from '../../../../catalog/jobs.ts';
import { compareText } from '../../../../catalog/names.ts';
import { scheduleWords } from './schedule-words.ts';

/** Returns the id of each job by its number: its name, or its name with its role if several jobs share the name. */
export function jobIds(jobs: readonly Pick<JobFact, 'jobid' | 'name' | 'role'>[]): ReadonlyMap<string, string> {
  const isShared = (name: string) => jobs.filter((one) => one.name === name).length > 1;
  return new Map(
    jobs.map(({ jobid, name, role }) => [
      jobid,
      name === null ? `job ${jobid}` : isShared(name) ? `${name} (${role})` : name,
    ]),
  );
}

/** Returns the scheduled jobs for chapter 7. */
export function jobEntries(jobs: readonly JobFact[]): JobEntry[] {
  const ids = jobIds(jobs);
  return jobs
    .map(({ jobid, schedule, command, role, active, by_owner }) => ({
      id: ids.get(jobid) ?? jobid,
      schedule,
      when: scheduleWords(schedule),
      command,
      role: by_owner ? null : role,
      active,
    }))
    .sort((a, b) => compareText(a.id, b.id));
}
