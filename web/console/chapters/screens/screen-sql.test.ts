import { expect, it } from 'vitest';
import type { Screen } from '../../../../contract/description.ts';
import { defineScreenSql, dropScreenSql } from './screen-sql.ts';

const screen: Screen = {
  route: '/inbox',
  title: "Today's inbox",
  kind: 'list',
  entity: 'public.tickets',
  origin: 'defined',
  columns: ['title', 'status'],
  filter: 'status=eq.new',
  order_by: null,
  roles: ['agent'],
  state_field: null,
  broken: [],
};

it('defineScreenSql writes the SQL that defines a screen unchanged', () => {
  expect(defineScreenSql(screen)).toBe(`select ninefold.define_screen(
  route => '/inbox',
  title => 'Today''s inbox',
  kind => 'list',
  entity => 'public.tickets',
  columns => array['title', 'status']::text[],
  filter => 'status=eq.new',
  roles => array['agent']::text[]);`);
});

it('defineScreenSql writes the groups, the actions, the first page and the place of a screen', () => {
  const sql = defineScreenSql({ ...screen, group_by: 'status', actions: ['public.take'], home: true, place: 3 });
  expect(sql).toContain(`
  group_by => 'status',
  actions => array['public.take']::text[],
  home => true,
  place => 3);`);
});

it('defineScreenSql omits the roles of a derived screen, and dropScreenSql deletes only defined screens', () => {
  expect(defineScreenSql({ ...screen, origin: 'derived' })).not.toContain('roles');
  expect(dropScreenSql({ ...screen, origin: 'derived' })).toBeNull();
  expect(dropScreenSql(screen)).toBe("select ninefold.drop_screen('/inbox');");
});
