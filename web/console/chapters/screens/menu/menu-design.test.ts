import { expect, it } from 'vitest';
import type { MenuGroup } from '../../../../../contract/description.ts';
import { groupsOf, menuOf, movedLine, newGroup, readMenu, toggledEntry } from './menu-design.ts';

const groups: MenuGroup[] = [
  { title: 'Tickets', titles: { de: 'Anfragen' }, routes: ['/queue', '/board'] },
  { title: null, routes: ['/desk'] },
];
const design = readMenu(groups, '/queue', ['/board', '/desk', '/queue', '/topics']);
const names = (lines: typeof design.lines) =>
  lines.map((line) => (line.kind === 'entry' ? line.route : line.kind === 'group' ? line.title : '-'));

it('readMenu lists the groups and then the screens that are not in the menu, and menuOf returns the same menu', () => {
  expect(names(design.lines)).toEqual(['Tickets', '/queue', '/board', '', '/desk', '-', '/topics']);
  expect(menuOf('agent', design)).toEqual({ role: 'agent', groups, home: '/queue' });
});

it('movedLine moves an entry into another group, and a heading with its entries', () => {
  expect(groupsOf(movedLine(design.lines, 2, 3)).map(({ routes }) => routes)).toEqual([
    ['/queue'],
    ['/board', '/desk'],
  ]);
  expect(names(movedLine(design.lines, 0, 1))).toEqual(['', '/desk', 'Tickets', '/queue', '/board', '-', '/topics']);
  expect(names(movedLine(design.lines, 3, 2))).toEqual(['', '/desk', 'Tickets', '/queue', '/board', '-', '/topics']);
  expect(movedLine(design.lines, 3, 4)).toEqual(design.lines);
});

it('toggledEntry leaves an entry out, and takes it in again at the end', () => {
  const out = toggledEntry(design.lines, 1);
  expect(names(out)).toEqual(['Tickets', '/board', '', '/desk', '-', '/queue', '/topics']);
  expect(names(toggledEntry(out, 5))).toEqual(['Tickets', '/board', '', '/desk', '/queue', '-', '/topics']);
});

it('groupsOf puts entries before the first heading into a group without a title, and leaves empty groups out', () => {
  const [first, second] = [newGroup('A'), newGroup('B')];
  expect(
    groupsOf([{ kind: 'entry', route: '/x' }, first, second, { kind: 'entry', route: '/y' }, { kind: 'rest' }]),
  ).toEqual([
    { title: null, routes: ['/x'] },
    { title: 'B', routes: ['/y'] },
  ]);
});
