import type { PortalEntity, PortalMachine, PortalScreens } from '../../../contract/portal.ts';
import { oneOf, quoted } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { filesOf } from './files.ts';
import { keyOf } from './query.ts';
import { callRest, type Row } from './rest.ts';
import { readRow } from './rows.ts';
import { entityIn, fieldIn } from './screens.ts';
import { queryClient } from './session.ts';
import { missingFor, moveRow, waysOf } from './transitions.ts';

/**
 * Returns a function that undoes a transition of a row by the opposite transition. Returns undefined if the member may
 * not make that transition now.
 * @param before The row before the transition.
 */
export async function undoTransition(
  portal: Portal,
  all: PortalScreens,
  { entity, machine }: { entity: PortalEntity; machine: PortalMachine },
  before: Row,
): Promise<(() => Promise<unknown>) | undefined> {
  const now = await readRow(portal, all, entity, keyOf(entity, before));
  const back =
    now &&
    waysOf(machine, now).find(
      ({ transition, isOpen }) =>
        isOpen && transition.to === before[machine.field] && missingFor(transition, now).length === 0,
    );
  if (!back) return undefined;
  return async () => {
    const result = await moveRow(portal, entity, machine, { row: now, to: back.transition.to, values: {} });
    await queryClient.invalidateQueries({ queryKey: ['rows'] });
    if (result !== 'moved') throw new Error('The row has changed.');
  };
}

/**
 * Returns a function that adds deleted rows again. Returns undefined if the new rows would differ from the deleted
 * ones: the member must be allowed to write each field that has a value, unless PostgreSQL generates it, and no row may
 * have referenced the deleted rows.
 * @param rows The complete rows before their deletion.
 */
export async function undoDeletion(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  rows: readonly Row[],
): Promise<(() => Promise<unknown>) | undefined> {
  const state = entity.machine?.field;
  const filled = entity.fields.filter(({ name, readable }) => readable && rows.some((row) => row[name] != null));
  const isInitial = rows.every((row) => state === undefined || row[state] === entity.machine?.initial);
  const isSame = filled.every((field) => field.insertable || (field.name === state ? isInitial : !field.required));
  // The files of a deleted row are deleted with it.
  const hasFiles = filesOf(entity, rows).length > 0;
  if (!entity.access.insert.open || !isSame || hasFiles || (await areReferenced(portal, all, entity, rows)))
    return undefined;
  const names = filled.filter(({ insertable }) => insertable).map(({ name }) => name);
  const body = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  return async () => {
    await callRest(portal, entity, { method: 'POST', body, prefer: 'return=minimal' });
    await queryClient.invalidateQueries({ queryKey: ['rows'] });
  };
}

async function areReferenced(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  rows: readonly Row[],
): Promise<boolean> {
  const found = await Promise.all(
    entity.related.map(async ({ entity: id, field }) => {
      const other = entityIn(all, id);
      const target = other && fieldIn(other, field)?.reference?.field;
      if (!other || target === undefined) return false;
      const params = new URLSearchParams({ [quoted(field)]: oneOf(rows.map((row) => row[target])) });
      params.set('select', quoted(field));
      params.set('limit', '1');
      return (await callRest(portal, other, { params })).rows.length > 0;
    }),
  );
  return found.includes(true);
}
