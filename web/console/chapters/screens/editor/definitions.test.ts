import { describe, expect, it } from 'vitest';
import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { chaptersApp } from '../../../../../test/support/chapters-app.ts';
import { type Definition, newPage, newScreen, type ScreenDefinition } from './definitions.ts';
import { definitionsSql } from './definitions-sql.ts';
import { type Draft, definitionsOf, definitionsWithout, editedItem, withLabel } from './draft.ts';
import { conditionOf, conditionWords, parseFilter, writeFilter } from './filter-text.ts';
import { parseSort, termOf, writeSort } from './sort-text.ts';

const { owner, derive } = chaptersApp('screen-editor');

async function chapters() {
  const { screens, entities } = await derive();
  if (!screens || !entities) throw new Error('The app has no chapters.');
  return { screens, entities: entities.entities };
}

/** Returns the migration that a change of one item leads to, and the migration back. */
function written(
  { screens, entities }: { screens: ScreensChapter; entities: readonly Entity[] },
  route: string | null,
  change: (draft: Draft) => Draft,
  fresh?: Definition,
) {
  const none = { before: editedItem(screens, '/tickets')?.before ?? { items: [], menus: [], labels: {} } };
  const edited = (route !== null && editedItem(screens, route)) || { ...none, start: null, isDefined: false };
  const item = edited.start ?? fresh;
  if (!item) throw new Error(`There is no screen at ${route}.`);
  const after = definitionsOf(edited, change({ item, labels: edited.before.labels, menus: edited.before.menus }));
  return {
    sql: definitionsSql(edited.before, after, entities),
    undo: definitionsSql(after, edited.before, entities),
  };
}

const set = (part: Partial<ScreenDefinition>) => (draft: Draft) => ({
  ...draft,
  item: { ...draft.item, ...part } as Definition,
});

describe('definitionsSql', () => {
  it('writes a changed derived screen as one definition with the arguments that are set, and drops it to undo', async () => {
    const before = await chapters();
    expect(written(before, '/tickets', (draft) => draft).sql).toBe('');
    const { sql, undo } = written(before, '/tickets', set({ columns: ['title'], empty: "Nobody's waiting." }));
    expect(sql).toBe(`select ninefold.define_screen(
  route => '/tickets',
  title => 'Tickets',
  kind => 'list',
  entity => 'public.tickets',
  columns => array['title']::text[],
  order_by => 'id',
  empty => 'Nobody''s waiting.');`);
    expect(undo).toBe("select ninefold.drop_screen('/tickets');");
  });

  it('restores every former definition after an undo: the first page, buttons, labels and menus that name a route', async () => {
    await owner.script(`
      select ninefold.define_screen('/mine', 'Mine', 'list', 'public.tickets', '{title,status}', 'assignee=eq.auth.uid()', 'id.desc',
        '{agent}', 'status', home => true, place => 2, empty => 'Nothing.');
      select ninefold.define_screen('/one', 'One', 'detail', 'public.tickets', related => '{public.tickets}');
      select ninefold.define_page('/desk', 'Desk', '[{"kind": "text", "text": "# Hi\\n\\nAll \\"here\\"", "texts": {"de": "Hallo"}},
        {"kind": "buttons", "routes": ["/mine", "/account"]},
        {"kind": "bars", "title": "By state", "entity": "public.tickets", "by": "status"}]', place => 1);
      select ninefold.label('de', 'Meine', screen => '/mine');
      select ninefold.label('de', 'Titel', entity => 'public.tickets', field => 'title', help => 'Kurz');
      select ninefold.define_menu('agent', '[{"title": "Work", "titles": {"de": "Arbeit"}, "routes": ["/mine", "/desk"]}]', '/mine')`);
    const first = await chapters();
    const { sql, undo } = written(first, '/mine', (draft) => ({
      ...set({ route: '/my-tickets', home: false, roles: null, filter: 'status=neq.closed' })(draft),
      labels: withLabel(
        withLabel(draft.labels, 'de', 'public.tickets.title', { help: '' }),
        'fr',
        'public.tickets.title',
        { label: 'Titre' },
      ),
    }));
    await owner.script(sql);
    const second = await chapters();
    const at = (route: string, { screens }: typeof second) => screens.screens.find((one) => one.route === route);
    expect(at('/my-tickets', second)).toMatchObject({ filter: 'status=neq.closed', given: ['columns'] });
    expect(at('/mine', second)).toBeUndefined();
    expect(second.screens.menus?.[0]).toMatchObject({
      home: '/my-tickets',
      groups: [{ routes: ['/my-tickets', '/desk'] }],
    });
    expect(second.screens.labels?.de?.['/my-tickets']).toEqual({ label: 'Meine' });
    expect(second.screens.labels?.fr).toEqual({ 'public.tickets.title': { label: 'Titre' } });
    await owner.script(undo);
    expect((await chapters()).screens).toEqual(first.screens);

    // A new first page ends the former one. The undo makes the former one the first page again.
    const page = newPage({ route: '/welcome', title: 'Welcome', parts: [{ kind: 'text', text: 'Hi' }], home: true });
    const added = written(first, null, (draft) => draft, page);
    expect(added.sql).toBe(`select ninefold.define_page(
  route => '/welcome',
  title => 'Welcome',
  parts => '[
    {"kind":"text","text":"Hi"}
  ]'::jsonb,
  home => true);`);
    await owner.script(added.sql);
    expect(at('/mine', await chapters())?.home).toBeUndefined();
    await owner.script(added.undo);
    expect((await chapters()).screens).toEqual(first.screens);

    const edited = editedItem(first.screens, '/mine');
    if (!edited) throw new Error('The screen is missing.');
    const without = definitionsWithout(edited);
    await owner.script(definitionsSql(edited.before, without, first.entities));
    expect(at('/mine', await chapters())).toBeUndefined();
    await owner.script(definitionsSql(without, edited.before, first.entities));
    expect((await chapters()).screens).toEqual(first.screens);
    for (const route of ['/mine', '/one', '/desk', '/tickets'])
      expect(written(first, route, (draft) => draft)).toEqual({ sql: '', undo: '' });
  });

  it('defines a calendar and a gallery with their fields', async () => {
    await owner.script(`create table public.stays (id int primary key, arrival date, departure date, photo text);
      grant select on public.stays to authenticated`);
    const before = await chapters();
    const calendar = newScreen('calendar', 'public.stays', {
      ...{ route: '/stays/plan', title: 'Plan', starts: 'arrival', ends: 'departure' },
    });
    const { sql } = written(before, null, (draft) => draft, calendar);
    await owner.script(sql);
    const plan = (await chapters()).screens.screens.find(({ route }) => route === '/stays/plan');
    expect(plan).toMatchObject({ span: { start: 'arrival', end: 'departure' }, given: ['span'], broken: [] });
  });
});

