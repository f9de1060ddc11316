import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { VersionEntry } from '../../../contract/changes.ts';
import { FailureNote } from '../../ui/failure.tsx';
import { Figure } from '../../ui/figure.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { counted, dateTime } from '../format/format.ts';
import { failureFacts } from '../queries/api-failure.ts';
import { comparison } from '../queries/versions.ts';
import { ChangeList } from './change-list.tsx';
import styles from './changes.module.css';

/** Lists the changes between any two versions. */
export function Compare({
  appRef,
  versions,
  from,
  to,
  onChange,
}: {
  appRef: string;
  /** The versions to choose from, the latest first; at least two. */
  versions: readonly VersionEntry[];
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
}) {
  const { data, error, isPending } = useQuery({ ...comparison(appRef, from, to), enabled: from !== to });
  const known = new Set(versions.map(({ number }) => number));
  const choices = [
    ...versions.map(({ number, at }) => ({ value: String(number), label: `v${number}, ${dateTime(at)}` })),
    // A link may contain a version that is not loaded yet, so this version is added to the choice without its time.
    ...[...new Set([from, to])]
      .filter((number) => !known.has(number))
      .map((number) => ({ value: String(number), label: `v${number}` })),
  ];
  return (
    <Figure number="Figure 2" caption="Compare any two versions">
      <div className={styles.compare}>
        <NativeSelect
          className={styles.version ?? ''}
          label="From"
          data={choices}
          value={String(from)}
          onChange={(event) => onChange(Number(event.currentTarget.value), to)}
        />
        <NativeSelect
          className={styles.version ?? ''}
          label="To"
          data={choices}
          value={String(to)}
          onChange={(event) => onChange(from, Number(event.currentTarget.value))}
        />
      </div>
      {from === to ? (
        <p className={styles.none}>Choose two different versions.</p>
      ) : (
        <>
          {error && <FailureNote facts={failureFacts(error)} />}
          {isPending && (
            <p className={styles.none}>
              <Skeleton width={240} />
            </p>
          )}
          {data && (
            <p className={styles.none} role="status">
              {data.change_count === 0
                ? `v${from} and v${to} are equal.`
                : `${counted(data.change_count, 'change')} from v${from} to v${to}${from > to ? ', backwards in time' : ''}.`}
            </p>
          )}
          {data && <ChangeList appRef={appRef} changes={data.changes} all={data.change_count} heading="h2" />}
        </>
      )}
    </Figure>
  );
}
