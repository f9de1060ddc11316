import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../observe/events.ts';
import { TraceRecorder } from '../../observe/events.ts';
import { maskedQuery, toRequestTrace } from './request-trace.ts';

const eventOf = (parts: Partial<CallEvent>, trace: Partial<TraceRecorder> = {}): CallEvent => ({
  ...{
    type: 'call',
    app: 'helpdesk',
    area: 'rest',
    call: 'rest.public.tickets.select',
    method: 'GET',
    path: '/tickets',
  },
  ...{
    query: '',
    status: 200,
    code: null,
    subject: null,
    limit: null,
    milliseconds: 1,
    requestId: 'a',
    address: '::1',
  },
  ...{ role: 'anon', userId: null, sessionId: null, source: 'token', isByBuilder: false },
  isAbandoned: false,
  trace: Object.assign(new TraceRecorder(), trace),
  ...parts,
});

describe('query of a request trace', () => {
  it.each([
    ['select=id,title&title=eq.secret', 'select=id,title&title=eq.…'],
    ['id=in.(1,2)&order=id.desc&limit=5', 'id=in.…&order=id.desc&limit=5'],
    ['name=not.ilike.*x*', 'name=not.ilike.…'],
    ['or=(a.eq.1,b.eq.2)', 'or=…'],
    ['children.select=a&children.name=eq.x', 'children.select=a&children.name=eq.…'],
    ['apikey=sb_secret_1', 'apikey=…'],
    ['ticket=17', 'ticket=…'],
    ['grant_type=password', 'grant_type=password'],
    ['token=abc&type=signup', 'token=…&type=…'],
    ['bare', 'bare'],
    ['', ''],
  ])('masks the query %s as %s', (query, masked) => expect(maskedQuery(query)).toBe(masked));

  it("contains the values of a builder's request, but no secrets", () => {
    const { query } = toRequestTrace(eventOf({ source: 'builder', query: 'id=eq.7&apikey=sb_secret_1' }));
    expect(query).toBe('id=eq.7&apikey=…');
  });
});

describe('steps of a request trace', () => {
  const marks = {
    started: 100,
    limited: 101,
    opened: 102,
    identified: 104,
    planned: 107,
    built: 108,
    ran: 118,
    ended: 120,
  };
  const reported = (parts: Partial<CallEvent>, trace: Partial<TraceRecorder>) =>
    toRequestTrace(eventOf(parts, trace)).steps.map(({ name, from, took }) => [name, from, took]);

  it('leave no time between two steps, and separate waiting from the time in the database', () => {
    expect(reported({}, { ...marks, databaseMilliseconds: 7 })).toEqual([
      ['Check address limit', 0, 1],
      ['Resolve app', 1, 1],
      ['Authenticate', 2, 2],
      ['Plan', 4, 3],
      ['Build SQL', 7, 1],
      ['Wait for connection', 8, 3],
      ['Execute', 11, 7],
      ['Respond', 18, 2],
    ]);
  });

  it('end with the failed step and the reply', () => {
    const refused = { ...marks, planned: 0, built: 0, ran: 0, failed: 106, ended: 107 };
    expect(reported({ code: 'PGRST205', status: 404 }, refused).slice(-2)).toEqual([
      ['Plan', 4, 2],
      ['Respond', 6, 1],
    ]);
    const failed = { ...marks, ran: 0, failed: 112, ended: 113, databaseMilliseconds: 4 };
    expect(reported({ code: '23505', status: 409 }, failed).slice(-2)).toEqual([
      ['Execute', 8, 4],
      ['Respond', 12, 1],
    ]);
  });
});
