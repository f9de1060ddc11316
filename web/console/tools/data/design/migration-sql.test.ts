import { describe, expect, it } from 'vitest';
import { accessTemplates, conditionChoices, everyone, newSentence, rowsChoices } from './access-sentence.ts';
import { appliedDesign, migrationName, migrationSql } from './migration-sql.ts';
import { membersTarget, newField, newRule, newTable, problemsOf, type TableDesign } from './table-design.ts';

const ticket = { entity: 'public.tickets', field: 'id', type: 'bigint' };

const ratings: TableDesign = {
  ...newTable(),
  name: 'ratings',
  comment: 'A member rates a solved ticket, once.',
  fields: [
    ...newTable().fields,
    newField({
      ...{ key: 'ticket', name: 'ticket', kind: 'reference', type: 'bigint', target: ticket, onDelete: 'cascade' },
      ...{ isRequired: true, isUnique: true },
    }),
    newField({
      ...{ key: 'score', name: 'score', kind: 'whole', type: 'bigint', isRequired: true },
      rules: [newRule({ key: 'range', min: '1', max: '5', message: 'A score is 1 to 5.' })],
    }),
    newField({
      ...{ key: 'by', name: 'rated_by', kind: 'reference', type: 'uuid', target: membersTarget, isRequired: true },
      default: { kind: 'caller' },
    }),
    newField({ key: 'order', name: 'order', comment: "It's a keyword." }),
  ],
  sentences: [
    newSentence({ verb: 'all', rows: { kind: 'own', field: 'by' } }),
    newSentence({ who: 'agent', verb: 'insert' }),
    newSentence({ who: everyone, rows: { kind: 'parent', field: 'ticket', owner: 'customer' } }),
  ],
};

/** The table after it was created: its fields have their existing keys, and its sentences have become policies. */
const existing: TableDesign = { ...ratings, sentences: [] };
const change = (part: (field: TableDesign['fields'][number]) => object): TableDesign => ({
  ...existing,
  fields: existing.fields.map((field) => ({ ...field, ...part(field) })),
});

describe('migrationSql', () => {
  it('creates a table with its fields, references, rules, comments and policies', () => {
    expect(migrationSql(null, ratings)).toBe(`create table public.ratings (
  id bigint generated always as identity,
  ticket bigint not null unique references public.tickets (id) on delete cascade,
  score bigint not null,
  rated_by uuid not null default auth.uid() references auth.users (id),
  "order" text,
  primary key (id),
  constraint ratings_score_range check (score between 1 and 5)
);
create index on public.ratings (rated_by);
comment on table public.ratings is 'A member rates a solved ticket, once.';
comment on constraint ratings_score_range on public.ratings is 'A score is 1 to 5.';
comment on column public.ratings."order" is 'It''s a keyword.';
revoke all on public.ratings from anon, authenticated;
alter table public.ratings enable row level security;
grant select, insert, update, delete on public.ratings to authenticated;
create policy "members use their own rows" on public.ratings for all to authenticated
  using ((select auth.uid()) = rated_by);
grant insert on public.ratings to authenticated;
create policy "agent inserts every row" on public.ratings for insert to authenticated
  with check ((select ninefold.has_role('agent')));
grant select on public.ratings to anon, authenticated;
create policy "anyone sees rows of what is theirs" on public.ratings for select to anon, authenticated
  using (exists (select from public.tickets parent
    where parent.id = public.ratings.ticket and parent.customer = (select auth.uid())));`);
  });

  it('returns nothing for equal designs, and drops a table', () => {
    expect(migrationSql(existing, existing)).toBe('');
    expect(migrationSql(existing, null)).toBe('drop table public.ratings;');
  });

  it('renames the table first, and then the field under the new name of the table', () => {
    const after = change(({ key }) => (key === 'score' ? { name: 'points' } : {}));
    expect(migrationSql(existing, { ...after, name: 'marks' })).toBe(`alter table public.ratings rename to marks;
alter table public.marks rename column score to points;`);
  });

  it('changes the type, default, nullability, uniqueness, reference and rules of a field', () => {
    const after = change(({ key }) =>
      key === 'score'
        ? {
            ...{ kind: 'number', type: 'numeric', isRequired: false, isUnique: true },
            default: { kind: 'value', text: '3' },
            rules: [newRule({ key: 'max', max: '10' })],
          }
        : key === 'ticket'
          ? { onDelete: 'set null', referenceName: 'ratings_ticket_fkey' }
          : {},
    );
    const before = change(({ key }) =>
      key === 'ticket'
        ? { referenceName: 'ratings_ticket_fkey' }
        : key === 'score'
          ? { rules: [newRule({ key: 'old', name: 'ratings_score_range', kind: 'existing', sql: 'CHECK (true)' })] }
          : {},
    );
    expect(migrationSql(before, after).split('\n')).toEqual([
      'alter table public.ratings drop constraint ratings_ticket_fkey;',
      'alter table public.ratings drop constraint ratings_score_range;',
      'alter table public.ratings alter column score type numeric using score::numeric;',
      'alter table public.ratings alter column score drop not null;',
      'alter table public.ratings alter column score set default 3;',
      'alter table public.ratings add constraint ratings_ticket_fkey foreign key (ticket) references public.tickets (id) on delete set null;',
      'alter table public.ratings add constraint ratings_score_key unique (score);',
      'alter table public.ratings add constraint ratings_score_range check (score <= 10);',
    ]);
  });

  it('adds and removes fields and policies, and restores the removed policy in the reverse migration', () => {
    const policy = { name: 'old', sql: 'CREATE POLICY old ON public.ratings USING (true)' };
    const before = { ...existing, policies: [policy] } as unknown as TableDesign;
    const after: TableDesign = {
      ...existing,
      fields: [...existing.fields.filter(({ key }) => key !== 'order'), newField({ key: 'n', name: 'remark' })],
      sentences: [newSentence({ rows: { kind: 'every' } })],
    };
    expect(migrationSql(before, after).split('\n')).toEqual([
      'drop policy old on public.ratings;',
      'alter table public.ratings drop column "order";',
      'alter table public.ratings add column remark text;',
      'grant select on public.ratings to authenticated;',
      'create policy "members see every row" on public.ratings for select to authenticated',
      '  using (true);',
    ]);
    expect(migrationSql(existing, before)).toBe('CREATE POLICY old ON public.ratings USING (true);');
  });
});

