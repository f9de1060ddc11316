import type { Machine } from '../../../../contract/states.ts';
import { State, type StateColour, type States, stateColour } from '../../../fields/state.tsx';

/** Returns the states as the shared components take them. The console shows the names of the database. */
export const statesOf = ({ states, initial }: Machine): States => ({
  states: states.map(({ name, final }) => ({ value: name, label: name, final })),
  initial,
});

/** Returns the colour of a state, which is the same on every page. */
export const colourOf = (machine: Machine, name: string): StateColour => stateColour(statesOf(machine), name);

/** Returns true if the machine has a state of this name. A row from before the machine may contain another value. */
export const isState = ({ states }: Machine, name: string): boolean => states.some((state) => state.name === name);

/** Shows the name of a state with its colour. */
export const StateName = ({
  machine,
  name,
  isBare = false,
}: {
  machine: Machine;
  name: string;
  /** Shows only the colour. */
  isBare?: boolean;
}) => <State machine={statesOf(machine)} state={name} isBare={isBare} />;
