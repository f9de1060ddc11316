import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../../../../contract/specification.ts';
import { type AppDatabase, startAppDatabase } from '../../../../../test/support/app-database.ts';
import { loadFacts } from '../../../../catalog/facts.ts';
import type { Pool } from '../../../../database/pool.ts';
import { fieldTypesOf } from '../../../../sql-reader/field-types.ts';
import { Entries } from '../../entries.ts';
import { domainRuleWords, ruleWords } from '../../words/rule.ts';
import { rulesChapter } from './rules.ts';

let database: AppDatabase;
let owner: Pool;
let rules: Rule[];

beforeAll(async () => {
  database = await startAppDatabase('rules');
  owner = database.as('app_owner');
  await owner.script(`
    create type public.status as enum ('open', 'closed', 'it''s');
    create domain public.title as varchar(120) check (length(value) >= 3);
    create domain public.short_title as public.title not null constraint not_too_long check (length(value) <= 20);
    create table public.customers (id bigint generated always as identity primary key, email extensions.citext unique);
    create type public.place as (street text, town text);
    create table public.stays (at public.place constraint whole_place check (at is not null), starts timestamptz, ends timestamptz, constraint ends_later check (ends >= starts));
    create table public.tickets (
      id int primary key,
      title public.short_title default 'untitled',
      status public.status default 'open',
      states public.status[],
      code varchar(5),
      price numeric(6, 2) constraint price_is_positive check (price > 0),
      body text not null default '' constraint body_length check (char_length(body) between 0 and 50),
      customer bigint references public.customers,
      a int, b int, during int4range,
      mark char(1), share numeric(2, 1), mask bit(3), flags varbit(4), masks bit(2)[],
      words text generated always as (upper(body)) stored,
      constraint one_of_two check (num_nonnulls(a, b) <= 1),
      constraint words_of_its_own check (a <> 7),
      constraint apart exclude using gist (during with &&),
      constraint pair unique (a, code)
    );
    create unique index one_open_per_customer on public.tickets (customer) where status = 'open';
    create unique index lower_code on public.tickets (lower(code));
    alter table public.tickets add constraint later check (b < 100) not valid;
    comment on constraint words_of_its_own on public.tickets is 'Seven is not a number for us';
    insert into public.customers (email) values ('ada@example.com');
    insert into public.tickets (id, code, a, during, customer) values (1, 'x', 1, '[1,5)', 1);`);
  const facts = await loadFacts(owner, { exposedSchemas: ['public'], authenticator: 'app_authenticator' });
  rules = rulesChapter(new Entries(facts)).rules;
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const the = (id: string): Rule => {
  const rule = rules.find((one) => one.id === id);
  if (!rule) throw new Error(`no rule ${id} among ${rules.map((one) => one.id).join(' ')}`);
  return rule;
};

describe('words and codes of rules', () => {
  it.each([
    ['public.tickets.title."public.short_title not null"', 'title has a value', 'title', 'null'],
    ['public.tickets.title.not_too_long', 'title is at most 20 characters', 'title', `'${'x'.repeat(21)}'`],
    ['public.tickets.title.title_check', 'title is at least 3 characters', 'title', `'ab'`],
    ['public.tickets.title."public.title type"', 'title is at most 120 characters', 'title', `'${'x'.repeat(121)}'`],
    ['public.tickets.status."public.status"', `status is one of 'open', 'closed', 'it''s'`, 'status', `'gone'`],
    [
      'public.tickets.states."public.status[]"',
      `each element of states is one of 'open', 'closed', 'it''s'`,
      'states',
      `'{gone}'`,
    ],
    ['public.tickets.code.type', 'code is at most 5 characters', 'code', `'123456'`],
    ['public.tickets.mark.type', 'mark is at most 1 character', 'mark', `'xy'`],
    ['public.tickets.share.type', 'share has at most 1 digit before the point and 1 after it', 'share', '10'],
    ['public.tickets.mask.type', 'mask is exactly 3 bits', 'mask', `'10'`],
    ['public.tickets.flags.type', 'flags is at most 4 bits', 'flags', `'10101'`],
    ['public.tickets.masks.type', 'each element of masks is exactly 2 bits', 'masks', `'{101}'`],
    ['public.tickets.price.type', 'price has at most 4 digits before the point and 2 after it', 'price', '12345'],
    ['public.tickets.price_is_positive', 'price is more than 0', 'price', '0'],
    ['public.tickets.body_length', 'body is 0 to 50 characters', 'body', `'${'x'.repeat(51)}'`],
    ['public.tickets.tickets_customer_fkey', 'customer is the id of a row in customers', 'customer', '99'],
    ['public.tickets.one_of_two', 'at most 1 of a, b has a value', 'a, b', '2, 3'],
    ['public.tickets.words_of_its_own', 'a is not 7', 'a', '7'],
    ['public.tickets.apart', 'no two rows overlap in during', 'during', `'[3,8)'`],
    ['public.tickets.pair', 'no two rows have the same a, code', 'a, code', `1, 'x'`],
    [
      'public.tickets.one_open_per_customer',
      `no two rows have the same customer, among those where status is 'open'`,
      'customer',
      '1',
    ],
    ['public.tickets.lower_code', 'no two rows have the same code in lower case', 'code', `'X'`],
    ['public.tickets.later', 'b is less than 100', 'b', '100'],
    ['public.tickets.tickets_pkey', 'id has a value that no other row has', 'words', ''],
  ])(
    'describes a rule in words and with the code that PostgreSQL returns for a violation: %s',
    async (id, words, fields, values) => {
      const rule = the(id);
      expect(rule.words).toBe(words);
      const insert =
        values === ''
          ? 'insert into public.tickets (id) values (1)'
          : `insert into public.tickets (id, ${fields}) values (2, ${values})`;
      await expect(owner.run([{ text: insert, params: [] }])).rejects.toMatchObject({ sqlstate: rule.sqlstate });
    },
  );

  it('lists one rule for each required field, and omits generated fields', async () => {
    const required = rules.filter((rule) => rule.entity === 'public.tickets' && rule.kind === 'required');
    expect(required.map((rule) => [rule.fields, rule.words])).toEqual([
      [['title'], 'title has a value'],
      [['body'], 'body has a value'],
    ]);
    const insert = { text: 'insert into public.tickets (id, body) values (2, null)', params: [] };
    await expect(owner.run([insert])).rejects.toMatchObject({ sqlstate: required[1]?.sqlstate });
  });

  it('marks a rule that existing rows need not satisfy', () => {
    expect(the('public.tickets.later').applies_to).toBe('new and changed rows');
    expect(the('public.tickets.pair').applies_to).toBe('all rows');
  });

  it('gives each rule of a table its own id', () => {
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length);
  });
});

describe('words of a check', () => {
  it.each([
    ['((length(title) >= 3) AND (length(title) <= 120))', 'title is 3 to 120 characters'],
    [
      '((char_length(title) <= 120) AND (is_public OR (3 <= char_length(title))))',
      'title is at most 120 characters and (is_public or title is at least 3 characters)',
    ],
    ['((amount >= 1) AND (amount <= 5))', 'amount is 1 to 5'],
    [`((amount >= '-5'::integer) AND (amount <= 5))`, 'amount is -5 to 5'],
    [`(amount > ('-2.5'::numeric))`, 'amount is more than -2.5'],
    ['((amount >= 1) AND (other <= 5))', 'amount is at least 1 and other is at most 5'],
    ['(length(code) = 1)', 'code is exactly 1 character'],
    ['(cardinality(tags) <= 5)', 'tags has at most 5 elements'],
    ['((cardinality(tags) >= 1) AND (cardinality(tags) <= 5))', 'tags has 1 to 5 elements'],
    ["(email ~ '^.+@.+$'::text)", "email matches '^.+@.+$'"],
    ['(starts < ends)', 'starts is less than ends'],
    ["(status = ANY (ARRAY['a'::text, 'b'::text]))", "status is one of 'a', 'b'"],
    ['((a IS NULL) OR (b > 0))', 'a is empty or b is more than 0'],
    // A check accepts a row for which the condition is unknown. IS TRUE refuses such a row, so the words must say so.
    ['((a > 3) IS TRUE)', '(a is more than 3 and that is known)'],
    ['((length(a) > 3) IS TRUE)', '(a is more than 3 characters and that is known)'],
    ['((b > 0) AND (is_public IS FALSE))', 'b is more than 0 and (not is_public and that is known)'],
    ['((a IS NULL) IS TRUE)', 'a is empty'],
    ['(ROW(a, b) IS NOT NULL)', 'ROW(a, b) IS NOT NULL'],
    ['(a IS NOT DISTINCT FROM 3)', '(a is the same as 3; no value counts as a value)'],
    ['(NOT (a IS DISTINCT FROM b))', '(a is the same as b; no value counts as a value)'],
    ['(a IS DISTINCT FROM b)', '(a is other than b; no value counts as a value)'],
    ['(a IS DISTINCT FROM 3)', 'a is other than 3'],
    ['((a > 0) OR (a = NULL::integer))', 'every row is valid'],
    ['((a > 0) AND (b = NULL::integer))', 'a is more than 0'],
    // array_length of an empty array is null, so an empty array satisfies the check.
    ['(array_length(tags, 1) > 0)', 'every row is valid'],
    ['(array_length(tags, 1) > 2)', 'tags has more than 2 elements, or none'],
    ['(array_length(tags, 1) >= 2)', 'tags has at least 2 elements, or none'],
    ['(array_length(tags, 1) <= 2)', 'tags has at most 2 elements'],
    ['((array_length(tags, 1) >= 2) AND (array_length(tags, 1) <= 5))', 'tags has 2 to 5 elements, or none'],
    ['(NOT (array_length(tags, 1) > 2))', 'not (tags has more than 2 elements)'],
    ["CASE WHEN (kind = 'a'::text) THEN (b > 0) END", "(where kind is 'a': b is more than 0; else: always)"],
    [
      '(EXTRACT(hour FROM at) >= (8)::numeric) AND (EXTRACT(hour FROM at) <= (17)::numeric)',
      'the hour of at is 8 to 17',
    ],
  ])('describes the check in words: %s', (sql, words) => {
    expect(ruleWords(sql)).toBe(words);
  });

  it('describes an order of times as later or earlier, and does not use the words "not empty" for composite fields', () => {
    expect(rules.find(({ name }) => name === 'whole_place')?.words).toMatch(/IS NOT NULL/);
    expect(rules.find(({ name }) => name === 'ends_later')?.words).toBe('ends is not before starts');
  });

  it.each([
    ['(ends > starts)', 'ends is after starts'],
    ['((ends >= starts) OR (ends IS NULL))', 'ends is not before starts or ends is empty'],
    ["(starts <= '2030-01-01'::date)", "starts is not after '2030-01-01'"],
    ['(amount > least)', 'amount is more than least'],
  ])('describes a greater time as later: %s', (sql, words) => {
    expect(
      ruleWords(
        sql,
        fieldTypesOf([
          ['starts', 'date'],
          ['ends', 'date'],
        ]),
      ),
    ).toBe(words);
  });

  it('replaces VALUE of a domain by the field, except in quotes or within a longer name', () => {
    expect(domainRuleWords("((VALUE <> 'VALUE'::text) AND (length(VALUE) <= 9))", 'na"me')).toBe(
      `na"me is not 'VALUE' and na"me is at most 9 characters`,
    );
  });
});
