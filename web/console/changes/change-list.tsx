import { Link } from '@tanstack/react-router';
import type { Change } from '../../../contract/changes.ts';
import { count } from '../format/format.ts';
import { chapterPages } from '../navigation/chapter-pages.ts';
import { byChapter } from './change-words.ts';
import styles from './changes.module.css';

const signs: Readonly<Record<Change['kind'], string>> = { added: '+', removed: '−', changed: '±' };

/** Lists changes by chapter, each marked as added, removed or changed. */
export function ChangeList({
  appRef,
  changes,
  all,
  heading: Heading = 'h3',
}: {
  appRef: string;
  changes: readonly Change[];
  /** Number of all changes, of which `changes` may be a part. */
  all: number;
  /** Level of the chapters' headings: one below the heading of the page, panel or dialog that contains the list. */
  heading?: 'h2' | 'h3';
}) {
  const pages = chapterPages(undefined);
  return (
    <>
      {byChapter(changes).map(({ number, name, changes: listed }) => {
        const page = pages.find((each) => each.number === number);
        return (
          <section key={name} className={styles.chapter}>
            <Heading className={styles.heading}>
              <span className={styles.numeral}>{number <= 9 && number}</span>
              {page ? (
                <Link to={page.to} params={{ ref: appRef }}>
                  {name}
                </Link>
              ) : (
                name
              )}
            </Heading>
            <ul>
              {listed.map(({ kind, words, paths }) => (
                <li key={`${words} ${paths[0]}`}>
                  <span className={styles[kind]} title={kind}>
                    <span aria-hidden="true">{signs[kind]}</span>
                    <span className="sr">{kind}: </span>
                  </span>
                  <span>{words}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {changes.length < all && (
        <p className={styles.more}>
          {count(changes.length)} of {count(all)} changes are shown.
        </p>
      )}
    </>
  );
}
