import { describe, expect, it } from 'vitest';
import { diffChapters } from './diff.ts';
import type { JsonObject } from './differences.ts';

const field = (name: string, more: object = {}): object => ({
  name,
  type: 'text',
  nullable: true,
  exposed: true,
  comment: null,
  ...more,
});
const table = (name: string, fields: object[], more: object = {}): object => ({
  id: `public.${name}`,
  schema: 'public',
  name,
  kind: 'table',
  exposed: true,
  comment: null,
  fields,
  definition: null,
  ...more,
});
const rule = (entity: string, name: string, words: string): object => ({
  id: `public.${entity}.${name}`,
  entity: `public.${entity}`,
  name,
  kind: 'check',
  fields: ['note'],
  sql: words,
  words,
});
const chapters = (entities: object[], rules: object[] = []): JsonObject =>
  JSON.parse(JSON.stringify({ entities: { entities }, rules: { rules } }));
const told = (before: JsonObject, after: JsonObject): string[] => diffChapters(before, after).map(({ words }) => words);

const note = [field('id'), field('note')];

describe('a table is told as renamed where it is what it was', () => {
  it('in all but its name, in each chapter that names it', () => {
    const before = chapters([table('a', note)], [rule('a', 'short', 'note is short')]);
    expect(told(before, chapters([table('b', note)], [rule('b', 'short', 'note is short')]))).toEqual([
      'In place of the table a there is b, the same but for its name.',
      'In the rules, a is now b.',
    ]);
  });

  it('and what else has changed is told beside it', () => {
    const after = chapters([table('b', note, { comment: 'Notes of b' })]);
    expect(told(chapters([table('a', note, { comment: 'Notes of a' })]), after)).toEqual([
      'In place of the table a there is b, the same but for its name.',
      'b is now described as “Notes of b”.',
    ]);
  });

  it('whatever its comments, rules and policies are called, where they hold the word that is its name', () => {
    const made = (name: string): JsonObject => ({
      ...chapters(
        [table(name, [field('id', { comment: 'Of all notes' }), field('note')])],
        [{ ...rule(name, 'short', 'such notes are short'), sql: 'CHECK (length(note) < 9)' }],
      ),
      roles: {
        policies: [
          { entity: `public.${name}`, name: 'all read notes', using: `(${name}.id > 0)`, words: 'all notes', sql: '' },
        ],
      },
    });
    expect(told(made('notes'), made('words'))).toEqual([
      'In place of the table notes there is words, the same but for its name.',
      'In the rules, notes is now words.',
      'Where it says who may do what, notes is now words.',
    ]);
  });

  it('but not where a field or a rule differs', () => {
    const other = chapters([table('b', [field('id'), field('note', { type: 'integer' })])]);
    expect(told(chapters([table('a', note)]), other)).toContain('The table a is gone, with all its fields.');
    const ruled = chapters([table('b', note)], [rule('b', 'short', 'note is short')]);
    expect(told(chapters([table('a', note)]), ruled)).toContain('There is a new table b with id and note.');
  });

  it('in another schema out of the reach of clients, under its own name only', () => {
    const before = chapters([table('a', note)], [rule('a', 'short', 'note is short')]);
    const hidden = (name: string) => {
      const out = { id: `kept.${name}`, schema: 'kept', exposed: false };
      const ruled = { ...rule(name, 'short', 'note is short'), id: `kept.${name}.short`, entity: `kept.${name}` };
      return told(
        { ...before, roles: { policies: [{ entity: 'public.a', name: 'own', using: 'true', sql: '', roles: [] }] } },
        chapters([table(name, note, out)], [ruled]),
      );
    };
    expect(hidden('a')).toContain('In place of the table a there is kept.a, the same but for its name.');
    expect(hidden('b')).toContain('The table a is gone, with all its fields.');
  });

  it('and not where more than one could be meant', () => {
    const words = told(chapters([table('a', note)]), chapters([table('b', note), table('c', note)]));
    expect(words).toContain('The table a is gone, with all its fields.');
    expect(words).toContain('There is a new table b with id and note.');
  });

  it('nor does a value that changed as the name did go without saying', () => {
    const before = chapters([table('a', note)], [rule('a', 'short', `note is not 'a'`)]);
    const after = chapters([table('b', note)], [rule('b', 'short', `note is not 'b'`)]);
    expect(told(before, after)).toContain('The table a is gone, with all its fields.');
    const others = (name: string) => [table('others', note), table(name, note)];
    const asked = (name: string) =>
      told(
        chapters(others('a'), [rule('others', 'short', `note is not 'a'`)]),
        chapters(others('b'), [rule('others', 'short', `note is not '${name}'`)]),
      );
    expect(asked('a')).not.toContainEqual(expect.stringContaining('note is not'));
    expect(asked('b')).toContainEqual(`The rule for others, note is not 'b', has changed: before: note is not 'a'.`);
  });

  it('two that point to each other, at once', () => {
    const pointing = (name: string, to: string) =>
      table(name, [
        field('id'),
        field(`other_of_${to.slice(0, 1)}`, { references: { schema: 'public', entity: to, field: 'id' } }),
      ]);
    const before = chapters([pointing('x1', 'y1'), pointing('y1', 'x1')]);
    const after = chapters([pointing('x2', 'y2'), pointing('y2', 'x2')]);
    expect(told(before, after).sort()).toEqual([
      'In place of the table x1 there is x2, the same but for its name.',
      'In place of the table y1 there is y2, the same but for its name.',
    ]);
  });
});

