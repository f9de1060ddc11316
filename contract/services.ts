/** A service of a hosted Supabase project, and what an app has of it. */
export interface Service {
  /** The name in tables and messages. */
  readonly title: string;
  /** True if apps have the service. The table of `apps create --from` and the errors of missing services follow it. */
  readonly runs: boolean;
  /** A sentence: where the service is, or what happens to calls of a missing service and what to use instead. */
  readonly note: string;
}

/** The services of a hosted project, by name. A service that Ninefold gains changes here alone. */
export const services = {
  storage: { title: 'Storage', runs: true, note: 'Buckets, files and policies work at /storage/v1.' },
  realtime: { title: 'Realtime', runs: true, note: 'Changes, broadcasts and presence work at /realtime/v1.' },
  functions: {
    title: 'Edge functions',
    runs: true,
    note: 'Run in Deno at /functions/v1. Set their secrets with “ninefold secrets set”.',
  },
  vault: { title: 'Vault', runs: true, note: 'Secrets are sealed with a key that is not in the database of the app.' },
  queues: { title: 'Queues (pgmq)', runs: true, note: 'The functions of pgmq work, for clients those of pgmq_public.' },
  jobs: { title: 'Scheduled jobs (pg_cron)', runs: true, note: 'cron.schedule runs SQL on its schedule.' },
  http: { title: 'HTTP from SQL (pg_net)', runs: true, note: 'net.http_get and net.http_post send requests.' },
  vectors: {
    title: 'Vectors (pgvector)',
    runs: true,
    note: 'Needs the files of pgvector on the node: NINEFOLD_POSTGRES_EXTENSIONS or NINEFOLD_POSTGRES_BIN.',
  },
  graphql: {
    title: 'GraphQL',
    runs: false,
    note: 'Calls of /graphql/v1 answer 404 with the code service_missing. Use /rest/v1, which embeds related tables in one call.',
  },
  meta: {
    title: 'The API of Studio (/pg)',
    runs: false,
    note: 'Calls of /pg answer 404 with the code service_missing. Use the management API at /admin/v1.',
  },
  analytics: {
    title: 'Analytics',
    runs: false,
    note: 'Calls of /analytics/v1 answer 404 with the code service_missing. The page Requests of the console has the log.',
  },
} as const satisfies Readonly<Record<string, Service>>;

/** The name of a service of a hosted project. */
export type ServiceName = keyof typeof services;
