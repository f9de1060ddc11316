import { IconLock } from '@tabler/icons-react';
import { classNames } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import { State, type States } from './state.tsx';
import styles from './transition-list.module.css';

/** A transition from the current state of a row. */
export interface Way {
  readonly name: string;
  readonly label: string;
  readonly to: string;
  readonly isOpen: boolean;
  /** The fields for which the transition asks, or the reason why it is not open; null if neither applies. */
  readonly note: string | null;
}

/** Lists the transitions of a row. An open transition is a button; any other transition is shown with the reason why it is not open. */
export function TransitionList({
  machine,
  ways,
  isBusy,
  notOpen,
  onTake,
}: {
  machine: States;
  ways: readonly Way[];
  isBusy: boolean;
  /** Text that screen readers read after the name of a transition that is not open. */
  notOpen: string;
  onTake: (name: string) => void;
}) {
  return (
    <ul className={styles.moves}>
      {ways.map(({ name, label, to, isOpen, note }) => (
        <li key={name}>
          {isOpen ? (
            <button
              type="button"
              className={styles.move}
              aria-disabled={isBusy || undefined}
              onClick={() => !isBusy && onTake(name)}
            >
              <b>{label}</b>
              <State machine={machine} state={to} />
              {note !== null && <small>{note}</small>}
            </button>
          ) : (
            <div className={classNames(styles.move, styles.off)}>
              <b>
                <Icon of={IconLock} small />
                {label}
                <span className="sr">, {notOpen}</span>
              </b>
              <State machine={machine} state={to} />
              {note !== null && <small>{note}</small>}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
