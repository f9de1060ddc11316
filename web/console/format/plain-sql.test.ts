import { expect, it } from 'vitest';
import { plainSql, tidySql } from './plain-sql.ts';

it.each([
  ["'new'::public.ticket_status", "'new'"],
  ["(now() + '7 days'::interval)", "now() + '7 days'"],
  [
    "COALESCE(closed_at, solved_at) > (now() - '30 days'::interval)",
    "coalesce(closed_at, solved_at) > (now() - '30 days')",
  ],
  ['( SELECT auth.uid() AS uid) = owner', 'auth.uid() = owner'],
  ["'{}'::text[]", "'{}'"],
  ["'it''s'::character varying(20)", "'it''s'"],
  ['(a) + (b)', '(a) + (b)'],
  ['now()', 'now()'],
  ['a::integer', 'a::integer'],
])('plainSql simplifies %s to %s', (given, read) => expect(plainSql(given)).toBe(read));

it('tidySql simplifies a statement without changing its effect', () => {
  expect(
    tidySql("using ((( SELECT auth.uid() AS uid) = id) OR ( SELECT ninefold.has_role('lead'::text) AS has_role))"),
  ).toBe("using (((select auth.uid()) = id) OR (select ninefold.has_role('lead')))");
  expect(tidySql("using (exists ( SELECT 1 FROM a WHERE (b = 'x'::text)))")).toBe(
    "using (exists ( SELECT 1 FROM a WHERE (b = 'x'::text)))",
  );
});
