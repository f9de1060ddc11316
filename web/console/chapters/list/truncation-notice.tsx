import { Button } from '../../../ui/button.tsx';
import { count } from '../../format/format.ts';
import styles from './list.module.css';

/** Notice below a table that does not show all rows: the total number of rows, and a button that shows more of them. */
export function TruncationNotice({
  shown,
  all,
  what,
  onMore,
}: {
  shown: number;
  all: number;
  /** Plural name of the rows. */
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
