import { describe, expect, it } from 'vitest';
import type { ListedCall } from '../../../../contract/observed.ts';
import { rowsOf, searchLog } from './search-log.ts';

const line = (part: Partial<ListedCall>): ListedCall => ({
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
  member: null,
  ...part,
});

describe('searchLog', () => {
  const rows = rowsOf([
    line({ member: 'ines@example.com' }),
    line({ request_id: 'b2', code: 'PGRST205', user_id: null, path: '/Nothing' }),
  ]);
  const found = (text: string) => searchLog(rows, text).map(({ request_id }) => request_id);

  it('finds text of a log line without regard to case', () => {
    expect(found('get /notes')).toEqual(['a1']);
    expect(found('pgrst205')).toEqual(['b2']);
    expect(found('B2')).toEqual(['b2']);
    expect(found(' ')).toEqual(['a1', 'b2']);
    expect(found('nowhere')).toEqual([]);
  });

  it('finds the requests of a member by address', () => expect(found('Ines@')).toEqual(['a1']));

  it('separates two requests with the same request id', () =>
    expect(new Set(rowsOf([line({}), line({ at: '2026-01-31T12:00:01.000Z' })]).map(({ id }) => id)).size).toBe(2));
});
