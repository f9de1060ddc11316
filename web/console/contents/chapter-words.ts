import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import type { BuiltChapter } from '../chapters/chapter-pages.ts';
import { bytes, count, milliseconds } from '../format/format.ts';

/** A piece of a sentence; a figure stands out from the words. */
export type Piece = string | { figure: string };

const figure = (value: number): Piece => ({ figure: count(value) });
const word = (value: number, singular: string, plural = `${singular}s`) => ` ${value === 1 ? singular : plural}`;

/** What each chapter says of itself in the contents: one line of live figures. Pure. */
export function chapterWords(key: BuiltChapter, { chapters }: Specification, activity: Activity | undefined): Piece[] {
  switch (key) {
    case 'entities':
      return chapters.entities ? entitiesWords(chapters.entities) : [];
    case 'roles':
      return chapters.roles ? rolesWords(chapters.roles) : [];
    case 'calls':
      return chapters.calls ? callsWords(chapters.calls, activity) : [];
  }
}

function entitiesWords({ entities, relations }: NonNullable<Specification['chapters']['entities']>): Piece[] {
  if (entities.length === 0) return ['None yet'];
  const views = entities.filter(({ kind }) => kind === 'view' || kind === 'materialized view').length;
  const tables = entities.length - views;
  const fields = entities.reduce((sum, entity) => sum + entity.fields.length, 0);
  const known = entities.flatMap(({ figures }) => (figures ? [figures] : []));
  const rows = known.reduce((sum, { rows_estimate }) => sum + rows_estimate, 0);
  const size = known.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return [
    figure(tables),
    word(tables, 'table'),
    ...(views > 0 ? [', ', figure(views), word(views, 'view')] : []),
    ', ',
    figure(fields),
    word(fields, 'field'),
    ', ',
    figure(relations.length),
    word(relations.length, 'relation'),
    ...(known.length > 0 ? [`; about ${count(rows)}${word(rows, 'row')}, ${bytes(size)}`] : []),
  ];
}

function rolesWords({ roles, cells, policies }: NonNullable<Specification['chapters']['roles']>): Piece[] {
  return [
    figure(roles.length),
    word(roles.length, 'role'),
    ', ',
    figure(cells.length),
    word(cells.length, 'cell'),
    ', ',
    figure(policies.length),
    word(policies.length, 'policy', 'policies'),
  ];
}

function callsWords(
  { calls }: NonNullable<Specification['chapters']['calls']>,
  activity: Activity | undefined,
): Piece[] {
  const today = activity?.today;
  return [
    figure(calls.length),
    word(calls.length, 'call'),
    ...(today ? ['; ', figure(today.calls), ' made today'] : []),
    ...(today && today.p50_ms !== null ? [`, p50 ${milliseconds(today.p50_ms)}`] : []),
    ...(today && today.p99_ms !== null ? [`, p99 ${milliseconds(today.p99_ms)}`] : []),
  ];
}
