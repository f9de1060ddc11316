import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TimeAgo } from '../format/time-ago.tsx';
import { specification } from '../queries/specification.ts';
import { versionList } from '../queries/versions.ts';
import styles from './layout.module.css';

/** Shows the specification's version, the first seven characters of its hash, and its age. */
export function SpecificationVersion({ appRef }: { appRef: string }) {
  const { data } = useQuery(specification(appRef));
  const latest = useInfiniteQuery(versionList(appRef)).data?.pages[0]?.versions[0];
  if (!data) return null;
  // The list of versions and the specification are read at different times. The number is shown only if the latest
  // version has the hash of the shown specification.
  const recorded = latest?.hash === data.hash ? latest : undefined;
  return (
    <Link to="/app/$ref/changes" params={{ ref: appRef }} className={styles.version}>
      Specification {recorded && `v${recorded.number} `}
      <code title={data.hash}>{data.hash.slice(0, 7)}</code>
      {recorded && (
        <>
          , <TimeAgo iso={recorded.at} />
        </>
      )}
    </Link>
  );
}
