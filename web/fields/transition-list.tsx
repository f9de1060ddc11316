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
  /** The fields that it asks for, or the reason why it is not open; null if there is nothing to say. */
  readonly note: string | null;
}

/** Lists transitions of a row: those that are open as buttons, the others with their reason. */
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
  /** Text for screen readers after the name of a transition that is not open. */
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
