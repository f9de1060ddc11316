import { cellCondition } from '../../../contract/cell-condition.ts';
import type { Specification } from '../../../contract/specification.ts';
import { chapterPages } from '../chapters/chapter-pages.ts';
import { errorName } from '../chapters/errors/error-words.ts';
import { aboutRows, counted, entityName, shortId } from '../format/format.ts';

/** The target of a line of the palette. */
export type Target =
  | {
      to:
        | '/app/$ref'
        | '/app/$ref/purpose'
        | '/app/$ref/data'
        | '/app/$ref/sql'
        | '/app/$ref/users'
        | '/app/$ref/sessions';
    }
  | { to: '/app/$ref/screens'; search: { screen?: string } }
  | { to: '/app/$ref/entities'; search: { entity?: string } }
  | { to: '/app/$ref/states'; search: { machine?: string } }
  | { to: '/app/$ref/rules'; search: { rule?: string } }
  | { to: '/app/$ref/roles'; search: { cell?: string } }
  | { to: '/app/$ref/calls'; search: { call?: string } }
  | { to: '/app/$ref/errors'; search: { error?: string } }
  | { to: '/app/$ref/limits'; search: { limit?: string } };

/** A target within an app's specification. */
export interface Destination {
  chapter: number;
  title: string;
  /** A short description. */
  about: string;
  target: Target;
}

/** Returns all named items of the specification; only the chapters while the specification is undefined. Pure. */
export function destinations(specification: Specification | undefined): Destination[] {
  const { screens, entities, states, rules, roles, calls, errors, limits } = specification?.chapters ?? {};
  const chapters = chapterPages(specification).map(
    ({ number, name, question, to }): Destination => ({
      chapter: number,
      title: name,
      about: question,
      target: { to, search: {} },
    }),
  );
  const things = (entities?.entities ?? []).map(
    ({ id, schema, name, kind, fields, figures }): Destination => ({
      chapter: 3,
      title: entityName(schema, name),
      about: [kind, counted(fields.length, 'field'), figures && aboutRows(figures.rows_estimate)]
        .filter(Boolean)
        .join(', '),
      target: { to: '/app/$ref/entities', search: { entity: id } },
    }),
  );
  const shown = (screens?.screens ?? []).map(
    ({ route, title, kind }): Destination => ({
      chapter: 2,
      title: route,
      about: `${title}, ${kind}`,
      target: { to: '/app/$ref/screens', search: { screen: route } },
    }),
  );
  const machines = (states?.machines ?? []).map(
    ({ id, states: all, transitions }): Destination => ({
      chapter: 4,
      title: shortId(id),
      about: `${counted(all.length, 'state')}, ${counted(transitions.length, 'transition')}`,
      target: { to: '/app/$ref/states', search: { machine: id } },
    }),
  );
  const valid = (rules?.rules ?? []).map(
    ({ id, entity, name, words }): Destination => ({
      chapter: 5,
      title: `${shortId(entity)}: ${name}`,
      about: words,
      target: { to: '/app/$ref/rules', search: { rule: id } },
    }),
  );
  const cells = new Map<string, Destination>();
  for (const { entity, operation, role, verdict, words } of roles?.cells ?? []) {
    const key = `${entity} ${operation}`;
    const about = `${role}: ${verdict === 'when' ? cellCondition(words) : verdict}`;
    const before = cells.get(key);
    if (before) before.about += `; ${about}`;
    else {
      cells.set(key, {
        chapter: 6,
        title: `Who may ${operation} ${shortId(entity)}?`,
        about,
        target: { to: '/app/$ref/roles', search: { cell: `${entity} ${operation} ${role}` } },
      });
    }
  }
  const answered = (calls?.calls ?? []).map(
    ({ id, method, path, summary }): Destination => ({
      chapter: 7,
      title: `${method} ${path}`,
      about: summary,
      target: { to: '/app/$ref/calls', search: { call: id } },
    }),
  );
  const wrong = (errors?.errors ?? []).map(
    (line): Destination => ({
      chapter: 8,
      title: [line.code, line.code === errorName(line) ? null : errorName(line)].filter(Boolean).join(' ') || line.id,
      about: line.meaning,
      target: { to: '/app/$ref/errors', search: { error: line.id } },
    }),
  );
  const bounds = (limits?.limits ?? []).map(
    ({ id, meaning }): Destination => ({
      chapter: 9,
      title: id,
      about: meaning,
      target: { to: '/app/$ref/limits', search: { limit: id } },
    }),
  );
  return [...chapters, ...shown, ...things, ...machines, ...valid, ...cells.values(), ...answered, ...wrong, ...bounds];
}
