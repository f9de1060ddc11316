import type { Session } from '../../src/watchdog/sessions.ts';

/** Returns a session of the app `a` that runs a statement, as the watchdog sees it. */
export const watchedSession = (pid: number, parts: Partial<Session> = {}): Session => ({
  pid,
  leader: pid,
  app: 'a',
  database: '1',
  isOwner: false,
  isAutovacuum: false,
  state: 'active',
  hasWritten: false,
  waitsForClient: false,
  statementMilliseconds: 0,
  transactionMilliseconds: 0,
  stateMilliseconds: 0,
  ...parts,
});
