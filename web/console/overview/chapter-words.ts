import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import { isChanged } from '../chapters/limits/limit-words.ts';
import { aboutRows, bytes, count, milliseconds } from '../format/format.ts';
import type { BuiltChapter } from '../navigation/chapter-pages.ts';

/** A part of a sentence. Figures are emphasized. */
export type Piece = string | { figure: string };

const figure = (value: number): Piece => ({ figure: count(value) });
const word = (value: number, singular: string, plural = `${singular}s`) => ` ${value === 1 ? singular : plural}`;

/** Returns the line that describes a chapter in the table of contents, with current figures. Pure. */
export function chapterWords(
  key: Exclude<BuiltChapter, 'purpose'>,
  { chapters }: Specification,
  activity: Activity | undefined,
): Piece[] {
  switch (key) {
    case 'screens':
      return chapters.screens ? screensWords(chapters.screens) : [];
    case 'entities':
      return chapters.entities ? entitiesWords(chapters.entities) : [];
    case 'states':
      return chapters.states ? statesWords(chapters.states) : [];
    case 'rules':
      return chapters.rules ? rulesWords(chapters.rules) : [];
    case 'roles':
      return chapters.roles ? rolesWords(chapters.roles) : [];
    case 'calls':
      return chapters.calls ? callsWords(chapters.calls, activity) : [];
    case 'errors':
      return chapters.errors ? errorsWords(chapters.errors) : [];
    case 'limits':
      return chapters.limits ? limitsWords(chapters.limits) : [];
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
    ...(known.length > 0 ? [`; ${aboutRows(rows)}, ${bytes(size)}`] : []),
  ];
}

function screensWords({ screens }: NonNullable<Specification['chapters']['screens']>): Piece[] {
  if (screens.length === 0) return ['None yet'];
  const broken = screens.filter((screen) => screen.broken.length > 0).length;
  return [
    figure(screens.length),
    word(screens.length, 'screen'),
    ', ',
    figure(screens.filter(({ origin }) => origin !== 'derived').length),
    ' defined',
    ...(broken > 0 ? ['; ', figure(broken), ' broken'] : []),
  ];
}

function statesWords({ machines }: NonNullable<Specification['chapters']['states']>): Piece[] {
  if (machines.length === 0) return ['None yet'];
  const states = machines.reduce((sum, machine) => sum + machine.states.length, 0);
  const transitions = machines.reduce((sum, machine) => sum + machine.transitions.length, 0);
  return [
    figure(machines.length),
    word(machines.length, 'machine'),
    ', ',
    figure(states),
    word(states, 'state'),
    ', ',
    figure(transitions),
    word(transitions, 'transition'),
  ];
}

function rulesWords({ rules }: NonNullable<Specification['chapters']['rules']>): Piece[] {
  if (rules.length === 0) return ['None yet'];
  const loose = rules.filter(({ applies_to }) => applies_to !== 'all rows' && applies_to !== 'uploads').length;
  return [
    figure(rules.length),
    word(rules.length, 'rule'),
    ', ',
    figure(rules.filter(({ comment }) => comment !== null).length),
    ' with a comment',
    ...(loose > 0 ? ['; ', figure(loose), ' not validated for existing rows'] : []),
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
    ...(today ? ['; ', figure(today.calls), ' requests today'] : []),
    ...(today && today.p50_ms !== null ? [`, p50 ${milliseconds(today.p50_ms)}`] : []),
    ...(today && today.p99_ms !== null ? [`, p99 ${milliseconds(today.p99_ms)}`] : []),
  ];
}

function errorsWords({ errors }: NonNullable<Specification['chapters']['errors']>): Piece[] {
  const met = errors.filter(({ figures }) => (figures?.day ?? 0) > 0);
  const times = met.reduce((sum, { figures }) => sum + (figures?.day ?? 0), 0);
  return [
    figure(errors.length),
    ' possible; ',
    ...(met.length === 0
      ? ['none occurred in 24 hours']
      : [figure(met.length), ' occurred in 24 hours, ', figure(times), word(times, 'time')]),
  ];
}

function limitsWords({ limits }: NonNullable<Specification['chapters']['limits']>): Piece[] {
  // Limits that only the server itself sets do not count as changed.
  const changed = limits.filter(isChanged).length;
  const hit = limits.filter(({ figures }) => (figures?.day ?? 0) > 0).length;
  return [
    figure(limits.length),
    word(limits.length, 'limit'),
    ', ',
    ...(changed === 0 ? ['none'] : [figure(changed)]),
    ' changed; ',
    ...(hit === 0 ? ['none hit in 24 hours'] : [figure(hit), ' hit in 24 hours']),
  ];
}
