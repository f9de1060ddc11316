import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { shortId } from '../../../format/format.ts';
import { type Definition, newPage, newScreen } from './definitions.ts';
import { timesOf } from './entity-fields.ts';
import { newPart, type RowsPart, withoutEmpty } from './part-design.ts';

/** A kind of new screen or page. */
export type NewKind = 'list' | 'board' | 'calendar' | 'gallery' | 'form' | 'detail' | 'dashboard' | 'public page';

export interface OfferedKind {
  readonly kind: NewKind;
  readonly words: string;
}

export const newKinds: readonly OfferedKind[] = [
  { kind: 'list', words: 'Rows as lines, with search, filters and an order.' },
  { kind: 'board', words: 'Rows as cards in the columns of their states. Dragging makes a state change.' },
  { kind: 'calendar', words: 'Rows between their start and their end, by day, week and month.' },
  { kind: 'gallery', words: 'Rows as tiles with their pictures.' },
  { kind: 'form', words: 'Fields to fill in for a new row or a change.' },
  { kind: 'detail', words: 'One row with all its fields, and the rows that refer to it.' },
  { kind: 'dashboard', words: 'Numbers, bars and lines, each computed from the rows that the member may read.' },
  { kind: 'public page', words: 'Texts and buttons, for visitors before they sign in, too.' },
];

export const isNewKind = (kind: string | undefined): kind is NewKind => newKinds.some((one) => one.kind === kind);

/** Returns true for a kind that shows the rows of one entity. */
export const isOfEntity = (kind: NewKind): boolean => kind !== 'dashboard' && kind !== 'public page';

/** Returns why an entity cannot have a kind of screen; null if it can. Pure. */
export function offBecause(kind: NewKind, entity: Entity | undefined, hasMachine: boolean): string | null {
  if (!isOfEntity(kind)) return null;
  if (!entity) return 'Choose a table first.';
  const name = shortId(entity.id);
  if (kind === 'board' && !hasMachine) return `A board needs states, but ${name} has no state machine.`;
  if (kind === 'calendar' && timesOf(entity).length < 2)
    return `A calendar needs a start and an end, but ${name} has no two times.`;
  if (kind === 'detail' && entity.primary_key.length === 0) return `One row needs an address, but ${name} has no key.`;
  if (kind === 'form' && !entity.writable.insert && !entity.writable.update)
    return `Nothing can write rows of ${name}.`;
  return null;
}

/** Returns the derived screen that a new form or detail would replace; null for the other kinds. Pure. */
export const replacedRoute = (kind: NewKind, entity: Entity, { screens }: ScreensChapter): string | null =>
  kind === 'form' || kind === 'detail'
    ? (screens.find((one) => one.entity === entity.id && one.kind === kind)?.route ?? null)
    : null;

/** Returns the definition with which the editor of a new screen or page begins. Pure. */
export function newDefinition(
  kind: NewKind,
  entity: Entity | undefined,
  entities: readonly Entity[],
  chapter: ScreensChapter,
  machines: ReadonlySet<string>,
): Definition {
  if (kind === 'dashboard') {
    const parts = (['number', 'bars', 'list'] as const)
      .map((part) => newPart(part, usualFirst(entities, machines)))
      .map((part) => ('title' in part && part.entity !== '' ? { ...part, title: titleOf(part) } : part))
      .map(withoutEmpty);
    return newPage({
      title: 'Overview',
      route: freeRoute('Overview', chapter),
      parts: entities.length > 0 ? parts : [],
    });
  }
  if (kind === 'public page') {
    const parts = [
      { kind: 'text' as const, text: '## Welcome\n\nSay here what the app is for.' },
      { kind: 'buttons' as const, routes: ['/account/sign-up'] },
    ];
    return newPage({
      ...{ title: 'Welcome', route: freeRoute('Welcome', chapter), parts, roles: ['anon', 'authenticated'] },
    });
  }
  const id = entity?.id ?? '';
  const rows = shortId(id).replaceAll(/["_]+/g, ' ').trim();
  const title = kind === 'list' ? `${rows.slice(0, 1).toUpperCase()}${rows.slice(1)}` : `${words[kind]} ${rows}`;
  const key = entity?.primary_key ?? [];
  const end =
    kind === 'form' ? '/new' : kind === 'detail' ? key.map((name) => `/:${encodeURIComponent(name)}`).join('') : '';
  const [starts, ends] = entity && kind === 'calendar' ? timesOf(entity) : [];
  const base =
    chapter.screens.find((one) => one.entity === id && one.kind === 'list')?.route ?? freeRoute(rows, chapter);
  return newScreen(kind, id, {
    ...{ title, route: end === '' ? freeRoute(title, chapter) : `${base}${end}` },
    ...(key.length > 0 && kind !== 'form' && kind !== 'detail' && { orderBy: key.join(',') }),
    ...(starts && ends && { starts: starts.name, ends: ends.name }),
  });
}

const words: Readonly<Record<'board' | 'calendar' | 'gallery' | 'form' | 'detail', string>> = {
  board: 'Board of',
  calendar: 'Calendar of',
  gallery: 'Gallery of',
  form: 'Add',
  detail: 'One row of',
};

function titleOf(part: RowsPart): string {
  const rows = shortId(part.entity).replaceAll(/["_]+/g, ' ').trim();
  const upper = `${rows.slice(0, 1).toUpperCase()}${rows.slice(1)}`;
  if (part.kind === 'list') return `Some ${rows}`;
  return part.kind === 'bars' ? `${upper} by ${part.by}` : upper;
}

/** Returns the route that a title suggests, with a number if another screen has it. Pure. */
export function freeRoute(title: string, { screens, pages = [] }: ScreensChapter): string {
  const plain = title
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const base = `/${plain || 'page'}`;
  const taken = new Set([...screens, ...pages].map(({ route }) => route));
  if (!taken.has(base)) return base;
  let n = 2;
  while (taken.has(`${base}-${n}`)) n++;
  return `${base}-${n}`;
}

/** Returns a copy of a definition at a free route, which is no first page. Pure. */
export function copyOf(item: Definition, chapter: ScreensChapter): Definition {
  const title = `${item.title}, copy`;
  return { ...item, title, route: freeRoute(title, chapter), home: false };
}

/** Sorts the entities by how likely a screen is about them: those with states, then those with the most rows. Pure. */
export function usualFirst(entities: readonly Entity[], machines: ReadonlySet<string>): Entity[] {
  const rows = ({ figures }: Entity) => figures?.rows_estimate ?? 0;
  const hasStates = ({ id }: Entity) => Number(machines.has(id));
  return [...entities].sort((a, b) => hasStates(b) - hasStates(a) || rows(b) - rows(a));
}
