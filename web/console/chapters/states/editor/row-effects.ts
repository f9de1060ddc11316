import type { Machine } from '../../../../../contract/states.ts';
import { count, counted } from '../../../format/format.ts';
import { type MachineDesign, newTransition, type TransitionDesign, usedStates } from './machine-design.ts';

/** An effect that a changed machine has on existing rows. */
export interface RowEffect {
  readonly key: string;
  /** `lost`: rows have a state that the machine lacks. `shut`: rows lose a way. `stuck`: rows stay for good. */
  readonly kind: 'fine' | 'lost' | 'shut' | 'stuck' | 'unreached';
  readonly words: string;
  /** The state whose rows need another one. */
  readonly state?: string;
  /** A transition that keeps the way open. */
  readonly keep?: TransitionDesign;
}

/** Returns what the changes of a machine mean for the rows in its states, the most severe first. Pure. */
export function rowEffects(before: Machine | null, design: MachineDesign): RowEffect[] {
  const rows = before?.figures?.rows ?? {};
  const used = usedStates(design);
  const held = Object.keys(rows).filter((state) => (rows[state] ?? 0) > 0);
  const lost = held.filter((state) => !used.has(state) && !Object.hasOwn(design.moves, state));
  const leads = (from: string, to: string) =>
    design.transitions.some((one) => one.to === to && from !== to && (one.from === null || one.from.includes(from)));
  const isLeft = (state: string) => design.states.some((to) => leads(state, to));
  const wasFinal = (state: string) => before?.states.some(({ name, final }) => name === state && final) ?? false;
  return [
    ...lost.map(
      (state): RowEffect => ({
        ...{ key: `lost ${state}`, kind: 'lost', state },
        words: `${counted(rows[state] ?? 0, 'row')} in ${state} would have no state. Choose where they go.`,
      }),
    ),
    ...shutWays(before, design, leads),
    ...design.states
      .filter((state) => used.has(state) && !isLeft(state) && !wasFinal(state) && state !== design.initial)
      .map(
        (state): RowEffect => ({
          key: `stuck ${state}`,
          kind: 'stuck',
          words: `Nothing leaves ${state}: rows that reach it stay.`,
        }),
      ),
    ...design.states
      .filter((state) => !used.has(state))
      .map(
        (state): RowEffect => ({
          key: `unreached ${state}`,
          kind: 'unreached',
          words: `No transition leads to ${state} or from it. It is left out until you draw one.`,
        }),
      ),
    ...(before && lost.length === 0
      ? [
          {
            ...{ key: 'fine', kind: 'fine' as const },
            words: `No row loses its state. ${held.length === 0 ? 'There are no rows.' : `All ${counted(held.length, 'state')} with rows stay.`}`,
          },
        ]
      : []),
  ];
}

/** Returns the pairs of states that a transition of the old machine connects and none of the new one. */
function shutWays(
  before: Machine | null,
  design: MachineDesign,
  leads: (from: string, to: string) => boolean,
): RowEffect[] {
  const used = usedStates(design);
  return (before?.transitions ?? []).flatMap(({ name, to, ...old }) =>
    (before?.states ?? []).flatMap(({ name: from }): RowEffect[] => {
      const wasOpen = from !== to && (old.from === null || old.from.includes(from));
      if (!wasOpen || leads(from, to) || !used.has(from) || !used.has(to)) return [];
      const waiting = before?.figures?.rows?.[from] ?? 0;
      const times = before?.figures?.state_changes.find((one) => one.from === from && one.to === to)?.count ?? 0;
      return [
        {
          ...{ key: `shut ${from} ${to}`, kind: 'shut' },
          words: `${count(waiting)} in ${from} can no longer go straight to ${to}${times > 0 ? `; that occurred ${counted(times, 'time')} in 30 days` : ''}.`,
          keep: {
            ...newTransition(from, to),
            ...{ name, roles: old.roles, requires: old.requires, sets: old.sets, when: old.when?.sql ?? '' },
          },
        },
      ];
    }),
  );
}
