import { setTimeout as delay } from 'node:timers/promises';
import type { Notification } from '../../src/apps/app.ts';
import { Pool } from '../../src/database/pool.ts';
import type { Identity } from '../../src/identity/identity.ts';
import type { ChangesApp } from '../../src/realtime/changes/app-changes.ts';
import type { ChangeSink } from '../../src/realtime/changes/change-feed.ts';
import type { AppDatabase } from './app-database.ts';

/** The part of an app that its changes use, on the database of a test. */
export interface TestApp extends ChangesApp {
  /** Sends a notification to the subscribers, as the listener does. */
  notify(notification: Notification): void;
}

export function changesApp(database: AppDatabase): TestApp {
  const subscribers = new Set<(notification: Notification) => void>();
  const target = { ...database.target, password: 'secret' };
  const options = { max: 1, idleMilliseconds: 5000, waitMilliseconds: 10_000 };
  return {
    serverDatabase: new Pool(
      { ...target, user: 'app_server', searchPath: 'pg_catalog,pg_temp', ignoresLockTimeout: true },
      { ...options, max: 2 },
    ),
    dedicatedPool: () => new Pool({ ...target, user: 'app_authenticator' }, options),
    isReady: true,
    ready: async () => undefined,
    catchUp: async () => undefined,
    subscribe: (subscriber) => {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    notify: (notification) => {
      for (const subscriber of subscribers) subscriber(notification);
    },
  };
}

/** Returns the identity of a member. */
export const member = (id: string, claims: Record<string, unknown> = {}): Identity => {
  const all = { sub: id, role: 'authenticated', ...claims };
  return {
    role: 'authenticated',
    claims: all,
    claimsJson: JSON.stringify(all),
    userId: id,
    sessionId: null,
    source: 'token',
  };
};

export const anon: Identity = {
  role: 'anon',
  claims: { role: 'anon' },
  claimsJson: '{"role":"anon"}',
  userId: null,
  sessionId: null,
  source: 'publishable-key',
};

/** The payload of a change. */
export interface ChangeData {
  schema: string;
  table: string;
  commit_timestamp: string;
  type: string;
  columns: { name: string; type: string }[];
  record: Record<string, unknown>;
  old_record?: Record<string, unknown>;
  errors: string[] | null;
}

/** A subscriber that stores what it receives. */
export class StoringSink implements ChangeSink {
  readonly received: { ids: readonly number[]; data: ChangeData }[] = [];
  readonly ended: string[] = [];
  ready = 0;

  deliver(ids: readonly number[], data: Buffer): void {
    this.received.push({ ids, data: JSON.parse(data.toString('utf8')) as ChangeData });
  }

  onReady(): void {
    this.ready++;
  }

  onEnd(reason: string): void {
    this.ended.push(reason);
  }

  /** Returns the received changes in short, and forgets them. Waits until there are this many. */
  async take(count: number): Promise<[type: string, record: unknown, oldRecord: unknown][]> {
    const until = performance.now() + 5000;
    while (this.received.length < count && performance.now() < until) await delay(5);
    return this.received.splice(0).map(({ data: { type, record, old_record: old } }) => [type, record, old]);
  }
}
