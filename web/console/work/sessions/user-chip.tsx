import { IconX } from '@tabler/icons-react';
import { Icon } from '../../../ui/icon.tsx';
import styles from './user-chip.module.css';

/** Only the sessions of one user are in the list; the cross shows those of everybody again. */
export function UserChip({ who, onRemove }: { who: string; onRemove: () => void }) {
  return (
    <span className={styles.chip}>
      <span className={styles.name}>user</span>
      <span>is</span>
      <span className={styles.value}>{who}</span>
      <button type="button" aria-label="Show the sessions of everybody" onClick={onRemove}>
        <Icon of={IconX} small />
      </button>
    </span>
  );
}
