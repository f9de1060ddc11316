import { describe, expect, it } from 'vitest';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { errorFrom, errorName, errorOf, replyOf } from './error-words.ts';

const line = (more: Partial<ErrorLine>): ErrorLine => ({
  id: 'code.PGRST116',
  group: 'rest',
  code: 'PGRST116',
  status: 406,
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

describe('an error is called', () => {
  it.each([
    [line({}), 'PGRST116', 'PostgREST'],
    [rule('public.tickets.title_length'), 'title_length', 'tickets'],
    [rule('shop.orders."Odd.name"'), '"Odd.name"', 'shop.orders'],
    [line({ group: 'function', code: 'TK001', origin: 'public.guard()' }), 'TK001', 'guard()'],
    [line({ group: 'function', code: null, origin: 'public.guard()' }), 'computed', 'guard()'],
  ])('%#', (given, name, from) => expect([errorName(given), errorFrom(given)]).toEqual([name, from]));
});

describe('the error that a call was answered with', () => {
  const bare = line({ id: 'code.23514', group: 'postgres', code: '23514' });
  const quoted = rule('public."Order lines".positive');
  const errors = [rule('public.tickets.title_length'), quoted, bare, line({})];
  it('is the rule that was broken, as calls name it', () => {
    expect(errorOf(errors, { code: '23514', subject: 'public.tickets.title_length' })).toBe(errors[0]);
    expect(errorOf(errors, { code: '23514', subject: 'public.Order lines.positive' })).toBe(quoted);
  });
  it('is the code alone where the rule is gone or not known', () => {
    expect(errorOf(errors, { code: '23514', subject: 'public.tickets.gone' })).toBe(bare);
    expect(errorOf(errors, { code: '23514', subject: null })).toBe(bare);
  });
  it('is none of a success, or of a code that is not told', () => {
    expect(errorOf(errors, { code: null, subject: null })).toBeUndefined();
    expect(errorOf(errors, { code: 'X', subject: null })).toBeUndefined();
  });
});

it('shows the reply in the words of the protocol', () => {
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
