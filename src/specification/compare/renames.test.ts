import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../derive/words/sentence-parts.ts';
import { diffChapters } from './diff.ts';
import { type ObjectIds, readObjectIds } from './object-ids.ts';

interface App {
  chapters: JsonObject;
  ids: ObjectIds;
}

/**
 * A field of a test table. `number` is the number of the column in PostgreSQL; by default, the position in the list.
 */
interface Field {
  name: string;
  number?: number;
}

interface Table {
  number: number;
  name: string;
  schema: string;
  fields: Field[];
}

const field = (name: string, more: object = {}): Field => ({ name, ...more });
const table = (number: number, name: string, fields: Field[], more: object = {}): Table => ({
  number,
  name,
  fields,
  schema: 'public',
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
  applies_to: 'all rows',
});

const idOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string => `${schema}.${name}`;

/**
 * Returns the chapters and object ids of an app with these tables and rules.
 * @param more Further chapters, and ids of further objects.
 */
function app(tables: Table[], rules: object[] = [], more: { chapters?: object; ids?: object } = {}): App {
  const entities = tables.map(({ number: _, fields, ...rest }) => ({
    ...{ id: idOf(rest), kind: 'table', exposed: true, comment: null, definition: null },
    ...rest,
    fields: fields.map(({ number: __, ...each }) => ({
      ...{ type: 'text', nullable: true, exposed: true, comment: null },
      ...each,
    })),
  }));
  const fields = tables.flatMap((of) => of.fields.map((one, i) => [`${of.number}.${one.number ?? i + 1}`, one.name]));
  const none = { sequences: {}, functions: {}, types: {}, labels: {}, constraints: {}, policies: {}, triggers: {} };
  return {
    chapters: JSON.parse(JSON.stringify({ entities: { entities }, rules: { rules }, ...more.chapters })),
    ids: {
      incarnation: '1.1',
      relations: Object.fromEntries(tables.map((one) => [one.number, idOf(one)])),
      fields: Object.fromEntries(fields),
      ...none,
      roles: {},
      ...more.ids,
    },
  };
}

const told = (before: App, after: App): string[] =>
  diffChapters(before.chapters, after.chapters, { before: before.ids, after: after.ids }).map(({ words }) => words);

const note = [field('id'), field('note')];

