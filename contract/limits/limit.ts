import type { NumberSetting } from '../setting.ts';

/**
 * One number that limits a call: `default`, in `unit`, unless a setting of the app or a variable of the node's
 * environment changes it. A limit with `setting` is the complete definition of that setting.
 */
export interface Limit extends Omit<NumberSetting, 'kind' | 'range'> {
  /** Key of a group in `limitGroups`. */
  readonly group: LimitGroup;
  /** Key of the app's setting that changes the limit. */
  readonly setting?: string;
  /** Name of the environment variable that changes the limit. */
  readonly variable?: `NINEFOLD_${string}`;
  /** The minimum and the maximum to which the setting or the variable can change the limit. */
  readonly range?: readonly [number, number];
  /** True if the default is ten times as high on a node that only its own machine can reach. */
  readonly wideOnLoopback?: true;
  /** The error code of a call that exceeds the limit; absent if no call is refused. */
  readonly code?: string;
}

/** The groups of limits, in the order in which chapter 9 lists them. */
export const limitGroups = {
  requests: 'Requests',
  answers: 'Answers',
  sessions: 'Sessions and tokens',
  passwords: 'Passwords and sign-in',
  accounts: 'Accounts',
  factors: 'Second factors',
  database: 'Database and connections',
  apps: 'Bounds of an app',
  storage: 'Files',
  realtime: 'Realtime',
  functions: 'Edge functions',
  jobs: 'Scheduled jobs and HTTP from SQL',
  mails: 'Mails',
  notifications: 'Notifications',
  settings: 'Settings',
  backups: 'Backups',
  builders: 'What builders do',
  records: 'What is kept of calls',
} as const;

type LimitGroup = keyof typeof limitGroups;

/**
 * Returns limits that belong to the group, unless an entry names another one. Keeps the names and numbers as literal
 * types.
 */
export const limitsOf = <const Limits extends Record<string, Omit<Limit, 'group'> & { readonly group?: LimitGroup }>>(
  group: LimitGroup,
  limits: Limits,
) =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, { group, ...limit }])) as {
    readonly [Name in keyof Limits]: Limits[Name] & { readonly group: LimitGroup };
  };
