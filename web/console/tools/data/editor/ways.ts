import type { Machine, Transition } from '../../../../../contract/states.ts';
import { listed } from '../../../format/format.ts';
import type { Row } from '../../../queries/rows/row.ts';
import type { RowStates } from '../../../queries/rows/row-states.ts';

/** A transition of a row's machine, and whether the caller may make the transition now. */
export interface RowWay {
  readonly transition: Transition;
  readonly isOpen: boolean;
  /** Fields that the transition requires and that have no value in the row. */
  readonly missing: readonly string[];
  /** The fields that an open transition asks for, or the reason why the transition is not open. */
  readonly note: string | null;
}

/**
 * Returns the transitions that can change the state of a row. The open transitions are first; each of the others has
 * the reason why it is not open. Pure.
 * @param states Null while the server has not responded; then no transition is open.
 */
export function waysOf(machine: Machine, row: Row, states: RowStates | null): RowWay[] {
  const state = row[machine.field] ?? null;
  const open = new Set(states?.transitions.filter(({ field }) => field === machine.field).map(({ name }) => name));
  const ways = machine.transitions
    .filter(({ to }) => to !== state)
    .map((transition): RowWay => {
      const isOpen = open.has(transition.name);
      const missing = transition.requires.filter((name) => (row[name] ?? '') === '');
      const asks = missing.length > 0 ? `asks for ${listed(missing)}` : null;
      return { transition, isOpen, missing, note: isOpen ? asks : closedBecause(transition, state) };
    });
  return [...ways.filter(({ isOpen }) => isOpen), ...ways.filter(({ isOpen }) => !isOpen)];
}

/**
 * Returns the reason why a transition is not open: the row is in another state, or the caller lacks a role or does not
 * meet the condition.
 */
function closedBecause({ from, roles, when }: Transition, state: string | null): string {
  if (from !== null && !from.includes(state ?? '')) return `only from ${listed(from, 'or')}`;
  const reasons = [
    ...(roles === null ? [] : [`needs the role ${listed(roles, 'or')}`]),
    ...(when === null ? [] : [`only when ${when.words}`]),
  ];
  return reasons.length === 0 ? 'not possible now' : reasons.join(', ');
}
