import type { Screen } from '../../../../contract/description.ts';
import type { PortalCalendar, PortalFreeTimes } from '../../../../contract/portal.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { entityId, idOf, sqlName } from '../../../catalog/names.ts';
import type { MemberCaller } from '../../derive/chapters/roles/roles.ts';
import { type ActionSources, keyNamed } from './member-actions.ts';
import type { OpenEntity } from './member-entities.ts';

type Span = NonNullable<Screen['span']>;

interface CalendarSources {
  readonly chapters: Chapters;
  /** The entities that the caller may read or write, by id. */
  readonly open: ReadonlyMap<string, OpenEntity>;
  readonly caller: MemberCaller;
  /** Returns true if members without roles may add rows to an entity. */
  readonly mayMembersAdd: (id: string) => boolean;
}

/** Returns the rows and times of a calendar, without its free times. Contains only names that the caller may know. */
export function memberCalendar(
  { chapters, open, caller, mayMembersAdd }: CalendarSources,
  shown: Entity,
  span: Span,
): Omit<PortalCalendar, 'free'> {
  const entities = chapters.entities?.entities ?? [];
  const isReadable = (entity: Entity | undefined): entity is Entity => {
    const read = entity && open.get(entity.id)?.rights.read;
    return read?.has(span.start) === true && read.has(span.end);
  };
  const base = entities.find((entity) => isTimesOf(chapters, shown, entity, span));
  const table = base ?? shown;
  const taken = base ? shown : entities.find((view) => isReadable(view) && isTimesOf(chapters, view, table, span));
  return {
    rows: isReadable(table) ? table.id : null,
    taken: taken?.id ?? null,
    of: dividedBy(chapters, open, table, taken ?? shown),
    invites: caller.role === 'anon' && mayMembersAdd(table.id),
  };
}

/** Returns the fields of a table that are its references to single rows. */
const referencesOf = ({ entities }: Chapters, { schema, name }: Entity) =>
  (entities?.relations ?? []).flatMap(({ from, to }) => {
    const [field, key] = [from.fields[0], to.fields[0]];
    return from.schema === schema &&
      from.entity === name &&
      from.fields.length === 1 &&
      field !== undefined &&
      key !== undefined
      ? [{ field, key, entity: entityId(to.schema, to.entity) }]
      : [];
  });

/**
 * Returns true for a view that contains nothing of the rows of a table except their times, their key, and what they
 * refer to. Its rows are taken times: they say neither who has a time nor why.
 */
function isTimesOf(chapters: Chapters, view: Entity, table: Entity, span: Span): boolean {
  if (!/view$/.test(view.kind) || !/table$/.test(table.kind)) return false;
  const isOfTable = (chapters.entities?.view_foreign_keys ?? []).some(
    (key) => key.view === view.id && key.side === 'from' && entityId(key.from.schema, key.from.entity) === table.id,
  );
  const names = new Set(view.fields.map(({ name }) => name));
  const references = referencesOf(chapters, table).map(({ field }) => field);
  const allowed = new Set([span.start, span.end, ...table.primary_key, ...references]);
  return isOfTable && names.has(span.start) && names.has(span.end) && [...names].every((name) => allowed.has(name));
}

/** Returns the only required reference of a table, if the caller may read it and the rows to which it refers. */
function dividedBy(
  chapters: Chapters,
  open: CalendarSources['open'],
  table: Entity,
  shown: Entity,
): PortalCalendar['of'] {
  const isRequired = (name: string) => table.fields.some((field) => field.name === name && !field.nullable);
  const [one, ...others] = referencesOf(chapters, table).filter(
    ({ field, key, entity }) => isRequired(field) && open.get(entity)?.rights.read.has(key) === true,
  );
  return one && others.length === 0 && open.get(shown.id)?.rights.read.has(one.field) === true ? one : null;
}

/**
 * Returns the function of a calendar that returns free times, and its id. It is one of the screen's actions: it takes the
 * key of the row by which the calendar is divided and two times, and returns a table with the fields of the span.
 */
export function freeTimesOf(
  { facts, cells, open }: ActionSources,
  actions: readonly string[],
  of: PortalCalendar['of'],
  { start, end }: Span,
): { readonly id: string; readonly call: PortalFreeTimes } | null {
  const callable = new Set(
    cells.flatMap(({ operation, verdict, entity }) => (operation === 'execute' && verdict !== 'never' ? [entity] : [])),
  );
  const owner = of && open.get(of.entity);
  for (const routine of facts.routines) {
    const id = entityId(routine.schema, routine.name);
    if (!actions.includes(id) || !callable.has(idOf(routine))) continue;
    const [from, to, ...more] = routine.inputs.filter(({ type }) => isTime(type));
    const [key, ...others] = routine.inputs.filter(({ type }) => !isTime(type));
    const isDivided = owner ? key !== undefined && keyNamed(owner, key) !== null : key === undefined;
    const fields = [start, end].map((name) => `${sqlName(name)} ${from?.type}`).join(', ');
    if (!from || !to || more.length > 0 || others.length > 0 || !isDivided) continue;
    if (routine.result !== `TABLE(${fields})`) continue;
    const [first] = facts.exposedSchemas;
    const schema = routine.schema === first ? null : routine.schema;
    return { id, call: { schema, name: routine.name, of: key?.name ?? null, from: from.name, to: to.name } };
  }
  return null;
}

const isTime = (type: string): boolean => /^(date$|timestamp)/.test(type);
