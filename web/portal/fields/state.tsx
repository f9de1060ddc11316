import type { PortalMachine } from '../../../contract/portal.ts';
import { textOf } from './format.ts';
import styles from './state.module.css';

/**
 * Data colours by the order of the states; final states are grey. The first of five or more states is vermilion,
 * because its rows wait for a member.
 */
const colours = ['var(--d-4)', 'var(--d-1)', 'var(--d-2)', 'var(--d-3)', 'var(--d-5)'];

/** Returns the colour of a state. */
export function stateColour({ states, initial }: PortalMachine, value: string): string {
  const state = states.find((one) => one.value === value);
  if (!state || (state.final && value !== initial)) return 'var(--d-6)';
  const open = states.filter((one) => one.value === initial || !one.final);
  const place = open.findIndex((one) => one.value === value);
  const isLast = value === states.at(-1)?.value && states.length > 3;
  return isLast ? 'var(--d-6)' : (colours[place % colours.length] ?? 'var(--d-6)');
}

/** Shows a state with its colour. */
export function State({ machine, state }: { machine: PortalMachine; state: string }) {
  return (
    <span className={styles.state} style={{ '--c': stateColour(machine, state) } as React.CSSProperties}>
      {machine.states.find(({ value }) => value === state)?.label ?? textOf({ editor: 'text', values: null }, state)}
    </span>
  );
}