describe('diffChapters with the object ids of tables', () => {
  it('reports a table with another name in each chapter that names it', () => {
    const before = app([table(1, 'a', note)], [rule('a', 'short', 'note is short')]);
    expect(told(before, app([table(1, 'b', note)], [rule('b', 'short', 'note is short')]))).toEqual([
      'In place of the table a there is b, the same but for its name.',
      'In the rules, a is now b.',
    ]);
  });

  it('reports other changes of a renamed table beside the rename', () => {
    const after = app([table(1, 'b', note, { comment: 'Notes of b' })]);
    expect(told(app([table(1, 'a', note, { comment: 'Notes of a' })]), after)).toEqual([
      'In place of the table a there is b, the same but for its name.',
      'The comment of b is now “Notes of b” (before: “Notes of a”).',
    ]);
  });

  it('does not replace the name in comments, rules and the names of policies', () => {
    const made = (name: string): App =>
      app(
        [table(1, name, [field('id', { comment: 'Of all notes' }), field('note')])],
        [{ ...rule(name, 'short', 'such notes are short'), sql: 'CHECK (length(note) < 9)' }],
        {
          chapters: {
            roles: {
              policies: [
                {
                  entity: `public.${name}`,
                  name: 'all read notes',
                  using: `(${name}.id > 0)`,
                  words: 'all notes',
                  sql: '',
                },
              ],
            },
          },
        },
      );
    expect(told(made('notes'), made('words'))).toEqual([
      'In place of the table notes there is words, the same but for its name.',
      'In the rules, notes is now words.',
      'Where it says who may do what, notes is now words.',
    ]);
  });

  it('reports a rename together with other changes of fields and rules', () => {
    const other = app(
      [table(1, 'b', [field('id'), field('note', { type: 'integer' })])],
      [rule('b', 'short', 'note is short')],
    );
    expect(told(app([table(1, 'a', note)]), other)).toEqual([
      'In place of the table a there is b, the same but for its name.',
      'note of b is now integer (before: text).',
      'New rule for b: note is short.',
    ]);
  });

  it('reports a table that moved to another schema, with or without a new name', () => {
    const before = app([table(1, 'a', note)], [rule('a', 'short', 'note is short')]);
    for (const name of ['a', 'b']) {
      const ruled = { ...rule(name, 'short', 'note is short'), id: `kept.${name}.short`, entity: `kept.${name}` };
      const hidden = app([table(1, name, note, { schema: 'kept', exposed: false })], [ruled]);
      expect(told(before, hidden)).toEqual([
        `In place of the table a there is kept.${name}, the same but for its name.`,
        `Clients can no longer reach kept.${name}.`,
        `In the rules, a is now kept.${name}.`,
      ]);
    }
  });

  it('recognises a renamed table although others look similar', () => {
    expect(told(app([table(1, 'a', note)]), app([table(2, 'b', note), table(1, 'c', note)]))).toEqual([
      'In place of the table a there is c, the same but for its name.',
      'There is a new table b with id and note.',
    ]);
  });

  it('reports a changed value that contains the name of a renamed table', () => {
    const others = (name: string) => [table(2, 'others', note), table(1, name, note)];
    const asked = (name: string) =>
      told(
        app(others('a'), [rule('others', 'short', `note is not 'a'`)]),
        app(others('b'), [rule('others', 'short', `note is not '${name}'`)]),
      );
    expect(asked('a')).not.toContainEqual(expect.stringContaining('note is not'));
    expect(asked('b')).toContainEqual(`The rule for others, note is not 'b', has changed: before: note is not 'a'.`);
  });

  it('reports two renamed tables that reference each other', () => {
    const pointing = (number: number, name: string, to: string) =>
      table(number, name, [
        field('id'),
        field(`other_of_${to.slice(0, 1)}`, { references: { schema: 'public', entity: to, field: 'id' } }),
      ]);
    const before = app([pointing(1, 'x1', 'y1'), pointing(2, 'y1', 'x1')]);
    const after = app([pointing(1, 'x2', 'y2'), pointing(2, 'y2', 'x2')]);
    expect(told(before, after).sort()).toEqual([
      'In place of the table x1 there is x2, the same but for its name.',
      'In place of the table y1 there is y2, the same but for its name.',
    ]);
  });

  it('reports a table as removed if another table took its name', () => {
    const before = app([table(1, 'a', note), table(2, 'b', [field('id'), field('text')])]);
    expect(told(before, app([table(2, 'a', [field('id'), field('text')])]))).toEqual([
      'In place of the table b there is a, the same but for its name.',
      'The table a is gone, with all its fields.',
    ]);
  });

  it('reports a swap of two names, and nothing else', () => {
    const made = (one: string, other: string) =>
      app(
        [table(1, one, [field('id'), field('x')]), table(2, other, note)],
        [rule(one, 'short', `x of public.${one}`), rule(other, 'brief', `note of public.${other}`)],
        { chapters: { calls: { calls: [one, other].map((name) => call(name)) } } },
      );
    const call = (name: string) => ({
      id: `rest.public.${name}.select`,
      entity: `public.${name}`,
      method: 'GET',
      path: `/rest/v1/${name}`,
    });
    expect(told(made('a', 'b'), made('b', 'a')).sort()).toEqual([
      'In place of the table a there is b, the same but for its name.',
      'In place of the table b there is a, the same but for its name.',
      'In the calls, a is now b and b is now a: /rest/v1/b (before: /rest/v1/a) and /rest/v1/a (before: /rest/v1/b).',
      'In the rules, a is now b and b is now a.',
    ]);
  });

  it('reports a table that was dropped and created again with the same name as changed', () => {
    expect(told(app([table(1, 'a', note)]), app([table(2, 'a', [field('id')])]))).toEqual([
      'The field note of a is gone.',
    ]);
  });
});

