import { expect, it } from 'vitest';
import { ConnectionError, DatabaseError } from '../database/database-error.ts';
import { type BoundMessage, ExceededBounds } from './exceeded-bounds.ts';

/** A session that ends at the current time. */
function ended(processId = 7): ConnectionError {
  const error = new ConnectionError('terminated', {
    cause: new DatabaseError({ sqlstate: '57P01', severity: 'FATAL', message: 'terminated' }),
  });
  error.session = { processId, openedAt: performance.now() };
  return error;
}
const message = (suspendedSeconds: number, processIds: readonly number[] = [7]): BoundMessage => ({
  type: 'bound exceeded',
  app: 'a',
  limit: 'appLocks',
  bound: 10,
  suspendedSeconds,
  processIds,
});

it('ExceededBounds explains the end of a session by the limit, also if the message arrives after the end', async () => {
  const bounds = new ExceededBounds();
  const explained = bounds.explain('a', ended());
  bounds.receive(message(0));
  expect(await explained).toMatchObject({ code: 'app_limit_exceeded', details: { limit: 'appLocks', bound: 10 } });
  expect(bounds.refusal('a')).toBeNull();
});

it('ExceededBounds explains the end of a session whose connection was lost without an error from PostgreSQL', async () => {
  const bounds = new ExceededBounds();
  const closed = new ConnectionError('closed');
  closed.session = ended().session;
  bounds.receive(message(0));
  expect(await bounds.explain('a', closed)).toBe(closed);
  closed.closedSilently = true;
  expect(await bounds.explain('a', closed)).toMatchObject({ code: 'app_limit_exceeded', details: { bound: 10 } });
});

it('ExceededBounds explains only the session with this process id that was ended, not another ended session and not a later one with the same id', async () => {
  const bounds = new ExceededBounds();
  const [own, other] = [ended(7), ended(8)];
  bounds.receive(message(0));
  bounds.receive({ ...message(0, [9]), limit: 'appMemoryBytes' } as BoundMessage);
  const later = ended(7);
  expect(await bounds.explain('a', own)).toMatchObject({ details: { limit: 'appLocks' } });
  expect(await Promise.all([bounds.explain('a', other), bounds.explain('a', later)])).toEqual([other, later]);
});

it('ExceededBounds explains the end of every session during a suspension by the suspension', async () => {
  const bounds = new ExceededBounds();
  bounds.receive(message(10, []));
  expect(await bounds.explain('a', ended(8))).toMatchObject({ code: 'app_limit_exceeded' });
});

it('ExceededBounds does not change an error of another app, or another error', async () => {
  const bounds = new ExceededBounds();
  bounds.receive(message(10));
  const other = ended();
  expect(await bounds.explain('b', other)).toBe(other);
  const refused = new DatabaseError({ sqlstate: '42501', severity: 'ERROR', message: 'denied' });
  expect(await bounds.explain('a', refused)).toBe(refused);
});

it('ExceededBounds rejects requests of a suspended app with the limit and the seconds to wait', () => {
  const bounds = new ExceededBounds();
  bounds.receive(message(10));
  expect(bounds.refusal('a')).toMatchObject({ code: 'app_limit_exceeded', headers: { 'retry-after': '10' } });
  expect(bounds.refusal('b')).toBeNull();
});

it('ExceededBounds reports a full database until the primary reports free space', () => {
  const bounds = new ExceededBounds();
  bounds.receive({ type: 'storage', app: 'a', isFull: true });
  expect(bounds.isFull('a')).toBe(true);
  bounds.receive({ type: 'storage', app: 'a', isFull: false });
  expect(bounds.isFull('a')).toBe(false);
});
