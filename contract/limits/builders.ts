import type { Limit } from './limit.ts';

/** Calls of builders, and the lists that they get. */
export const builderLimits = {
  builderSessionDays: {
    group: 'builders',
    unit: 'days',
    default: 30,
    meaning: 'How long a builder stays signed in to the console.',
    code: 'operator_required',
  },
  builderNameCharacters: {
    group: 'builders',
    unit: 'characters',
    default: 120,
    meaning: 'The longest name of an app, and of the first builder.',
    code: 'validation_invalid',
  },
  migrationNameCharacters: {
    group: 'builders',
    unit: 'characters',
    default: 200,
    meaning: 'The longest name of a file of a migration.',
    code: 'validation_invalid',
  },
  jwtSecretMinCharacters: {
    group: 'builders',
    unit: 'characters',
    default: 32,
    meaning: 'The shortest JWT secret of an existing project with which an app is created (RFC 7518, section 3.2).',
    code: 'validation_invalid',
  },
  jwtSecretMaxCharacters: {
    group: 'builders',
    unit: 'characters',
    default: 500,
    meaning: 'The longest such secret.',
    code: 'validation_invalid',
  },
  builderStatementMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long one statement of the SQL page may run.',
    code: 'sql_failed',
  },
  stateFiguresMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 500,
    meaning: 'How long the rows in each state of the state machines may be counted for chapter 4; else it shows none.',
  },
  sqlRows: {
    group: 'builders',
    unit: 'count',
    default: 1000,
    meaning: 'Rows that the SQL page shows of one result.',
  },
  appLockMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 20_000,
    meaning: 'How long a change of an app (clone, migrate, delete) waits for another one to end.',
    code: 'app_busy',
  },
  sessionsPerPage: {
    group: 'builders',
    unit: 'count',
    default: 1000,
    meaning: 'Sessions that the list of sessions shows at most.',
  },
  logLines: {
    group: 'builders',
    unit: 'count',
    default: 500,
    meaning: 'Calls that the logs show at most.',
  },
  recentErrors: {
    group: 'builders',
    unit: 'count',
    default: 200,
    meaning: 'Errors that the list of recent errors shows at most.',
  },
  statisticsPoints: {
    group: 'builders',
    unit: 'count',
    default: 170,
    meaning: 'Points of a chart of calls: a week by the hour.',
  },
  screenConditions: {
    group: 'builders',
    unit: 'count',
    default: 1000,
    meaning: 'Of how many conditions and orders of defined screens PostgreSQL is asked whether it would take them.',
  },
  actingSeconds: {
    group: 'builders',
    unit: 'seconds',
    default: 600,
    meaning: 'How long a builder acts as a member before asking again.',
    code: 'acting_ended',
  },
} as const satisfies Record<string, Limit>;
