import { Mark } from '../../ui/mark.tsx';
import styles from './page-loading.module.css';

/** While a page itself is being fetched: the mark fills, one cell after the other. */
export function PageLoading() {
  return (
    <div className={styles.waiting} role="status">
      <Mark loading />
      <span className="sr">Loading</span>
    </div>
  );
}