describe('diffChapters without comparable object ids', () => {
  const [before, after] = [app([table(1, 'a', note)]), app([table(1, 'b', note)])];

  it.each([
    ['of another database', { before: before.ids, after: { ...after.ids, incarnation: '2.1' } }],
    ['of an earlier Ninefold', { before: null, after: after.ids }],
    ['of files', undefined],
  ])('reports a renamed table of versions %s by the equality of all but the name', (_, ids) => {
    expect(diffChapters(before.chapters, after.chapters, ids).map(({ words }) => words)).toEqual([
      'In place of the table a there is b, the same but for its name.',
    ]);
  });

  it.each([null, [], {}, { ...before.ids, fields: undefined }, { ...before.ids, policies: { 1: 2 } }])(
    'ignores damaged object ids: %j',
    (value) => {
      expect(readObjectIds(value)).toBeNull();
      expect(readObjectIds(before.ids)).toEqual(before.ids);
    },
  );
});

describe('diffChapters with the object ids of fields', () => {
  const before = app([table(1, 'a', note)], [rule('a', 'short', 'note is short')]);

  it('reports a field with another name in each chapter that names it', () => {
    const after = app(
      [table(1, 'a', [field('id'), field('remark')])],
      [{ ...rule('a', 'short', 'remark is short'), fields: ['remark'] }],
    );
    expect(told(before, after)).toEqual([
      'In place of the field note of a there is remark, the same but for its name.',
      'In the rules, the field note of a is now remark.',
    ]);
  });

  it.each<[string, Field[], string]>([
    ['its type', [field('id'), field('remark', { type: 'integer' })], 'remark of a is now integer (before: text).'],
    ['its comment', [field('id'), field('remark', { comment: 'Said' })], 'The comment of remark of a is now “Said”.'],
    ['another field', [field('id'), field('remark'), field('more')], 'a has a new field more (text, optional).'],
  ])('reports a rename and %s', (_, fields, words) => {
    const all = told(before, app([table(1, 'a', fields)], [rule('a', 'short', 'note is short')]));
    expect(all).toEqual(['In place of the field note of a there is remark, the same but for its name.', words]);
  });

  it('reports a field as new if it takes the place of a dropped one', () => {
    const fields = [field('id'), field('remark', { number: 3 })];
    expect(told(before, app([table(1, 'a', fields)]))).toContain('The field note of a is gone.');
  });

  it('does not apply a rename to a field of the same name in another table', () => {
    const both = (name: string) =>
      app([table(1, 'a', [field('id'), field(name)]), table(2, 'b', [...note, field('more')])]);
    expect(told(both('note'), both('remark'))).toEqual([
      'In place of the field note of a there is remark, the same but for its name.',
    ]);
  });
});

describe('diffChapters of rules', () => {
  const asked = (sql: string, more: object = {}, name = 'short') =>
    app([table(1, 'a', note)], [{ ...rule('a', name, 'note is short'), sql, applies_to: 'all rows', ...more }], {
      ids: { constraints: { '1.7': name } },
    });
  const before = asked('public.code CHECK ((VALUE <> 1))');

  it('reports a domain with another name', () => {
    expect(told(before, asked('public."Code" CHECK ((VALUE <> 1))'))).toEqual([
      'The rule for a, note is short, has changed: it is now one of the domain "Code" (before: of code).',
    ]);
  });

  it('reports once that a rule applies to other rows', () => {
    const after = asked('public.code CHECK ((VALUE <> 1)) NOT VALID', { applies_to: 'new and changed rows' });
    expect(told(before, after)).toEqual([
      'The rule for a, note is short, has changed: it is now checked for new and changed rows only.',
    ]);
  });

  it('reports a renamed rule together with its other changes', () => {
    const after = asked('CHECK (note <> 2)', { applies_to: 'no row' }, 'brief');
    expect(told(asked('CHECK (note <> 1)'), after)).toEqual([
      'The rule for a, note is short, is now called brief (before: short).',
      'The rule for a, note is short, has changed: it is now checked for no row, because it is not enforced; its SQL was CHECK (note <> 1), is now CHECK (note <> 2).',
    ]);
  });
});
