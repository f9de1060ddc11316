/** One number that bounds a call: `default`, in `unit`, unless `setting`, an environment variable or an app's setting, changes it. */
export interface Limit {
  /** What it is about, one of `limitGroups`. */
  readonly group: LimitGroup;
  readonly unit: 'bytes' | 'seconds' | 'milliseconds' | 'hours' | 'days' | 'count' | 'characters';
  readonly default: number;
  readonly meaning: string;
  readonly setting?: string;
  /** The least and the most that `setting` may set it to. */
  readonly range?: readonly [number, number];
  /** The code that whoever hits it is answered with; absent where nobody is refused. */
  readonly code?: string;
}

/** What the limits are about, in the order in which they are told. */
export const limitGroups = {
  requests: 'Requests',
  answers: 'Answers',
  sessions: 'Sessions and tokens',
  passwords: 'Passwords and sign-in',
  accounts: 'Accounts',
  database: 'Database and connections',
  apps: 'Bounds of an app',
  settings: 'Settings',
  builders: 'What builders do',
  records: 'What is kept of calls',
} as const;

type LimitGroup = keyof typeof limitGroups;