describe('migrationSql of a key', () => {
  const before: TableDesign = {
    ...change(({ key }) => (key === 'ticket' ? { unique: { name: 'ratings_ticket_key', sql: '' } } : {})),
    keyName: 'ratings_pkey',
  };
  const rekeyed = (design: TableDesign, keys: readonly string[]): TableDesign => ({
    ...design,
    fields: design.fields.map((field) => ({
      ...field,
      ...{ isKey: keys.includes(field.key), isRequired: field.isRequired || keys.includes(field.key) },
      isUnique: keys.includes(field.key) ? field.isUnique : field.isUnique && !field.isKey,
    })),
  });
  const [id = { key: '' }] = existing.fields;

  it('replaces the primary key, and the reverse migration restores it', () => {
    const after = rekeyed(before, ['ticket', 'order']);
    expect(migrationSql(before, after).split('\n')).toEqual([
      'alter table public.ratings drop constraint ratings_pkey;',
      'alter table public.ratings add constraint ratings_pkey primary key (ticket, "order");',
    ]);
    expect(migrationSql(appliedDesign(after), before).split('\n')).toEqual([
      'alter table public.ratings drop constraint ratings_pkey;',
      'alter table public.ratings alter column "order" drop not null;',
      'alter table public.ratings add constraint ratings_pkey primary key (id);',
    ]);
  });

  it('adds a key to a table without one, and drops the key', () => {
    const without: TableDesign = { ...rekeyed(before, []), keyName: null };
    expect(migrationSql(without, rekeyed(without, [id.key]))).toBe(
      'alter table public.ratings add constraint ratings_pkey primary key (id);',
    );
    expect(migrationSql(before, rekeyed(before, []))).toBe('alter table public.ratings drop constraint ratings_pkey;');
  });

  it('adds a unique constraint to a field that is removed from the key and stays unique', () => {
    const after = rekeyed(before, ['order']);
    const unique = {
      ...after,
      fields: after.fields.map((field) => (field.key === id.key ? { ...field, isUnique: true } : field)),
    };
    expect(migrationSql(before, unique)).toContain('add constraint ratings_id_key unique (id);');
  });
});

