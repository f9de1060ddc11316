import { Link } from '@tanstack/react-router';
import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import { Skeleton } from '../../ui/table.tsx';
import { chapterPages } from '../navigation/chapter-pages.ts';
import { chapterWords, type Piece } from './chapter-words.ts';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

/** Table of contents: one line with current figures for each chapter that follows the first one. */
export function ChapterList({
  appRef,
  specification,
  activity,
  stale,
}: {
  appRef: string;
  specification: Specification | undefined;
  activity: Activity | undefined;
  stale: boolean;
}) {
  return (
    <SideSection title="Contents">
      <ol className={stale ? styles.stale : undefined}>
        {chapterPages(specification).flatMap(({ key, number, name, to }) =>
          key === 'purpose' ? (
            []
          ) : (
            <li key={key}>
              <Link to={to} params={{ ref: appRef }} className={styles.chapter}>
                <span className={styles.number}>{number}</span>
                <span className={styles.name}>{name}</span>
                <span className={styles.words}>
                  {specification ? (
                    <Words pieces={chapterWords(key, specification, activity)} />
                  ) : (
                    <Skeleton width={280} />
                  )}
                </span>
              </Link>
            </li>
          ),
        )}
      </ol>
    </SideSection>
  );
}

/** Shows a sentence with emphasized figures. */
function Words({ pieces }: { pieces: readonly Piece[] }) {
  let place = 0;
  return pieces.map((piece) => {
    place += 1;
    return typeof piece === 'string' ? piece : <b key={place}>{piece.figure}</b>;
  });
}
