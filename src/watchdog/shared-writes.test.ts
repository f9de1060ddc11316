import { expect, it } from 'vitest';
import { watchedSession } from '../../test/support/watched-session.ts';
import { SharedWrites } from './shared-writes.ts';

const sessions = [watchedSession(1), watchedSession(2, { leader: 1 }), watchedSession(3, { app: 'b' })];

it('SharedWrites reports the app that most often has the lock of the writers while the file grows too fast', () => {
  const writes = new SharedWrites('sharedCatalogBytesPerSecond', 1000);
  expect(writes.look(5000, 0)).toEqual([]);
  writes.see(sessions, new Set([1, 3]));
  writes.see(sessions, new Set([2]));
  expect(writes.look(6500, 500)).toEqual([]);
  expect(writes.look(8000, 2000)).toEqual([{ app: 'a', limit: 'sharedCatalogBytesPerSecond', value: 1500, pids: [1] }]);
});

it('SharedWrites reports no app if the file grows slowly, shrinks, or grows although no app writes to it', () => {
  const writes = new SharedWrites('notifyBytesPerSecond', 1000);
  writes.look(0, 0);
  for (const [bytes, at] of [
    [900, 1000],
    [100, 2000],
  ] as const) {
    writes.see(sessions, new Set([3]));
    expect(writes.look(bytes, at)).toEqual([]);
  }
  writes.see(sessions, new Set([99]));
  expect(writes.look(900_000, 3000)).toEqual([]);
});