const field = (name: string, type: string, values: string[] | null = null): Field => ({
  ...{ name, type, base_type: null, nullable: true, default: null, generated: null, identity: null },
  ...{ enum_values: values, comment: null, references: null },
});
const fields = [
  field('status', 'text', ['open', 'on hold']),
  field('at', 'timestamp with time zone'),
  field('who', 'uuid'),
];

describe('parseFilter', () => {
  it('reads the conditions that the editor can express, and returns the filter unchanged', () => {
    const filter =
      'status=neq.closed&at=gte.2026-01-01&who=eq.auth.uid()&status=in.(open,"on hold")&status=not.in.(open)&or=(a.eq.1,b.eq.2)';
    const conditions = parseFilter(filter, fields);
    expect(writeFilter(conditions)).toBe(filter);
    expect(conditions.map(conditionWords)).toEqual([
      'status is not closed',
      'at from 2026-01-01',
      'who is the member',
      'status one of open, on hold',
      'status none of open',
      'or=(a.eq.1,b.eq.2)',
    ]);
  });

  it('keeps a condition on a field that the entity does not have, and one with another operator, as text', () => {
    const texts = parseFilter('gone=eq.1&status=not.eq.a&status=eq(any).{a}', fields).map((one) => one.filter);
    expect(texts).toEqual([null, null, null]);
  });
});

it('conditionOf encodes the characters of a query string, and quotes only values that need it', () => {
  expect(conditionOf({ field: 'status', operator: 'eq', value: 'a&b+c' }).text).toBe('status=eq.a%26b%2Bc');
  expect(conditionOf({ field: 'status', operator: 'in', value: 'open, on hold' }).text).toBe(
    'status=in.(open,"on hold")',
  );
  const [back] = parseFilter('status=eq.a%26b%2Bc', fields);
  expect(back?.filter?.value).toBe('a&b+c');
});

it('parseSort reads the terms of an order, and keeps a term that it cannot express', () => {
  const order = 'status.desc,at,topics(name),who.desc.nullslast';
  const terms = parseSort(order, fields);
  expect(writeSort(terms)).toBe(order);
  expect(terms.map((one) => one.field)).toEqual(['status', 'at', null, null]);
  expect(termOf('at', true).text).toBe('at.desc');
});
