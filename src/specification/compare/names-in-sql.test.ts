import { describe, expect, it } from 'vitest';
import { SqlNames } from './names-in-sql.ts';
import type { Rename, RenameKind } from './object-names.ts';

const rename = (kind: RenameKind, before: string, after: string, of = ''): Rename => ({
  ...{ kind, before, after, of },
  id: '',
  isDisplaced: false,
});

const names = new SqlNames([
  rename('entity', 'public.tickets', 'public."Anfragen"'),
  rename('function', 'public.may(uuid)', 'public.can(uuid)'),
  rename('type', 'public.status', 'public.state'),
  rename('label', 'open', "it's open", 'public.state'),
  rename('field', 'owner', 'keeper', 'public."Anfragen"'),
]);

describe('SqlNames.replace', () => {
  it.each([
    ['a qualified name', 'SELECT 1 FROM public.tickets', 'SELECT 1 FROM public."Anfragen"'],
    ['a field after an alias', 'SELECT t.owner FROM public.tickets t', 'SELECT t.keeper FROM public."Anfragen" t'],
    [
      'a field after the table',
      'SELECT tickets.owner FROM public.tickets',
      'SELECT "Anfragen".keeper FROM public."Anfragen"',
    ],
    ['no field of another table', 'SELECT o.owner FROM public.others o', 'SELECT o.owner FROM public.others o'],
    ['a function', 'public.may(id)', 'public.can(id)'],
    ['a value of an enum', `'open'::public.status`, `'it''s open'::public.state`],
    ['no string of another type', `'open'::text`, `'open'::text`],
    [
      'the name of a relation in a string',
      `nextval('public.tickets'::regclass)`,
      `nextval('public."Anfragen"'::regclass)`,
    ],
  ])('replaces %s', (_, before, after) => {
    expect(names.replace(before, '')).toBe(after);
  });

  it('replaces a field without a table only in SQL of its relation', () => {
    expect(names.replace('owner IS NULL', 'public."Anfragen"')).toBe('keeper IS NULL');
    expect(names.replace('owner IS NULL', 'public.others')).toBe('owner IS NULL');
  });
});

describe('SqlNames.follow', () => {
  it('returns the newer SQL if it differs only by names and the column alias that PostgreSQL adds', () => {
    const now = 'SELECT t.keeper AS owner FROM public."Anfragen" t';
    expect(names.follow('SELECT t.owner FROM public.tickets t', now, 'public.v')).toBe(now);
  });

  it('returns the older SQL with the newer names if the newer SQL reads another table', () => {
    const now = 'SELECT o.keeper FROM public.others o';
    expect(names.follow('SELECT o.owner FROM public.others o', now, 'public.v')).toBe(
      'SELECT o.owner FROM public.others o',
    );
  });
});
