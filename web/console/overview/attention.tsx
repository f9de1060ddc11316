import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import { counted, shortId } from '../format/format.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { versionList } from '../queries/versions.ts';
import { attentionItems } from './attention-items.ts';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

/** Maximum number of items that are shown. Further items are only counted. */
const SHOWN = 5;

/** Lists what a builder should look at, or says that there is nothing. */
export function Attention({
  appRef,
  specification,
  activity,
}: {
  appRef: string;
  specification: Specification | undefined;
  activity: Activity | undefined;
}) {
  if (!specification) return null;
  const items = attentionItems(specification, activity);
  if (items.length === 0) {
    // An app without entities has its first steps on the page instead.
    if (!activity || !specification.chapters.entities?.entities.length) return null;
    return (
      <p className={styles.calm}>
        Nothing needs attention: no faults or risks in chapter 6, no failing calls, no broken screens.
      </p>
    );
  }
  const more = items.length - SHOWN;
  return (
    <div className={styles.attention}>
      <SideSection title="Needs attention" aside={more > 0 ? counted(more, 'more finding') : undefined}>
        <ul>
          {items.slice(0, SHOWN).map(({ id, on, words, page, search }) => (
            <li key={id}>
              <Link to={`/app/$ref/${page}`} params={{ ref: appRef }} search={search}>
                {on !== null && <code>{shortId(on)}</code>} {words}
              </Link>
            </li>
          ))}
        </ul>
      </SideSection>
    </div>
  );
}

/** Shows the last change of the app in words, with its age. */
export function LastChange({ appRef }: { appRef: string }) {
  const latest = useInfiniteQuery(versionList(appRef)).data?.pages[0]?.versions[0];
  if (!latest) return null;
  const [first] = latest.changes;
  const others = latest.change_count - 1;
  return (
    <p className={styles.change}>
      Last change, <TimeAgo iso={latest.at} />:{' '}
      <Link to="/app/$ref/changes" params={{ ref: appRef }}>
        {first ? first.words : 'the first version of the specification.'}
      </Link>
      {first && others > 0 && ` And ${counted(others, 'other change')}.`}
    </p>
  );
}
