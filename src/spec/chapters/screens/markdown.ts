import type { Screen, ScreensChapter } from '../../../../contract/description.ts';
import { groupBy } from '../../../catalog/group.ts';
import { code, count, inline, table } from '../../markdown/escape.ts';

/** Returns chapter 2 in Markdown, with one table of screens for each entity. */
export function screensMarkdown(chapter: ScreensChapter): string {
  const { screens } = chapter;
  if (screens.length === 0) return 'There is no screen yet: there is nothing that clients reach.';
  const broken = screens.filter((screen) => screen.broken.length > 0).length;
  const parts = [`${count(screens.length, 'screen')}${broken > 0 ? `, ${broken} of them broken` : ''}.`];
  for (const [entity, group] of groupBy(screens, (screen) => screen.entity)) {
    parts.push(`### ${inline(entity)}`, table(['Route', 'Screen', 'Shows', 'For'], group.map(row)));
    const faults = group.flatMap((screen) =>
      screen.broken.map((why) => `- ${code(screen.route)} is broken: ${inline(why)}.`),
    );
    if (faults.length > 0) parts.push(faults.join('\n'));
  }
  const labels = Object.entries(chapter.labels ?? {}).map(
    ([language, all]) => `${count(Object.keys(all).length, 'label')} in ${code(language)}`,
  );
  if (labels.length > 0) parts.push(`${labels.join(', ')}.`);
  return parts.join('\n\n');
}

function row(screen: Screen): string[] {
  const shows = [
    ...shown(screen),
    ...(screen.filter === null ? [] : [`where ${code(screen.filter)}`]),
    ...(screen.order_by === null ? [] : [`by ${code(screen.order_by)}`]),
    ...(screen.group_by === undefined ? [] : [`grouped by ${code(screen.group_by)}`]),
    ...(screen.related === undefined ? [] : [`with ${screen.related.map(code).join(', ')}`]),
    ...(screen.actions === undefined ? [] : [`offers ${screen.actions.map(code).join(', ')}`]),
  ];
  return [
    code(screen.route),
    `${inline(screen.title)} (${screen.kind}, ${screen.origin})`,
    shows.join('; '),
    screen.roles.map(inline).join(', '),
  ];
}

function shown({ columns, fields }: Screen): string[] {
  if (fields === undefined) return [columns.map(code).join(', ')];
  const of = (when: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${when} ${names.map(code).join(', ')}`];
  return [...of('a new row:', fields.insert), ...of('a change:', fields.update)];
}
