import { Mark } from '../../ui/mark.tsx';
import styles from './layout.module.css';

/** Placeholder while the code of a page is loaded. The cells of Ninefold's mark fill one after the other. */
export function PageLoading() {
  return (
    <div className={styles.waiting} role="status">
      <Mark loading />
      <span className="sr">Loading</span>
    </div>
  );
}
