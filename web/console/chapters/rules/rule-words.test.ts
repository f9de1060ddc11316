import { describe, expect, it } from 'vitest';
import type { ErrorLine, Rule } from '../../../../contract/specification.ts';
import { brokenRules, checkExpression, commentSql, keepSql, rankOfRule, validateSql } from './rule-words.ts';

const rule = (more: Partial<Rule>): Rule => ({
  id: 'public.tickets.title_length',
  entity: 'public.tickets',
  name: 'title_length',
  kind: 'check',
  fields: ['title'],
  words: "it's 3 to 120 characters",
  comment: null,
  sql: 'CHECK ((length(title) >= 3))',
  applies_to: 'all rows',
  sqlstate: '23514',
  ...more,
});

describe('checkExpression', () => {
  it.each([
    ['CHECK ((length(title) >= 3))', 'length(title) >= 3'],
    ['CHECK (((a > 1) AND (b > 2)))', '(a > 1) AND (b > 2)'],
    ["CHECK ((title <> ')'::text)) NOT VALID", "title <> ')'::text"],
    ['CHECK ((a > 1)) NO INHERIT NOT VALID', 'a > 1'],
    ['CHECK (is_valid(a))', 'is_valid(a)'],
    ["public.email CHECK ((VALUE ~ '@'::text))", null],
  ])('returns the expression of %s', (sql, expression) =>
    expect(checkExpression({ kind: 'check', sql })).toBe(expression),
  );

  it('returns null for other rules', () => expect(checkExpression({ kind: 'unique', sql: 'UNIQUE (a)' })).toBeNull());
});

describe('commentSql', () => {
  it('returns SQL that names the constraint, with quotes in the name doubled', () => {
    expect(commentSql(rule({ name: 'a"b' }))).toBe(
      `comment on constraint "a""b" on public.tickets\n  is 'it''s 3 to 120 characters';`,
    );
  });

  it('returns SQL that names an index with the schema of its table', () => {
    const index = rule({
      kind: 'unique',
      entity: '"My shop".orders',
      sql: 'CREATE UNIQUE INDEX one ON …',
      name: 'one',
    });
    expect(commentSql(index)).toContain('comment on index "My shop"."one"');
  });

  it('returns SQL that names the domain for a rule of a domain', () => {
    const domain = rule({ name: 'email_check', sql: "email CHECK ((VALUE ~ '@'::text))" });
    expect(commentSql(domain)).toContain('constraint "email_check" on domain email');
  });

  it.each([rule({ kind: 'type' }), rule({ kind: 'required', name: 'required' })])(
    'returns null for a rule on which PostgreSQL stores no comment: %j',
    (given) => expect(commentSql(given)).toBeNull(),
  );
});

it('validateSql returns SQL that validates existing rows only if the rule does not apply to them yet', () => {
  expect(validateSql(rule({}))).toBeNull();
  expect(validateSql(rule({ applies_to: 'no row' }))).toBeNull();
  expect(validateSql(rule({ applies_to: 'new and changed rows' }))).toContain('validate constraint "title_length"');
});

it('keepSql returns SQL that adds a check as NOT VALID if existing rows break it', () => {
  const check = { kind: 'check', expression: ' a > 1\n' } as const;
  expect(keepSql('public.tickets', check, 0)).not.toContain('not valid');
  expect(keepSql('public.tickets', check, 3)).toContain('check (a > 1)\n  not valid;');
  expect(keepSql('public.tickets', { kind: 'unique', fields: ['a', 'B'] }, 0)).toContain('  unique ("a", "B");');
  expect(keepSql('public.tickets', { kind: 'required', fields: ['a', 'B'] }, 3)).toBe(
    'alter table public.tickets\n  alter column "a" set not null,\n  alter column "B" set not null;',
  );
});

it('brokenRules counts the violations of a day by the rule', () => {
  const line = (group: ErrorLine['group'], origin: string | null, day: number) =>
    ({ group, origin, figures: { day } }) as unknown as ErrorLine;
  expect([
    ...brokenRules([line('rule', 'a', 4), line('rule', 'b', 0), line('function', 'c', 2), line('rule', null, 1)]),
  ]).toEqual([['a', 4]]);
});

it('rankOfRule puts checks and described rules before references, and keys last', () => {
  const ranks = [
    rule({}),
    rule({ kind: 'reference', comment: 'Agents are members.' }),
    rule({ kind: 'reference' }),
    rule({ kind: 'primary key' }),
  ].map(rankOfRule);
  expect(ranks).toEqual([0, 0, 1, 2]);
});
