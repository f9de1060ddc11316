import type { CatalogQueries } from './read-catalog.ts';

/** Scheduled jobs of an app. */
export interface JobFacts {
  jobs: JobFact[];
}

/** A scheduled job, named as in pg_cron's table cron.job. */
export interface JobFact {
  jobid: string;
  name: string | null;
  schedule: string;
  command: string;
  role: string;
  active: boolean;
  /** True if the role is the owner of the database. */
  by_owner: boolean;
}

/** Query of JobFacts. */
export const jobQueries: CatalogQueries<JobFacts> = { jobs: 'select ninefold.scheduled_jobs()' };
