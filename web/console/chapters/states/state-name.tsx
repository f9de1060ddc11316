import type { CSSProperties } from 'react';
import type { Machine } from '../../../../contract/states.ts';
import type { Colour } from '../../diagram/graph.ts';
import styles from './state-name.module.css';

/** The colours of the states that are not final, in the order of the machine's states. */
const colours: readonly Colour[] = ['d-4', 'd-1', 'd-2', 'd-3', 'd-5'];

/**
 * Returns the colour of a state, which is the same on every page. Final states and values that are no state are grey.
 */
export function colourOf({ states }: Machine, name: string): Colour {
  const at = states.findIndex((state) => state.name === name);
  return states[at]?.final === false ? (colours[at % colours.length] ?? 'd-6') : 'd-6';
}

/** Returns true if the machine has a state of this name. A row from before the machine may contain another value. */
export const isState = ({ states }: Machine, name: string): boolean => states.some((state) => state.name === name);

/** Shows the name of a state with its colour. */
export function StateName({ machine, name }: { machine: Machine; name: string }) {
  return (
    <span className={styles.state} style={{ '--state': `var(--${colourOf(machine, name)})` } as CSSProperties}>
      {name}
    </span>
  );
}
