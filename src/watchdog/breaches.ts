import type { AppBounds } from '../../contract/limits.ts';
import type { Session } from './sessions.ts';
import type { LockCount } from './usage.ts';

/** An app that exceeds one of its limits, and by how much. */
export interface Breach {
  readonly app: string;
  readonly limit: keyof AppBounds;
  /** The measured value in the unit of the limit. */
  readonly value: number;
  /** Process ids of the sessions to end. */
  readonly pids: readonly number[];
}

/** Groups sessions by app. */
export function byApp(sessions: readonly Session[]): Map<string, Session[]> {
  const groups = new Map<string, Session[]>();
  for (const session of sessions) {
    const group = groups.get(session.app);
    if (group) group.push(session);
    else groups.set(session.app, [session]);
  }
  return groups;
}

/**
 * Finds apps with too many locks. A serializable transaction that has ended can leave locks that belong to no session.
 * Such locks count for the app of their database.
 */
export function lockBreaches(sessions: readonly Session[], locks: readonly LockCount[], bound: number): Breach[] {
  const apps = new Map(sessions.map(({ pid, app }) => [pid, app]));
  const owners = new Map(sessions.map(({ database, app }) => [database, app]));
  const counts = new Map<string, number>();
  for (const lock of locks) {
    const app = apps.get(lock.pid) ?? owners.get(lock.database);
    if (app !== undefined) counts.set(app, (counts.get(app) ?? 0) + lock.locks);
  }
  const holders = new Set(locks.map(({ pid }) => pid));
  return [...counts].flatMap(([app, value]) => {
    const own = sessions.filter((one) => one.app === app && (holders.has(one.pid) || one.state !== 'idle'));
    return value > bound ? [{ app, limit: 'appLocks' as const, value, pids: leaders(own) }] : [];
  });
}

/**
 * Finds apps that block others by a single lock: on the database of another app, or on a catalog or a role that all apps
 * share. PostgreSQL refuses the statement, but only after it waited for the lock, and blocks other sessions meanwhile.
 * An autovacuum worker may lock a shared catalog.
 */
export function sharedLockBreaches(sessions: readonly Session[], locks: readonly LockCount[]): Breach[] {
  const shared = new Map(
    locks
      .filter(({ databases, blocksShared }) => blocksShared || databases.length > 0)
      .map((lock) => [lock.pid, lock] as const),
  );
  if (shared.size === 0) return [];
  return [...byApp(sessions)].flatMap(([app, group]) => {
    const blocking = group.filter(({ pid, database, isAutovacuum }) => {
      const lock = isAutovacuum ? undefined : shared.get(pid);
      return lock !== undefined && (lock.blocksShared || lock.databases.some((oid) => oid !== database));
    });
    return blocking.length > 0
      ? [{ app, limit: 'appLocks' as const, value: blocking.length, pids: leaders(blocking) }]
      : [];
  });
}

/** Finds sessions whose statement, transaction or idle time within a transaction is too long. */
export function timeBreaches(sessions: readonly Session[], bounds: AppBounds): Breach[] {
  const found: Breach[] = [];
  for (const { app, leader, state, isAutovacuum, ...session } of sessions) {
    const times: readonly [keyof AppBounds, number][] = [
      ['appAnalyzeSeconds', isAutovacuum ? session.transactionMilliseconds : 0],
      ['appStatementSeconds', state === 'active' ? session.statementMilliseconds : 0],
      ['appIdleTransactionSeconds', state === 'idle in transaction' ? session.stateMilliseconds : 0],
      ['appTransactionSeconds', state === 'idle' ? 0 : session.transactionMilliseconds],
    ];
    const over = times.find(([limit, milliseconds]) => milliseconds > bounds[limit] * 1000);
    if (over) found.push({ app, limit: over[0], value: Math.round(over[1] / 1000), pids: [leader] });
  }
  return found;
}

/**
 * Finds apps whose sessions together use more than `bound`, and the processes to end. If it is enough to end idle
 * sessions, only idle sessions are ended, so that no request fails. Otherwise any session may be ended. The largest
 * sessions are ended first, until the others are within `bound`.
 */
export function sumBreaches(
  sessions: readonly Session[],
  used: (session: Session) => number,
  limit: keyof AppBounds,
  bound: number,
): Breach[] {
  return [...byApp(sessions)].flatMap(([app, group]) => {
    const uses = group.map((session) => ({
      leader: session.leader,
      isIdle: session.state === 'idle',
      bytes: used(session),
    }));
    const value = sum(uses);
    if (value <= bound) return [];
    const idle = uses.filter(({ isIdle }) => isIdle);
    const candidates = value - sum(idle) <= bound ? idle : uses;
    const pids = new Set<number>();
    let left = value;
    for (const { leader, bytes } of candidates.sort((a, b) => b.bytes - a.bytes)) {
      if (left <= bound) break;
      pids.add(leader);
      left -= bytes;
    }
    return [{ app, limit, value, pids: [...pids] }];
  });
}

const sum = (uses: readonly { readonly bytes: number }[]): number =>
  uses.reduce((total, { bytes }) => total + bytes, 0);

/**
 * Finds the sessions that may prevent PostgreSQL from emptying the NOTIFY queue. A listener reads the queue only
 * between two transactions, so a listener in a long transaction, or one that waits for its client, keeps the queue
 * full.
 * @param seconds The limit notifyListenerSeconds.
 */
export function listenerBreaches(sessions: readonly Session[], value: number, seconds: number): Breach[] {
  return [...byApp(sessions)].flatMap(([app, group]) => {
    const slow = group.filter(
      ({ transactionMilliseconds, waitsForClient, stateMilliseconds }) =>
        transactionMilliseconds > seconds * 1000 || (waitsForClient && stateMilliseconds > seconds * 1000),
    );
    return slow.length > 0
      ? [{ app, limit: 'notifyQueueBytes' as const, value, pids: slow.map(({ leader }) => leader) }]
      : [];
  });
}

/** Returns the processes to end, so that sessions end together with their parallel workers. */
export const leaders = (sessions: readonly Session[]): number[] => [...new Set(sessions.map(({ leader }) => leader))];
