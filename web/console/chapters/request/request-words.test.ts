import { describe, expect, it } from 'vitest';
import type { RequestTrace } from '../../../../contract/observed.ts';
import type { PolicyEntry } from '../../../../contract/specification-roles.ts';
import { addressOf, questionOf, requestText, scaleMarks, stepLines } from './request-words.ts';

const step = (name: string, from: number, took: number) => ({ name, from, took, found: '' });
const trace = (more: Partial<RequestTrace> = {}): RequestTrace => ({
  request_id: 'req-1',
  at: '2026-11-21T13:58:41.000Z',
  area: 'rest',
  call: 'rest.public.tickets.update',
  method: 'PATCH',
  path: '/tickets',
  query: 'id=eq.…',
  status: 400,
  code: '23514',
  subject: 'public.tickets.title_length',
  limit: null,
  milliseconds: 3.3,
  who: { role: 'authenticated', user_id: 'u', session_id: null, source: 'token', address: '::1' },
  steps: [step('Plan', 0, 0.3), step('Execute', 0.3, 2.9), step('Respond', 3.2, 0.1)],
  sql: { text: 'update …', parameters: 2, truncated: false },
  touched: [],
  ...more,
});
const policy = { entity: 'public.tickets', name: 'own', words: 'own tickets' } as PolicyEntry;

describe('stepLines', () => {
  it('mark the step that ended a failed request, which is never the last step "Respond"', () => {
    const lines = stepLines(trace(), []);
    expect(lines.map(({ kind }) => kind)).toEqual(['server', 'ended', 'server']);
    expect(lines[1]?.found).toBe('raises 23514 of tickets.title_length');
  });
  it('mark no step of a successful request', () => {
    expect(stepLines(trace({ code: null }), []).map(({ kind }) => kind)).toEqual(['server', 'database', 'server']);
  });
  it('list the policies after the step that ran them, without a time of their own', () => {
    const within = stepLines(trace(), [policy])[2];
    expect(within).toMatchObject({ name: 'policy: own', time: null, found: 'own tickets' });
  });
});

describe('scaleMarks', () => {
  it.each([
    [3.3, [0, 1, 2, 3]],
    [0.42, [0, 0.2, 0.4]],
    [311, [0, 100, 200, 300]],
    [0, [0]],
  ])('places readable marks on a scale of %s ms', (end, marks) => expect(scaleMarks(end)).toEqual(marks));
});

it('questionOf includes the date for a request of another day', () => {
  expect(questionOf(trace(), new Date('2026-11-21T14:00:00Z'))).toMatch(/^What happened at [\d:]{8}\?$/);
  expect(questionOf(trace(), new Date('2026-11-25T14:00:00Z'))).toMatch(
    /^What happened on 2[12] Nov 2026 at [\d:]{8}\?$/,
  );
});

it('addressOf returns the address that the client requested', () => {
  expect(addressOf(trace())).toBe('/rest/v1/tickets?id=eq.…');
  expect(addressOf(trace({ path: '/', query: '' }))).toBe('/rest/v1');
});

it('requestText writes the complete trace as text', () => {
  const text = requestText(trace(), undefined);
  for (const part of [
    'req-1',
    'PATCH /rest/v1/tickets',
    '400 23514',
    'Of: public.tickets.title_length',
    '2.90  Execute',
  ]) {
    expect(text).toContain(part);
  }
});
