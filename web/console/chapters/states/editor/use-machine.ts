import { useState } from 'react';
import { type MachineDesign, newTransition, type TransitionDesign } from './machine-design.ts';

/** The machine in the form, and the functions that change it. */
export interface MachineState {
  readonly design: MachineDesign;
  readonly canUndo: boolean;
  readonly undo: () => void;
  readonly set: (part: Partial<MachineDesign>) => void;
  readonly addState: (name: string) => void;
  readonly renameState: (from: string, to: string) => void;
  readonly removeState: (name: string) => void;
  readonly draw: (from: string, to: string) => void;
  readonly add: (transition: TransitionDesign) => void;
  readonly setTransition: (key: string, part: Partial<TransitionDesign>) => void;
  readonly removeTransition: (key: string) => void;
}

const without = (names: readonly string[] | null, name: string) => names?.filter((one) => one !== name) ?? null;

export function useMachine(initial: MachineDesign): MachineState {
  const [designs, setDesigns] = useState<readonly MachineDesign[]>([initial]);
  const design = designs.at(-1) ?? initial;
  const change = (how: (before: MachineDesign) => Partial<MachineDesign>) =>
    setDesigns((all) => {
      const last = all.at(-1) ?? initial;
      return [...all, { ...last, ...how(last) }];
    });
  const swap = (from: string, to: string) => (name: string) => (name === from ? to : name);
  return {
    design,
    canUndo: designs.length > 1,
    undo: () => setDesigns((all) => (all.length > 1 ? all.slice(0, -1) : all)),
    set: (part) => change(() => part),
    addState: (name) => change(({ states }) => ({ states: [...states, name] })),
    renameState: (from, to) =>
      change(({ states, transitions, initial: first, moves }) => ({
        states: states.map(swap(from, to)),
        initial: swap(from, to)(first),
        transitions: transitions.map((one) => ({
          ...{ ...one, to: swap(from, to)(one.to) },
          from: one.from?.map(swap(from, to)) ?? null,
        })),
        // The rows of the renamed state follow its name.
        moves: { ...Object.fromEntries(Object.entries(moves).map(([of, at]) => [of, swap(from, to)(at)])), [from]: to },
      })),
    removeState: (name) =>
      change(({ states, transitions }) => ({
        states: states.filter((one) => one !== name),
        transitions: transitions
          .filter(({ to }) => to !== name)
          .map((one) => ({ ...one, from: without(one.from, name) }))
          .filter(({ from }) => from === null || from.length > 0),
      })),
    draw: (from, to) => change(({ transitions }) => ({ transitions: [...transitions, newTransition(from, to)] })),
    add: (transition) => change(({ transitions }) => ({ transitions: joined(transitions, transition) })),
    setTransition: (key, part) =>
      change(({ transitions }) => ({
        transitions: transitions.map((one) => (one.key === key ? { ...one, ...part } : one)),
      })),
    removeTransition: (key) =>
      change(({ transitions }) => ({ transitions: transitions.filter((one) => one.key !== key) })),
  };
}

/** Adds the start of a transition to the one with the same name and target, if there is one. */
function joined(all: readonly TransitionDesign[], added: TransitionDesign): readonly TransitionDesign[] {
  const same = all.find(({ name }) => name === added.name);
  if (!same) return [...all, added];
  const from = [...(same.from ?? []), ...(added.from ?? [])];
  return same.to === added.to
    ? all.map((one) => (one === same ? { ...one, from } : one))
    : [...all, { ...added, name: `${added.name} from ${added.from?.join(' or ') ?? 'any'}` }];
}
