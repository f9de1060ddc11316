import type { PortalEntity, PortalMachine, PortalScreens, PortalTransition } from '../../../contract/portal.ts';
import { quoted } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { keysParams, selectOf } from './query.ts';
import { callRest, type Row } from './rest.ts';
import { missingFor, waysOf } from './transitions.ts';

/** Reads the rows with these keys: every field that the caller may read, and the transitions that the caller may make. */
export async function readRows(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const params = keysParams(entity, rows);
  const fields = entity.fields.filter(({ readable }) => readable).map(({ name }) => name);
  params.set('select', `${selectOf(all, entity, fields)}${entity.machine?.undecided === null ? ',transitions' : ''}`);
  return (await callRest(portal, entity, { params })).rows;
}

/** A transition that can be made for several selected rows. */
export interface SharedWay {
  readonly transition: PortalTransition;
  /** The rows for which the member may make the transition, and which have the fields that it requires. */
  readonly ready: readonly Row[];
  /** Number of rows for which the member may make the transition, but which lack a required field. */
  readonly incomplete: number;
}

/** Returns the transitions that the member may make for at least one of the rows, also if that row lacks a required field. Pure. */
export function sharedWays(machine: PortalMachine, rows: readonly Row[]): SharedWay[] {
  return machine.transitions.flatMap((transition) => {
    const open = rows.filter((row) =>
      waysOf(machine, row).some((way) => way.isOpen && way.transition.name === transition.name),
    );
    const ready = open.filter((row) => missingFor(transition, row).length === 0);
    return open.length === 0 ? [] : [{ transition, ready, incomplete: open.length - ready.length }];
  });
}

/**
 * Makes a transition of several rows, with one request for the rows of each state. A row is changed only if it is still
 * in the state that was read. Returns the number of changed rows.
 */
export async function moveRows(
  portal: Portal,
  entity: PortalEntity,
  machine: PortalMachine,
  rows: readonly Row[],
  to: string,
): Promise<number> {
  const states = new Set(rows.map((row) => String(row[machine.field])));
  let moved = 0;
  for (const state of states) {
    const params = keysParams(
      entity,
      rows.filter((row) => String(row[machine.field]) === state),
    );
    params.append(quoted(machine.field), `eq.${state}`);
    params.set('select', entity.key.map(quoted).join(','));
    const body = { [machine.field]: to };
    moved += (await callRest(portal, entity, { method: 'PATCH', params, body, prefer: 'return=representation' })).rows
      .length;
  }
  return moved;
}

/** Deletes rows. Returns the number of deleted rows. */
export async function removeRows(portal: Portal, entity: PortalEntity, rows: readonly Row[]): Promise<number> {
  const params = keysParams(entity, rows);
  params.set('select', entity.key.map(quoted).join(','));
  return (await callRest(portal, entity, { method: 'DELETE', params, prefer: 'return=representation' })).rows.length;
}

/**
 * Returns a function that moves rows back to the states that they had before a transition. Returns undefined if the
 * member may not do so for each row.
 * @param before The rows before their transition.
 */
export async function undoMoves(
  portal: Portal,
  all: PortalScreens,
  { entity, machine }: { entity: PortalEntity; machine: PortalMachine },
  before: readonly Row[],
): Promise<(() => Promise<unknown>) | undefined> {
  const now = await readRows(portal, all, entity, before);
  const keyText = (row: Row) => JSON.stringify(entity.key.map((name) => row[name]));
  const former = new Map(before.map((row) => [keyText(row), String(row[machine.field])]));
  const canReturn = (row: Row) =>
    waysOf(machine, row).some(
      ({ transition, isOpen }) =>
        isOpen && transition.to === former.get(keyText(row)) && missingFor(transition, row).length === 0,
    );
  if (now.length < before.length || !now.every(canReturn)) return undefined;
  return async () => {
    for (const state of new Set(former.values())) {
      const rows = now.filter((row) => former.get(keyText(row)) === state);
      await moveRows(portal, entity, machine, rows, state);
    }
  };
}
