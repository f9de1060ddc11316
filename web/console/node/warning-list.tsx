import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import styles from './node.module.css';

interface Warning {
  readonly id: string;
  readonly isError: boolean;
  readonly title: string;
  readonly detail: string;
}

/** List of what needs attention; nothing if the list is empty. `children` draws the button of a warning. */
export function WarningList<W extends Warning>({
  warnings,
  children,
}: {
  warnings: readonly W[];
  children: (warning: W) => ReactNode;
}) {
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="Needs attention">
      {warnings.map((warning) => (
        <li key={warning.id}>
          <span className={warning.isError ? styles.bad : styles.late}>
            <Icon of={warning.isError ? IconAlertCircle : IconAlertTriangle} />
          </span>
          <p>
            <b>{warning.title}</b>
            <small>{warning.detail}</small>
          </p>
          {children(warning)}
        </li>
      ))}
    </ul>
  );
}
