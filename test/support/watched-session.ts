import type { Session } from '../../src/watchdog/sessions.ts';

/** Returns a session as the watchdog sees it. By default it belongs to the app `a` and runs a statement. */
export const watchedSession = (pid: number, parts: Partial<Session> = {}): Session => ({
  pid,
  leader: pid,
  app: 'a',
  database: '1',
  isOwner: false,
  isAutovacuum: false,
  state: 'active',
  hasWritten: false,
  isComputing: false,
  waitsForClient: false,
  statementMilliseconds: 0,
  transactionMilliseconds: 0,
  stateMilliseconds: 0,
  ...parts,
});
