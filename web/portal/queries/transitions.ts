import { mutationOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalMachine, PortalTransition } from '../../../contract/portal.ts';
import { quoted } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { keyOf, keyParams } from './query.ts';
import { callRest, type Row } from './rest.ts';
import { queryClient } from './session.ts';

/** A transition from the current state of a row, and whether this member may make it now. */
export interface Way {
  readonly transition: PortalTransition;
  readonly isOpen: boolean;
}

/**
 * Returns the transitions from the current state of a row. The server has decided for each whether the member may make
 * it, unless the member may not read the complete row.
 */
export function waysOf(machine: PortalMachine, row: Row): Way[] {
  const state = row[machine.field];
  const judged = Array.isArray(row.transitions) ? (row.transitions as { field: string; name: string }[]) : [];
  const open = new Set(judged.filter(({ field }) => field === machine.field).map(({ name }) => name));
  const isOpen = ({ name, presumes = [] }: PortalTransition) =>
    (machine.undecided ? !machine.undecided.includes(name) : open.has(name)) &&
    presumes.every((field) => !isEmpty(row[field]));
  return machine.transitions
    .filter(({ from, to }) => to !== state && (from === null || from.includes(String(state))))
    .map((transition) => ({ transition, isOpen: isOpen(transition) }));
}

/** Returns the fields that a transition requires and that have no value in the row. */
export const missingFor = ({ requires }: PortalTransition, row: Row): string[] =>
  requires.filter((name) => isEmpty(row[name]));

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** A state change of a row, with the values of the fields that the transition requires. */
export interface Move {
  readonly row: Row;
  readonly to: string;
  readonly values: Row;
}

/**
 * The result of a transition. `changed`: the row has another state than the one that was shown, or is missing.
 * `refused`: the row is as it was shown, so a rule of the app does not allow the transition.
 */
type MoveResult = 'moved' | 'changed' | 'refused';

/**
 * Makes a transition of a row if the row is still in the state that was read. If no row was changed, reads the row once
 * more and compares its state.
 */
export async function moveRow(
  portal: Portal,
  entity: PortalEntity,
  machine: PortalMachine,
  { row, to, values }: Move,
): Promise<MoveResult> {
  const params = keyParams(keyOf(entity, row));
  params.append(quoted(machine.field), `eq.${String(row[machine.field])}`);
  params.set('select', entity.key.map(quoted).join(','));
  const body = { ...values, [machine.field]: to };
  const changed = await callRest(portal, entity, { method: 'PATCH', params, body, prefer: 'return=representation' });
  if (changed.rows.length > 0) return 'moved';
  const there = new URLSearchParams([...keyParams(keyOf(entity, row)), ['select', quoted(machine.field)]]);
  const [now] = (await callRest(portal, entity, { params: there })).rows;
  return now !== undefined && now[machine.field] === row[machine.field] ? 'refused' : 'changed';
}

/** Makes a transition of a row, and then reads all shown rows again. */
export const takeTransition = (portal: Portal, entity: PortalEntity, machine: PortalMachine) =>
  mutationOptions({
    mutationFn: (move: Move) => moveRow(portal, entity, machine, move),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['rows'] }),
  });
