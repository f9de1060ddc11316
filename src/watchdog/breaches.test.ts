import { describe, expect, it } from 'vitest';
import { type AppBounds, limits } from '../../contract/limits.ts';
import { watchedSession } from '../../test/support/watched-session.ts';
import { listenerBreaches, lockBreaches, sharedLockBreaches, sumBreaches, timeBreaches } from './breaches.ts';

const lock = (pid: number, locks: number, database = '1') => ({
  pid,
  locks,
  database,
  notifies: false,
  writesShared: false,
  databases: [] as string[],
  blocksShared: false,
});
const bounds = Object.fromEntries(
  Object.entries(limits).map(([name, { default: value }]) => [name, value]),
) as AppBounds;

describe('lockBreaches', () => {
  it('adds up the locks of all sessions of an app', () => {
    const sessions = [watchedSession(1), watchedSession(2), watchedSession(3, { app: 'b', database: '2' })];
    const breaches = lockBreaches(sessions, [lock(1, 60), lock(2, 60), lock(3, 90, '2')], 100);
    expect(breaches).toEqual([{ app: 'a', limit: 'appLocks', value: 120, pids: [1, 2] }]);
  });

  it('counts locks without a session for the app of their database', () => {
    expect(lockBreaches([watchedSession(1)], [lock(0, 200)], 100)).toEqual([
      { app: 'a', limit: 'appLocks', value: 200, pids: [1] },
    ]);
  });

  it('ends the leader in place of its parallel worker, and spares idle sessions without locks', () => {
    const sessions = [watchedSession(1), watchedSession(2, { leader: 1 }), watchedSession(3, { state: 'idle' })];
    expect(lockBreaches(sessions, [lock(2, 200)], 100)[0]?.pids).toEqual([1]);
  });
});

describe('sharedLockBreaches', () => {
  const shared = (pid: number, databases: string[], blocksShared = false) => ({
    ...lock(pid, 1, '0'),
    databases,
    blocksShared,
  });

  it('finds sessions that lock the database of another app or block a shared object', () => {
    const sessions = [watchedSession(1), watchedSession(2, { leader: 1 }), watchedSession(3), watchedSession(4)];
    const locks = [shared(1, ['1', '2']), shared(2, ['2']), shared(3, [], true), lock(4, 1)];
    expect(sharedLockBreaches(sessions, locks)).toEqual([{ app: 'a', limit: 'appLocks', value: 3, pids: [1, 3] }]);
  });

  it('permits locks on the own database, and locks of autovacuum workers on shared catalogs', () => {
    const sessions = [watchedSession(1), watchedSession(2, { isAutovacuum: true })];
    expect(sharedLockBreaches(sessions, [shared(1, ['1']), shared(2, [], true), shared(9, ['1'])])).toEqual([]);
  });
});

describe('timeBreaches', () => {
  it('reports which limit was exceeded', () => {
    const late = 10_000_000;
    const found = timeBreaches(
      [
        watchedSession(1, { statementMilliseconds: late, transactionMilliseconds: late }),
        watchedSession(2, { state: 'idle in transaction', stateMilliseconds: late, transactionMilliseconds: late }),
        watchedSession(3, { transactionMilliseconds: late }),
        watchedSession(5, { isAutovacuum: true, transactionMilliseconds: late }),
        watchedSession(4, { state: 'idle', stateMilliseconds: late, statementMilliseconds: late }),
      ],
      bounds,
    );
    expect(found.map(({ limit, pids }) => [limit, ...pids])).toEqual([
      ['appStatementSeconds', 1],
      ['appIdleTransactionSeconds', 2],
      ['appTransactionSeconds', 3],
      ['appAnalyzeSeconds', 5],
    ]);
  });
});

describe('sumBreaches', () => {
  it('ends the largest sessions until the other sessions are below the limit', () => {
    const sessions = [watchedSession(10), watchedSession(50), watchedSession(70), watchedSession(80, { app: 'b' })];
    expect(sumBreaches(sessions, ({ pid }) => pid, 'appMemoryBytes', 100)).toEqual([
      { app: 'a', limit: 'appMemoryBytes', value: 130, pids: [70] },
    ]);
  });

  it('ends only idle sessions, the largest first, if the other sessions are below the limit', () => {
    const idle = { state: 'idle' } as const;
    const sessions = [watchedSession(10, idle), watchedSession(40, idle), watchedSession(30, idle), watchedSession(90)];
    const pids = (bound: number) => sumBreaches(sessions, ({ pid }) => pid, 'appMemoryBytes', bound)[0]?.pids;
    expect(pids(150)).toEqual([40]);
    expect(pids(100)).toEqual([40, 30]);
    expect(pids(80)).toEqual([90]);
  });
});

describe('listenerBreaches', () => {
  it('finds listeners in a long transaction, and listeners whose client does not read', () => {
    const sessions = [
      watchedSession(1, { state: 'idle in transaction', transactionMilliseconds: 5000 }),
      watchedSession(2, { waitsForClient: true, stateMilliseconds: 5000 }),
      watchedSession(3, { state: 'idle', stateMilliseconds: 5000 }),
    ];
    expect(listenerBreaches(sessions, 7, 3)).toEqual([{ app: 'a', limit: 'notifyQueueBytes', value: 7, pids: [1, 2] }]);
  });
});
