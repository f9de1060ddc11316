import { limitsOf } from './limit.ts';

/** Limits of the calls of builders, and of the lists in their responses. */
export const builderLimits = limitsOf('builders', {
  builderSessionDays: {
    unit: 'days',
    default: 30,
    meaning: 'How long a builder stays signed in to the console.',
    code: 'operator_required',
  },
  builderNameCharacters: {
    unit: 'characters',
    default: 120,
    meaning: 'The longest name of an app, and of the first builder.',
    code: 'validation_invalid',
  },
  migrationNameCharacters: {
    unit: 'characters',
    default: 200,
    meaning: 'The longest name of a migration file.',
    code: 'validation_invalid',
  },
  jwtSecretMinCharacters: {
    unit: 'characters',
    default: 32,
    meaning: 'The shortest JWT secret of an existing project with which an app can be created (RFC 7518, section 3.2).',
    code: 'validation_invalid',
  },
  jwtSecretMaxCharacters: {
    unit: 'characters',
    default: 500,
    meaning: 'The longest JWT secret of an existing project with which an app can be created.',
    code: 'validation_invalid',
  },
  builderStatementMilliseconds: {
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long one statement of the SQL page may run.',
    code: 'sql_failed',
  },
  sqlRescans: {
    unit: 'characters',
    default: 100_000_000,
    meaning:
      'How many characters PostgreSQL may read repeatedly in one SQL text. A run of 10,000 marks of comments (/*, */) or signs (+, -) without a space reaches this limit. Applies to the SQL page, migrations, scheduled jobs, and statements over TCP, for which the error is 54001.',
    code: 'sql_too_complex',
  },
  stateFiguresMilliseconds: {
    unit: 'milliseconds',
    default: 500,
    meaning:
      'How long counting the rows in each state for chapter 4 may take. Without a result, the chapter shows no numbers.',
  },
  sqlRows: {
    unit: 'count',
    default: 1000,
    meaning: 'Rows of one result that the SQL page shows.',
  },
  appLockMilliseconds: {
    unit: 'milliseconds',
    default: 20_000,
    meaning: 'How long a change of an app (clone, migrate, delete) waits for another one to end.',
    code: 'app_busy',
  },
  sessionsPerPage: {
    unit: 'count',
    default: 1000,
    meaning: 'Maximum sessions in the list of sessions.',
  },
  logLines: {
    unit: 'count',
    default: 500,
    meaning: 'Maximum requests on the page Logs.',
  },
  recentErrors: {
    unit: 'count',
    default: 200,
    meaning: 'Maximum errors in the list of recent errors.',
  },
  statisticsPoints: {
    unit: 'count',
    default: 170,
    meaning: 'Points of a chart of calls: one week in steps of an hour.',
  },
  screenConditions: {
    unit: 'count',
    default: 1000,
    meaning: 'Conditions and orders of defined screens that PostgreSQL checks.',
  },
  actingSeconds: {
    unit: 'seconds',
    default: 600,
    meaning: 'How long a builder acts as a member before asking again.',
    code: 'acting_ended',
  },
  builderProofSeconds: {
    unit: 'seconds',
    default: 900,
    meaning:
      'How long the password, the passkey or the second factor of a builder’s session counts as recent for a sensitive call.',
    code: 'recent_sign_in_needed',
  },
  auditUnproven: {
    unit: 'count',
    default: 200,
    meaning: 'Entries of an audit log that a builder can get at once without a recent proof of identity.',
    code: 'recent_sign_in_needed',
  },
  secondFactorGraceDays: {
    unit: 'days',
    default: 30,
    meaning:
      'The longest period in which builders without a second factor can continue to work after the node began to require one.',
    code: 'validation_invalid',
  },
  actingClaimsSeconds: {
    unit: 'seconds',
    default: 10,
    meaning:
      'How long a worker reuses the claims that the custom access token hook returned for a member, while a builder views rows as this member.',
  },
  rememberedActingClaims: {
    unit: 'count',
    default: 1000,
    meaning: 'Members whose claims from the custom access token hook one worker caches for builders.',
  },
  invitationDays: {
    unit: 'days',
    default: 7,
    meaning: 'How long the link of an invitation to builders is valid.',
    code: 'invitation_invalid',
  },
  openInvitations: {
    unit: 'count',
    default: 100,
    meaning: 'Open invitations to one app, and to the node.',
    code: 'invitations_full',
  },
  specificationLinks: {
    unit: 'count',
    default: 50,
    meaning: 'Links by which readers without an account read the specification of one app.',
    code: 'links_full',
  },
  sharedReadsPerSecond: {
    unit: 'count',
    default: 5,
    meaning: 'Readings of shared specifications per second from one client network. Each worker counts for itself.',
    code: 'too_many_requests',
  },
  builderRecoverySeconds: {
    unit: 'seconds',
    default: 900,
    meaning: 'How long the link that `ninefold builders recover` prints is valid.',
    code: 'recovery_invalid',
  },
  importUndoHours: {
    unit: 'hours',
    default: 24,
    meaning: 'How long the console can undo an import of rows.',
  },
});
