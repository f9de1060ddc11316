import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../../../contract/observed.ts';
import { rowsOf, searchLog } from './search-log.ts';

const line = (part: Partial<LogLine>): LogLine => ({
  request_id: 'a1',
  at: '2026-01-31T12:00:00.000Z',
  call: 'rest.public.notes.select',
  method: 'GET',
  path: '/notes',
  status: 200,
  code: null,
  subject: null,
  role: 'authenticated',
  user_id: 'u1',
  source: 'token',
  milliseconds: 1,
  ...part,
});

describe('the search of the logs', () => {
  const rows = rowsOf([line({}), line({ request_id: 'b2', code: 'PGRST205', user_id: null, path: '/Nothing' })]);
  const found = (text: string, members: string[] = []) =>
    searchLog(rows, text, members).map(({ request_id }) => request_id);

  it('finds what a line says, whatever the case', () => {
    expect(found('get /notes')).toEqual(['a1']);
    expect(found('pgrst205')).toEqual(['b2']);
    expect(found('B2')).toEqual(['b2']);
    expect(found(' ')).toEqual(['a1', 'b2']);
    expect(found('nowhere')).toEqual([]);
  });

  it('finds the calls of members by what they are called', () => expect(found('ines@', ['u1'])).toEqual(['a1']));

  it('keeps two calls of one request id apart', () =>
    expect(new Set(rowsOf([line({}), line({ at: '2026-01-31T12:00:01.000Z' })]).map(({ id }) => id)).size).toBe(2));
});