describe('a field is told as renamed where it is what it was', () => {
  const before = chapters([table('a', note)], [rule('a', 'short', 'note is short')]);

  it('in all but its name, in each chapter that names it', () => {
    const after = chapters(
      [table('a', [field('id'), field('remark')])],
      [{ ...rule('a', 'short', 'remark is short'), fields: ['remark'] }],
    );
    expect(told(before, after)).toEqual([
      'In place of the field note of a there is remark, the same but for its name.',
      'In the rules, the field note of a is now remark.',
    ]);
  });

  it.each([
    ['its type differs', [field('id'), field('remark', { type: 'integer' })]],
    ['its comment differs', [field('id'), field('remark', { comment: 'Said' })]],
    ['it stands elsewhere', [field('remark'), field('id')]],
    ['another is new too', [field('id'), field('remark'), field('more')]],
  ])('but not where %s', (_, fields) => {
    expect(told(before, chapters([table('a', fields)]))).toContain('The field note of a is gone.');
  });

  it('and a field of that name in another table is none of it', () => {
    const both = (name: string) =>
      chapters([table('a', [field('id'), field(name)]), table('b', [...note, field('more')])]);
    expect(told(both('note'), both('remark'))).toEqual([
      'In place of the field note of a there is remark, the same but for its name.',
    ]);
  });
});

describe('rules', () => {
  const asked = (sql: string, more: object = {}) =>
    chapters([table('a', note)], [{ ...rule('a', 'short', 'note is short'), sql, applies_to: 'all rows', ...more }]);
  const before = asked('public.code CHECK ((VALUE <> 1))');

  it('of a domain that is called otherwise say so in words', () => {
    expect(told(before, asked('public."Code" CHECK ((VALUE <> 1))'))).toEqual([
      'The rule for a, note is short, has changed: it is now one of the domain "Code" (before: of code).',
    ]);
  });

  it('that hold for other rows say that once', () => {
    const after = asked('public.code CHECK ((VALUE <> 1)) NOT VALID', { applies_to: 'new and changed rows' });
    expect(told(before, after)).toEqual([
      'The rule for a, note is short, has changed: now asked of new and changed rows only.',
    ]);
  });

  it('with another name, what else is otherwise too', () => {
    const after = asked('CHECK (note <> 2)', { id: 'public.a.brief', name: 'brief', applies_to: 'no row' });
    expect(told(asked('CHECK (note <> 1)'), after)).toEqual([
      'The rule for a, note is short, is now called brief (before: short); now asked of no row: it is not enforced; its SQL was CHECK (note <> 1), is now CHECK (note <> 2).',
    ]);
  });
});
