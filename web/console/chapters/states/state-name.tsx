import type { CSSProperties } from 'react';
import type { Machine } from '../../../../contract/states.ts';
import type { Colour } from '../../diagram/graph.ts';
import styles from './state-name.module.css';

/** The colours of states that are not final, in the order in which the machine has its states. */
const colours: readonly Colour[] = ['d-4', 'd-1', 'd-2', 'd-3', 'd-5'];

/** Returns the colour of a state, the only one on every page. Final states and values that are no state are grey. */
export function colourOf({ states }: Machine, name: string): Colour {
  const at = states.findIndex((state) => state.name === name);
  return states[at]?.final === false ? (colours[at % colours.length] ?? 'd-6') : 'd-6';
}

/** Returns whether the machine has a state of this name: a row may hold another value from before the machine. */
export const isState = ({ states }: Machine, name: string): boolean => states.some((state) => state.name === name);

/** A state beside its colour. */
export function StateName({ machine, name }: { machine: Machine; name: string }) {
  return (
    <span className={styles.state} style={{ '--state': `var(--${colourOf(machine, name)})` } as CSSProperties}>
      {name}
    </span>
  );
}