describe('migrationSql of a sentence with a condition', () => {
  const statements = (when: { field: string; parent: string | null; value: string }) =>
    migrationSql(existing, {
      ...existing,
      sentences: [newSentence({ verb: 'insert', rows: { kind: 'own', field: 'by' }, when })],
    });

  it('compares a field of the row with the value as a literal', () =>
    expect(statements({ field: 'order', parent: null, value: "it's" })).toBe(
      `grant insert on public.ratings to authenticated;
create policy "members insert their own rows when it's" on public.ratings for insert to authenticated
  with check ((select auth.uid()) = rated_by and "order" = 'it''s');`,
    ));

  it('compares a field of the referenced row with the value', () =>
    expect(statements({ field: 'ticket', parent: 'state', value: 'solved' })).toContain(
      `(select auth.uid()) = rated_by and exists (select from public.tickets parent
    where parent.id = public.ratings.ticket and parent.state = 'solved'));`,
    ));
});

describe('conditionChoices', () => {
  it('offers the fields of the table and of the referenced rows, with their values', () => {
    const tickets = {
      ...{ id: 'public.tickets', schema: 'public', name: 'tickets' },
      fields: [
        { name: 'state', type: 'text', references: null, enum_values: ['open', 'solved'] },
        { name: 'customer', type: 'uuid', references: { schema: 'auth', entity: 'users', field: 'id' } },
      ],
    } as never;
    expect(conditionChoices(ratings, [tickets]).map(({ words, values }) => [words, values])).toEqual([
      ['when id is', []],
      ['when score is', []],
      ['when order is', []],
      ['when the state of its ticket is', ['open', 'solved']],
    ]);
  });
});

describe('appliedDesign', () => {
  it('returns the design from which the reverse migration drops new rules, references and policies', () => {
    const after: TableDesign = {
      ...change(({ key }) =>
        key === 'order' ? { isUnique: true, rules: [newRule({ kind: 'length', max: '9' })] } : {},
      ),
      sentences: [newSentence()],
    };
    expect(migrationSql(appliedDesign(after), existing).split('\n')).toEqual([
      'drop policy "members see every row" on public.ratings;',
      'alter table public.ratings drop constraint ratings_order_length;',
      'alter table public.ratings drop constraint ratings_order_key;',
    ]);
  });
});

describe('migrationName', () => {
  it('begins with the time and names the table', () =>
    expect(migrationName(null, { ...ratings, name: 'Order lines' }, new Date('2026-01-31T12:00:05Z'))).toBe(
      '20260131120005_create_order_lines.sql',
    ));
});

describe('problemsOf', () => {
  it('finds missing and duplicate names, lists without values, and bounds that exclude every value', () => {
    expect(problemsOf(ratings)).toEqual([]);
    const broken: TableDesign = {
      ...newTable(),
      fields: [
        newField({ name: 'a' }),
        newField({ name: 'a', kind: 'list' }),
        newField({ name: '', rules: [newRule({ min: '5', max: '1' })] }),
      ],
    };
    expect(problemsOf(broken)).toEqual([
      'The table has no name.',
      'A field has no name.',
      'Two fields have the name a.',
      'a has no values to choose from.',
      'The bounds of a field exclude every value.',
    ]);
  });
});

describe('rowsChoices', () => {
  it('offers the rows that belong to the caller, by a reference to members or by the owner of a referenced row', () => {
    const tickets = {
      ...{ id: 'public.tickets', schema: 'public', name: 'tickets' },
      fields: [{ name: 'customer', references: { schema: 'auth', entity: 'users', field: 'id' } }],
    } as never;
    expect(rowsChoices(ratings, [tickets]).map(({ words }) => words)).toEqual([
      'every row',
      'their own rows, by rated_by',
      'the rows of their own ticket, by its customer',
    ]);
  });
});

describe('accessTemplates', () => {
  it("offers templates about the caller's own rows only if the table references members", () => {
    const of = (design: TableDesign) =>
      accessTemplates(design, ['agent']).map(({ name, offBecause }) => [name, offBecause === null]);
    expect(of(newTable())).toEqual([
      ['Everyone reads', true],
      ['Members read', true],
      ['Members see their own rows', false],
      ['The owner writes', false],
      ['agent: everything', true],
    ]);
    expect(of(ratings).every(([, isOn]) => isOn)).toBe(true);
  });
});
