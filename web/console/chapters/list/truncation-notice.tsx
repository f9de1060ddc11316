import { Button } from '../../../ui/button.tsx';
import { count } from '../../format/format.ts';
import styles from './truncation-notice.module.css';

/** Under a table that shows not all of its rows: of how many, and the way on. */
export function TruncationNotice({
  shown,
  all,
  what,
  onMore,
}: {
  shown: number;
  all: number;
  /** The rows' name in the plural. */
  what: string;
  onMore: () => void;
}) {
  if (shown >= all) return null;
  return (
    <div className={styles.cut}>
      <b>
        {count(shown)} of {count(all)} {what} shown
      </b>
      <Button kind="quiet" small onClick={onMore}>
        Show more
      </Button>
    </div>
  );
}
