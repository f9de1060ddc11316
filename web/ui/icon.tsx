import type { Icon as TablerIcon } from '@tabler/icons-react';
import styles from './icon.module.css';

/** Tabler outline icon of 16 px, or of 14 px in small controls. Screen readers ignore it, because a word is always beside it. */
export function Icon({ of: Shape, small = false }: { of: TablerIcon; small?: boolean }) {
  return <Shape className={styles.icon} size={small ? 14 : 16} stroke={1.5} aria-hidden="true" />;
}
