import { IconX } from '@tabler/icons-react';
import styles from '../../../ui/chip.module.css';
import { Icon } from '../../../ui/icon.tsx';
import own from './user-chip.module.css';

/** Chip of the filter by user, with a button that removes the filter. */
export function UserChip({ who, onRemove }: { who: string; onRemove: () => void }) {
  return (
    <span className={styles.chip}>
      <span className={`${own.part} ${styles.field}`}>user</span>
      <span className={own.part}>is</span>
      <span className={`${own.part} ${styles.value} cut`}>{who}</span>
      <button type="button" className={styles.remove} aria-label="Show all sessions" onClick={onRemove}>
        <Icon of={IconX} small />
      </button>
    </span>
  );
}
