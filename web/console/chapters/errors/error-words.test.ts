import { describe, expect, it } from 'vitest';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { errorFrom, errorName, errorOf, replyOf } from './error-words.ts';

const line = (more: Partial<ErrorLine>): ErrorLine => ({
  id: 'code.PGRST116',
  group: 'rest',
  code: 'PGRST116',
  status: 406,
  statuses: [406],
  message: 'Not one row',
  hint: null,
  meaning: '',
  action: '',
  member: '',
  origin: null,
  limit: null,
  sql: null,
  caveat: null,
  page: '',
  ...more,
});
const rule = (origin: string) => line({ id: `rule.${origin}`, group: 'rule', code: '23514', origin });

describe('errorName and errorFrom', () => {
  it.each([
    [line({}), 'PGRST116', 'PostgREST'],
    [rule('public.tickets.title_length'), 'title_length', 'tickets'],
    [rule('shop.orders."Odd.name"'), '"Odd.name"', 'shop.orders'],
    [line({ group: 'function', code: 'TK001', origin: 'public.guard()' }), 'TK001', 'guard()'],
    [line({ group: 'function', code: null, origin: 'public.guard()' }), 'computed', 'guard()'],
  ])('return name and source of error %#', (given, name, from) =>
    expect([errorName(given), errorFrom(given)]).toEqual([name, from]),
  );
});

describe('errorOf', () => {
  const bare = line({ id: 'code.23514', group: 'postgres', code: '23514' });
  const quoted = rule('public."Order lines".positive');
  const errors = [rule('public.tickets.title_length'), quoted, bare, line({})];
  it('returns the error of the broken rule', () => {
    expect(errorOf(errors, { code: '23514', subject: 'public.tickets.title_length' })).toBe(errors[0]);
    expect(errorOf(errors, { code: '23514', subject: 'public.Order lines.positive' })).toBe(quoted);
  });
  it('returns the general error of the code if the broken rule was removed or is unknown', () => {
    expect(errorOf(errors, { code: '23514', subject: 'public.tickets.gone' })).toBe(bare);
    expect(errorOf(errors, { code: '23514', subject: null })).toBe(bare);
  });
  it('returns nothing for a success or an unknown code', () => {
    expect(errorOf(errors, { code: null, subject: null })).toBeUndefined();
    expect(errorOf(errors, { code: 'X', subject: null })).toBeUndefined();
  });
});

it('replyOf shows the response in the format of PostgREST or of the sign-in service', () => {
  expect(JSON.parse(replyOf(line({ group: 'auth', code: 'weak_password', status: 422 })))).toEqual({
    code: 422,
    error_code: 'weak_password',
    msg: 'Not one row',
  });
  expect(JSON.parse(replyOf(line({ message: null, hint: 'Be brief' })))).toEqual({
    code: 'PGRST116',
    message: '…',
    hint: 'Be brief',
  });
});
