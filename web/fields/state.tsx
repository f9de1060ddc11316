import styles from './state.module.css';

/** The states of a machine, in the order of chapter 4, and the state of a new row. */
export interface States {
  readonly states: readonly { readonly value: string; readonly label: string; readonly final: boolean }[];
  readonly initial: string;
}

/** A colour for data, as the design tokens name it. */
export type StateColour = 'd-1' | 'd-2' | 'd-3' | 'd-4' | 'd-5' | 'd-6';

/** The colours of states, by the order of the states. The first is vermilion, because rows in the first state wait for a response. */
const colours: readonly StateColour[] = ['d-4', 'd-1', 'd-2', 'd-3', 'd-5'];

/**
 * Returns the colour of a state. It is the same on every page of the console and of the portal. Final states, the last
 * of four or more states, and values that are no state are grey.
 */
export function stateColour({ states, initial }: States, value: string): StateColour {
  const state = states.find((one) => one.value === value);
  if (!state || (state.final && value !== initial)) return 'd-6';
  if (value === states.at(-1)?.value && states.length > 3) return 'd-6';
  const open = states.filter((one) => one.value === initial || !one.final);
  return colours[open.indexOf(state) % colours.length] ?? 'd-6';
}

/** Shows a state with its colour. */
export function State({
  machine,
  state,
  isBare = false,
}: {
  machine: States;
  state: string;
  /** True to show only the colour, because a text beside it names the state. */
  isBare?: boolean;
}) {
  return (
    <span className={styles.state} style={{ '--c': `var(--${stateColour(machine, state)})` } as React.CSSProperties}>
      {!isBare && (machine.states.find(({ value }) => value === state)?.label ?? state)}
    </span>
  );
}
