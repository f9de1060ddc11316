import { expect, it } from 'vitest';
import { ConnectionError, DatabaseError } from '../database/database-error.ts';
import { type BoundMessage, ExceededBounds } from './bounds.ts';

const ended = () =>
  new ConnectionError('terminated', {
    cause: new DatabaseError({ sqlstate: '57P01', severity: 'FATAL', message: 'terminated' }),
  });
const message = (suspendedSeconds: number): BoundMessage => ({
  type: 'bound exceeded',
  app: 'a',
  limit: 'appLocks',
  bound: 10,
  suspendedSeconds,
});

it('explains the end of a session by the limit, also if the message arrives after the end', async () => {
  const bounds = new ExceededBounds();
  const explained = bounds.explain('a', ended());
  bounds.receive(message(0));
  expect(await explained).toMatchObject({ code: 'app_limit_exceeded', details: { limit: 'appLocks', bound: 10 } });
  expect(bounds.refusal('a')).toBeNull();
});

it('explains the end of a session without an error from PostgreSQL', async () => {
  const bounds = new ExceededBounds();
  bounds.receive(message(0));
  const closed = new ConnectionError('closed');
  expect(await bounds.explain('a', closed)).toBe(closed);
  closed.closedSilently = true;
  expect(await bounds.explain('a', closed)).toMatchObject({ code: 'app_limit_exceeded', details: { bound: 10 } });
});

it('returns an error of another app, or another error, unchanged', async () => {
  const bounds = new ExceededBounds();
  bounds.receive(message(10));
  const other = ended();
  expect(await bounds.explain('b', other)).toBe(other);
  const refused = new DatabaseError({ sqlstate: '42501', severity: 'ERROR', message: 'denied' });
  expect(await bounds.explain('a', refused)).toBe(refused);
});

it('rejects requests of a suspended app with the limit and the seconds to wait', () => {
  const bounds = new ExceededBounds();
  bounds.receive(message(10));
  expect(bounds.refusal('a')).toMatchObject({ code: 'app_limit_exceeded', headers: { 'retry-after': '10' } });
  expect(bounds.refusal('b')).toBeNull();
});

it('reports a full database until the primary reports free space', () => {
  const bounds = new ExceededBounds();
  bounds.receive({ type: 'storage', app: 'a', isFull: true });
  expect(bounds.isFull('a')).toBe(true);
  bounds.receive({ type: 'storage', app: 'a', isFull: false });
  expect(bounds.isFull('a')).toBe(false);
});
