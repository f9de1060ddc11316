import type { Specification } from '../../../contract/specification.ts';
import { chapterPages } from '../chapters/chapter-pages.ts';
import { count, counted, entityName } from '../format/format.ts';

/** Where a line of the palette leads. */
export type Target =
  | { to: '/app/$ref' | '/app/$ref/data' | '/app/$ref/sql' | '/app/$ref/users' | '/app/$ref/sessions' }
  | { to: '/app/$ref/entities'; search: { entity?: string } }
  | { to: '/app/$ref/roles'; search: { cell?: string } }
  | { to: '/app/$ref/calls'; search: { call?: string } };

/** A place in an app's specification that can be jumped to. */
export interface Destination {
  chapter: number;
  title: string;
  /** What it is, in a few words. */
  about: string;
  target: Target;
}

/** Everything in the specification that has a name: chapters, entities, operations on them, calls. Pure. */
export function destinations(specification: Specification): Destination[] {
  const { entities, roles, calls } = specification.chapters;
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
      about: [kind, counted(fields.length, 'field'), figures && `${count(figures.rows_estimate)} rows`]
        .filter(Boolean)
        .join(', '),
      target: { to: '/app/$ref/entities', search: { entity: id } },
    }),
  );
  const cells = new Map<string, Destination>();
  for (const { entity, operation, role, verdict, words } of roles?.cells ?? []) {
    const key = `${entity} ${operation}`;
    const about = `${role}: ${verdict === 'when' ? `when ${words}` : verdict}`;
    const before = cells.get(key);
    if (before) before.about += `; ${about}`;
    else {
      cells.set(key, {
        chapter: 6,
        title: `Who may ${operation} ${entity.replace(/^public\./, '')}?`,
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
  return [...chapters, ...things, ...cells.values(), ...answered];
}
