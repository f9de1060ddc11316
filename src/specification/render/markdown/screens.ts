import type { Menu, Page, PagePart, Screen, ScreensChapter } from '../../../../contract/description.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { code, count, inline, table } from './escape.ts';
import { rolesLegend, rolesText } from './role-names.ts';

/**
 * Returns chapter 2 in Markdown. The derived screens of an entity share a line. Screens that the app defines have a line
 * each, with what they show.
 */
export function screensMarkdown(chapter: ScreensChapter, { roles, entities }: Chapters): string {
  const { screens, pages = [], menus = [] } = chapter;
  if (screens.length + pages.length === 0) return 'There is no screen yet: there is nothing that clients reach.';
  const all = roles?.roles ?? [];
  const isStandard = ({ origin, broken }: Screen) => origin === 'derived' && broken.length === 0;
  const derived = [...groupBy(screens.filter(isStandard), ({ entity }) => entity)];
  const defined = screens.filter((screen) => !isStandard(screen));
  const broken = screens.filter((screen) => screen.broken.length > 0);
  const parts = [
    `${count(screens.length + pages.length, 'screen')}${broken.length > 0 ? `, ${broken.length} of them broken` : ''}. ${rolesLegend}`,
  ];
  if (defined.length > 0) {
    const fieldsOf = new Map((entities?.entities ?? []).map(({ id, fields }) => [id, fields.map(({ name }) => name)]));
    parts.push(
      '### Defined screens',
      table(
        ['Route', 'Screen', 'Shows', 'For'],
        defined.map((screen) => row(screen, fieldsOf.get(screen.entity) ?? [], rolesText(screen.roles, all))),
      ),
    );
  }
  if (pages.length > 0) {
    parts.push(
      '### Pages',
      table(
        ['Route', 'Page', 'Parts', 'For'],
        pages.map((page) => pageRow(page, rolesText(page.roles, all))),
      ),
    );
  }
  const faults = [...broken, ...pages].flatMap(({ route, broken: reasons }) =>
    reasons.map((why) => `- ${code(route)} is broken: ${inline(why)}.`),
  );
  if (faults.length > 0) parts.push(faults.join('\n'));
  if (menus.length > 0) parts.push('### Menus', menus.map(menuLine).join('\n'));
  if (derived.length > 0) {
    parts.push(
      '### Derived screens',
      'Each shows the fields that its reader may see; a form takes the fields that its reader may set.',
      derived.map(([entity, group]) => `- ${inline(shownSql(entity))}: ${derivedText(group, all)}`).join('\n'),
    );
  }
  const labels = Object.entries(chapter.labels ?? {}).map(
    ([language, texts]) => `${count(Object.keys(texts).length, 'label')} in ${code(language)}`,
  );
  if (labels.length > 0) parts.push(`${labels.join(', ')}.`);
  return parts.join('\n\n');
}

function derivedText(screens: readonly Screen[], all: readonly { name: string }[]): string {
  const byRoles = groupBy(screens, ({ roles }) => rolesText(roles, all));
  return [...byRoles]
    .map(([roles, group]) => `${group.map(({ route, kind }) => `${code(route)} (${kind})`).join(', ')} for ${roles}`)
    .join('; ');
}

function row(screen: Screen, all: readonly string[], roles: string): string[] {
  const shows = [
    ...shown(screen, all),
    ...(screen.filter === null ? [] : [`where ${code(screen.filter)}`]),
    ...(screen.order_by === null ? [] : [`by ${code(screen.order_by)}`]),
    ...(screen.group_by === undefined ? [] : [`grouped by ${code(screen.group_by)}`]),
    ...(screen.related === undefined ? [] : [`with ${screen.related.map((id) => code(shownSql(id))).join(', ')}`]),
    ...(screen.actions === undefined ? [] : [`offers ${screen.actions.map((id) => code(shownSql(id))).join(', ')}`]),
  ];
  const first = screen.home === true ? ', first page' : '';
  return [
    code(screen.route),
    `${inline(screen.title)} (${screen.kind} of ${inline(shownSql(screen.entity))}${first})`,
    shows.join('; '),
    roles,
  ];
}

function shown({ columns, fields }: Screen, all: readonly string[]): string[] {
  if (fields === undefined) {
    const isWhole = columns.length === all.length && all.length > 2;
    return [isWhole ? 'all fields' : columns.map(code).join(', ')];
  }
  const of = (when: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${when} ${names.map(code).join(', ')}`];
  return [...of('a new row:', fields.insert), ...of('a change:', fields.update)];
}

function pageRow({ route, title, parts, home }: Page, roles: string): string[] {
  return [
    code(route),
    `${inline(title)}${home === true ? ' (first page)' : ''}`,
    parts.map(partText).join('; '),
    roles,
  ];
}

function partText(part: PagePart): string {
  if (part.kind === 'text') return 'a text';
  if (part.kind === 'buttons') return `buttons to ${part.routes.map(code).join(', ')}`;
  const value = 'value' in part && part.value !== 'count' ? `${part.value} of ${code(part.of ?? '')}, ` : '';
  const filter = part.filter === undefined ? '' : ` where ${code(part.filter)}`;
  return `${inline(part.title)}: ${value}${part.kind} of ${inline(shownSql(part.entity))}${filter}`;
}

/** Describes a menu: the groups with their routes, the first page, and entries without a screen. */
function menuLine({ role, groups, home, broken }: Menu): string {
  const entries = groups.map(
    ({ title, routes }) => `${title === null ? '' : `${inline(title)}: `}${routes.map(code).join(', ')}`,
  );
  const first = home === null ? '' : `; first page ${code(home)}`;
  const faults = broken.length === 0 ? '' : ` (${broken.map(inline).join('; ')})`;
  return `- ${code(role)}: ${entries.join('; ')}${first}${faults}`;
}
