import { cellCondition } from '../../../contract/cell-condition.ts';
import type { Specification } from '../../../contract/specification.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { errorName } from '../chapters/errors/error-words.ts';
import { aboutRows, counted, entityName, shortId } from '../format/format.ts';
import { chapterPages } from '../navigation/chapter-pages.ts';

/** The page and the search parameters that an entry of the palette opens. */
export type Target =
  | {
      to: '/app/$ref' | '/app/$ref/data' | '/app/$ref/sql' | '/app/$ref/users' | '/app/$ref/sessions';
    }
  | { to: '/app/$ref/screens'; search: { screen?: string } }
  | { to: '/app/$ref/entities'; search: { entity?: string } }
  | { to: '/app/$ref/states'; search: { machine?: string } }
  | { to: '/app/$ref/rules'; search: { rule?: string } }
  | { to: '/app/$ref/roles'; search: { cell?: string } }
  | { to: '/app/$ref/calls'; search: { call?: string } }
  | { to: '/app/$ref/errors'; search: { error?: string } }
  | { to: '/app/$ref/limits'; search: { limit?: string } };

/** An item of an app's specification that the palette can open. */
export interface Destination {
  chapter: number;
  title: string;
  /** A short description. */
  about: string;
  target: Target;
}

const destination = (chapter: number, title: string, about: string, target: Target): Destination => ({
  chapter,
  title,
  about,
  target,
});

/** Returns every item of the specification that has a name. While the specification is undefined, returns only the chapters. Pure. */
export function destinations(specification: Specification | undefined): Destination[] {
  const { screens, entities, states, rules, roles, calls, errors, limits } = specification?.chapters ?? {};
  return [
    ...chapterPages(specification).map(({ number, name, question, to }) =>
      destination(number, name, question, { to, search: {} }),
    ),
    ...(screens?.screens ?? []).map(({ route, title, kind }) =>
      destination(2, route, `${title}, ${kind}`, { to: '/app/$ref/screens', search: { screen: route } }),
    ),
    ...(entities?.entities ?? []).map(({ id, schema, name, kind, fields, figures }) => {
      const about = [kind, counted(fields.length, 'field'), figures && aboutRows(figures.rows_estimate)];
      const target: Target = { to: '/app/$ref/entities', search: { entity: id } };
      return destination(3, entityName(schema, name), about.filter(Boolean).join(', '), target);
    }),
    ...(states?.machines ?? []).map(({ id, states: all, transitions }) => {
      const about = `${counted(all.length, 'state')}, ${counted(transitions.length, 'transition')}`;
      return destination(4, shortId(id), about, { to: '/app/$ref/states', search: { machine: id } });
    }),
    ...(rules?.rules ?? []).map(({ id, entity, name, words }) =>
      destination(5, `${shortId(entity)}: ${name}`, words, { to: '/app/$ref/rules', search: { rule: id } }),
    ),
    ...cellDestinations(roles?.cells ?? []),
    ...(calls?.calls ?? []).map(({ id, method, path, summary }) =>
      destination(7, `${method} ${path}`, summary, { to: '/app/$ref/calls', search: { call: id } }),
    ),
    ...(errors?.errors ?? []).map((line) => {
      const names = [line.code, line.code === errorName(line) ? null : errorName(line)];
      const title = names.filter(Boolean).join(' ') || line.id;
      return destination(8, title, line.meaning, { to: '/app/$ref/errors', search: { error: line.id } });
    }),
    ...(limits?.limits ?? []).map(({ id, meaning }) =>
      destination(9, id, meaning, { to: '/app/$ref/limits', search: { limit: id } }),
    ),
  ];
}

/** Returns one destination for each operation on an entity, with the verdict of every role. */
function cellDestinations(cells: readonly RoleCell[]): Destination[] {
  const found = new Map<string, Destination>();
  for (const { entity, operation, role, verdict, words } of cells) {
    const key = `${entity} ${operation}`;
    const about = `${role}: ${verdict === 'when' ? cellCondition(words) : verdict}`;
    const before = found.get(key);
    if (before) before.about += `; ${about}`;
    else {
      const target: Target = { to: '/app/$ref/roles', search: { cell: `${key} ${role}` } };
      found.set(key, destination(6, `Who may ${operation} ${shortId(entity)}?`, about, target));
    }
  }
  return [...found.values()];
}
