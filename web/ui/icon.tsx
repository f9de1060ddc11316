import type { Icon as TablerIcon } from '@tabler/icons-react';
import styles from './icon.module.css';

/** A Tabler outline icon at the size of the look: 16 px, 14 px in small controls. Decorative: the word stands beside it. */
export function Icon({ of: Shape, small = false }: { of: TablerIcon; small?: boolean }) {
  return <Shape className={styles.icon} size={small ? 14 : 16} stroke={1.5} aria-hidden="true" />;
}
