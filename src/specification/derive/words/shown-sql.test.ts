import { describe, expect, it } from 'vitest';
import { shownSql } from './shown-sql.ts';

describe('shownSql', () => {
  it.each([
    ["'parent'::text", "'parent'"],
    ["'open'::public.ticket_status", "'open'"],
    ["'x'::character varying(20)", "'x'"],
    ["'{}'::text[]", "'{}'"],
    ["(now() + '7 days'::interval)", "(now() + '7 days')"],
    ["'2026-01-01 00:00:00+00'::timestamp with time zone", "'2026-01-01 00:00:00+00'"],
    ['(net * ((1)::numeric + vat_rate))', '(net * (1 + vat_rate))'],
    ['public.next_number(\'a  public.b\'::text,\n  "public.c")', 'next_number(\'a  public.b\', "public.c")'],
    ['(price)::text', '(price)::text'],
    ['NULL::timestamp with time zone', 'NULL'],
    ["'it''s'::text", "'it''s'"],
  ])('shows %s as %s', (sql, shown) => {
    expect(shownSql(sql)).toBe(shown);
  });
});
