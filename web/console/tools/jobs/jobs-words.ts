import type { JobEntry } from '../../../../contract/specification-calls.ts';
import { counted, listed } from '../../format/format.ts';

/** Says how many jobs run, and which of them failed at last: "2 jobs run by themselves; nightly failed at last." Pure. */
export function jobsSentence(jobs: readonly Pick<JobEntry, 'id' | 'active' | 'figures'>[]): string {
  const active = jobs.filter((job) => job.active);
  if (active.length === 0) return 'No job runs by itself.';
  const failed = active.filter(({ figures }) => (figures?.failed ?? 0) > 0).map(({ id }) => id);
  const end = failed.length === 0 ? 'none failed at last' : `${listed(failed)} failed at last`;
  return `${counted(active.length, 'job')} ${active.length === 1 ? 'runs' : 'run'} by ${active.length === 1 ? 'itself' : 'themselves'}; ${end}.`;
}
