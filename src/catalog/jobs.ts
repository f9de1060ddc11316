import type { CatalogueQueries } from './read-catalogue.ts';

export interface JobFacts {
  jobs: JobFact[];
}

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

export const jobQueries: CatalogueQueries<JobFacts> = { jobs: 'select ninefold.scheduled_jobs()' };
