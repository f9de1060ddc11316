import { describe, expect, it } from 'vitest';
import { filled, partsOf, placesOf, type Value } from './places.ts';

// The expressions are exactly what pg_get_expr prints for a policy.
const of = { relation: 'tasks', columns: new Set(['owner', 'title', 'team_id', 'time', 'Odd', 'role']) };

describe('partsOf', () => {
  it.each([
    ['(auth.uid() = owner)', null, ['(auth.uid() = owner)']],
    [
      "((owner = auth.uid()) AND (title <> 'a AND b'::text))",
      'and',
      ['(owner = auth.uid())', "(title <> 'a AND b'::text)"],
    ],
    [
      '((title IS NULL) OR ((owner = auth.uid()) AND (team_id = 1)))',
      'or',
      ['(title IS NULL)', '((owner = auth.uid()) AND (team_id = 1))'],
    ],
    [
      "(EXISTS ( SELECT\n   FROM public.teams t\n  WHERE ((t.id = tasks.team_id) AND (t.name = 'x\n y'::text))))",
      null,
      ["(EXISTS ( SELECT FROM public.teams t WHERE ((t.id = tasks.team_id) AND (t.name = 'x\n y'::text))))"],
    ],
    [
      'CASE WHEN (owner IS NULL) THEN true ELSE (owner = auth.uid()) END',
      null,
      ['CASE WHEN (owner IS NULL) THEN true ELSE (owner = auth.uid()) END'],
    ],
    ['true', null, ['true']],
  ])('splits %s', (expression, joinedBy, texts) => {
    expect(partsOf(expression)).toEqual({ joinedBy, texts });
  });
});

describe('placesOf', () => {
  it.each([
    ['(auth.uid() = owner)', ['auth.uid()', 'owner']],
    ['(( SELECT auth.uid() AS uid) = owner)', ['( SELECT auth.uid() AS uid)', 'owner']],
    ["((auth.jwt() ->> 'email'::text) = title)", ["(auth.jwt() ->> 'email'::text)", 'title']],
    [
      "(((( SELECT auth.jwt() AS jwt) -> 'app_metadata'::text) ->> 'role'::text) = role)",
      ["((( SELECT auth.jwt() AS jwt) -> 'app_metadata'::text) ->> 'role'::text)", 'role'],
    ],
    [
      "(owner = (current_setting('app.user'::text, true))::uuid)",
      ['owner', "(current_setting('app.user'::text, true))"],
    ],
    ['(CURRENT_USER = title)', ['CURRENT_USER', 'title']],
    ['("Odd" > 1)', ['"Odd"']],
    ['(ODD > 1)', []],
    // The subquery has a column `owner` of another relation, which is not the column of the row.
    [
      '(EXISTS ( SELECT FROM public.teams t WHERE ((t.owner = auth.uid()) AND (t.id = tasks.team_id))))',
      ['auth.uid()', 'tasks.team_id'],
    ],
    // The call depends also on the row, because one of its arguments is a column of the row. So it is not a place.
    ['public.may_see(owner, auth.uid())', ['owner', 'auth.uid()']],
    ["public.has_role('admin'::text)", ["public.has_role('admin'::text)"]],
    // Words in a type name are not columns.
    ['(title > (now())::time without time zone)', ['title', '(now())']],
    ["('a'::role = title)", ['title']],
    ["(title = ANY (ARRAY['a'::text, owner]))", ['title', 'owner']],
    ['not well (formed', []],
  ])('finds in %s the columns of the row and the values that depend only on the caller', (expression, texts) => {
    expect(placesOf(expression, of).map(({ text }) => text)).toEqual(texts);
  });
});

describe('filled', () => {
  const fill = (expression: string, values: Record<string, Value>) =>
    filled(expression, placesOf(expression, of), ({ text }) => values[text] ?? null);

  it('replaces fields by strings in quotes, numbers and booleans without quotes, and NULL', () => {
    expect(
      fill("((title <> 'x'::text) AND (team_id = 2) AND (owner IS NULL))", {
        title: { type: 'text', text: "O'Neill" },
        team_id: { type: 'integer', text: '7' },
        owner: { type: 'uuid', text: null },
      }),
    ).toBe("(('O''Neill' <> 'x'::text) AND (7 = 2) AND (NULL IS NULL))");
  });

  it('leaves a part of the expression unchanged if the value of the part is unknown', () => {
    expect(fill('(auth.uid() = owner)', { owner: { type: 'uuid', text: 'u' } })).toBe("(auth.uid() = 'u')");
  });
});
