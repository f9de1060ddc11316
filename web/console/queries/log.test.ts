import { describe, expect, it } from 'vitest';
import {
  inPeriodOf,
  isPathShown,
  logQuery,
  onlyFacet,
  readableQuery,
  readLogSearch,
  shownCallers,
  toggleFacet,
} from './log.ts';

describe('readLogSearch', () => {
  it('keeps the parameters that it knows, reads numbers as text, and drops a period that is invalid', () => {
    expect(readLogSearch({ status: 5, q: '', from: 'x', to: 'y', other: 'z', window: '24h' })).toEqual({
      status: '5',
      window: '24h',
    });
    expect(readLogSearch({ from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z', window: '24h' })).toEqual({
      from: '2026-01-31T12:00:00Z',
      to: '2026-01-31T13:00:00Z',
    });
  });
});

describe('toggleFacet', () => {
  it('hides one status, and removes the parameter once all statuses are shown again', () => {
    const without5 = toggleFacet({}, 'status', '5');
    expect(without5).toEqual({ status: '2,3,4' });
    expect(toggleFacet(without5, 'status', '5')).toEqual({});
  });

  it('keeps the only shown value', () => expect(toggleFacet({ status: '5' }, 'status', '5')).toEqual({ status: '5' }));

  it('adds the console to the kinds of callers that are shown by default', () => {
    expect(shownCallers({})).toEqual(['member', 'anon', 'key']);
    expect(toggleFacet({}, 'caller', 'console')).toEqual({ caller: 'anon,console,key,member' });
  });

  it('hides paths one by one, and shows one path alone', () => {
    const search = toggleFacet(toggleFacet({}, 'path', '/rest/v1/a'), 'path', '/rest/v1/b');
    expect(search).toEqual({ without: '/rest/v1/a /rest/v1/b' });
    expect([isPathShown(search, '/rest/v1/a'), isPathShown(search, '/rest/v1/c')]).toEqual([false, true]);
    expect(onlyFacet(search, 'path', '/rest/v1/c')).toEqual({ path: '/rest/v1/c' });
  });
});

describe('logQuery', () => {
  it('computes the start of a period that ends now, and sends one parameter for each hidden path', () => {
    const query = logQuery({ window: '15m', q: 'ticket', without: '/a /b' }, Date.parse('2026-01-31T12:00:00Z'));
    expect(query.toString()).toBe('without=%2Fa&without=%2Fb&search=ticket&from=2026-01-31T11%3A45%3A00.000Z');
  });
});

describe('inPeriodOf', () => {
  it('gives a saved search the shown period', () => {
    const chosen = { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' };
    expect(inPeriodOf({ status: '5' }, { ...chosen, q: 'x' })).toEqual({ status: '5', ...chosen });
    expect(inPeriodOf({ status: '5', window: '7d' }, { window: '24h' })).toEqual({ status: '5', window: '24h' });
    expect(inPeriodOf({ status: '5', window: '7d' }, {})).toEqual({ status: '5' });
  });
});

describe('readableQuery', () => {
  it('decodes a query, and returns a broken one unchanged', () => {
    expect(readableQuery('select=%22id%22%3A%3Atext&order=a+b')).toBe('select="id"::text&order=a b');
    expect(readableQuery('q=%')).toBe('q=%');
  });
});
