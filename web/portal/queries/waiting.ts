import { queryOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalField, PortalMachine, PortalScreens } from '../../../contract/portal.ts';
import { quoted, quotedText } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { isPerson } from './member-names.ts';
import { listParams } from './query.ts';
import { callRest, type Row, type Rows } from './rest.ts';
import { rowsKey } from './rows.ts';
import { entityIn, rowPath } from './screens.ts';
import { waysOf } from './transitions.ts';

/** Max number of rows of an entity among which the home page looks for those that wait for the member. */
const READ_ROWS = 50;

/** An entity with a state machine whose transitions the caller's roles may use. */
export type MovableEntity = PortalEntity & { readonly machine: PortalMachine };

/** Returns the entities whose rows can wait for the caller. */
export const movableEntities = ({ entities }: PortalScreens): MovableEntity[] =>
  entities.filter(
    (entity): entity is MovableEntity =>
      entity.machine !== null &&
      entity.machine.transitions.length > 0 &&
      entity.access.select.open &&
      entity.key.length > 0,
  );

/** Returns the states from which the caller's roles may move a row that is not finished. */
function openStates({ states, transitions }: PortalMachine): string[] {
  const starts = (state: string) => transitions.some(({ from, to }) => to !== state && (from?.includes(state) ?? true));
  return states.filter(({ value, final }) => !final && starts(value)).map(({ value }) => value);
}

/** Returns the readable fields with the account of a member, or with a row for a member. */
export const personFields = (all: PortalScreens, { fields }: PortalEntity): PortalField[] =>
  fields.filter(({ readable, editor, reference }) => {
    const target = reference && entityIn(all, reference.entity);
    return readable && (editor === 'member' || (target ? isPerson(all, target, 0) : false));
  });

/** Returns the field whose order puts the most urgent row first: the time of an event, else the time of the insert. */
const pressingField = ({ title_fields: titles, fields }: PortalEntity): PortalField | undefined => {
  const times = fields.filter(({ readable, editor }) => readable && (editor === 'date and time' || editor === 'date'));
  return times.find(({ name }) => titles.includes(name)) ?? times.find((field) => field.filled_by === 'database');
};

/** Reads the unfinished rows of an entity that the caller's roles may move, the most urgent first. */
export const unfinishedRows = (portal: Portal, all: PortalScreens, entity: MovableEntity) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'unfinished'],
    queryFn: (): Promise<Rows> => {
      const { machine } = entity;
      const required = machine.transitions.flatMap(({ requires, presumes = [] }) => [...requires, ...presumes]);
      const people = personFields(all, entity).map(({ name }) => name);
      const pressing = pressingField(entity);
      const params = listParams(all, entity, [...required, ...people, ...(pressing ? [pressing.name] : [])], {
        filter: null,
        order: pressing ? quoted(pressing.name) : null,
        conditions: { [machine.field]: `in.(${openStates(machine).map(quotedText).join(',')})` },
        search: '',
      });
      if (machine.undecided === null) params.set('select', `${params.get('select')},transitions,state_changes`);
      params.set('limit', String(READ_ROWS));
      return callRest(portal, entity, { params });
    },
  });

/** Reads the newest rows of an entity with their state changes. */
export const recentRows = (portal: Portal, all: PortalScreens, entity: MovableEntity) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'recent'],
    queryFn: (): Promise<Rows> => {
      const written = entity.fields.findLast(({ readable, filled_by: by }) => readable && by === 'database');
      const order = written ? `${quoted(written.name)}.desc` : entity.key.map((name) => `${quoted(name)}.desc`).join();
      const params = listParams(all, entity, [], { filter: null, order, conditions: {}, search: '' });
      params.set('select', `${params.get('select')},state_changes`);
      params.set('limit', String(READ_ROWS));
      return callRest(portal, entity, { params });
    },
    enabled: entity.machine.undecided === null,
  });

/**
 * A row that the caller can move. `own`: it waits for the caller. `team`: it waits for any member of the caller's team.
 * `underway`: it is the caller's own, and the caller can only do with it what its owner always may, such as withdraw it.
 */
export interface WaitingRow {
  readonly row: Row;
  readonly kind: 'own' | 'team' | 'underway';
}

/** Matches the condition of a transition that belongs to the owner of a row. */
const OF_OWNER = /^own row\b/;

/**
 * Returns the rows that wait for a member: the rows with an open transition that name the member, and those that no
 * member has taken. A row that another member has taken waits for that member. Pure.
 */
export function waitingRows(
  all: PortalScreens,
  entity: MovableEntity,
  rows: readonly Row[],
  callerId: string | null,
): WaitingRow[] {
  const people = personFields(all, entity);
  // A member can be entered later only into a field that may be empty, such as the assignee of a ticket.
  const takers = people.filter(({ nullable }) => nullable);
  return rows.flatMap((row): WaitingRow[] => {
    const open = waysOf(entity.machine, row).filter((way) => way.isOpen);
    const isOwn = callerId !== null && people.some(({ name }) => row[name] === callerId);
    const isTaken = takers.some(({ name }) => row[name] != null);
    if (open.length === 0 || (!isOwn && isTaken) || rowPath(all, entity, row) === null) return [];
    const isUnderway = isOwn && open.every(({ transition: { when } }) => when !== null && OF_OWNER.test(when));
    return [{ row, kind: isUnderway ? 'underway' : isOwn ? 'own' : 'team' }];
  });
}
