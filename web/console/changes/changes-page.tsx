import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { VersionEntry } from '../../../contract/changes.ts';
import { Button } from '../../ui/button.tsx';
import { FlashOnChange, liveValueClass } from '../../ui/live-value.tsx';
import { AsOf, PageHeader } from '../../ui/page-header.tsx';
import { Feet } from '../chapters/chapter-page.tsx';
import type { ListColumn } from '../chapters/list/list-table.tsx';
import { MainTable } from '../chapters/list/main-table.tsx';
import { useList } from '../chapters/list/use-list.ts';
import { counted } from '../format/format.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { Page } from '../layout/page.tsx';
import { QueryFailure } from '../layout/query-failure.tsx';
import { SpecificationVersion } from '../layout/specification-version.tsx';
import { useSearchParameter } from '../layout/use-search-parameter.ts';
import { versionList } from '../queries/versions.ts';
import { causeWords, summary, whoMade } from './change-words.ts';
import { Compare } from './compare.tsx';
import { VersionPanel } from './version-panel.tsx';

/** A version as a row of the table. */
interface VersionRow extends VersionEntry {
  /** The number as the address bar contains it. */
  id: string;
}

const versionColumns: readonly ListColumn<VersionRow>[] = [
  { name: 'Version', bar: 30, cell: ({ number }) => `v${number}` },
  { name: 'What changed', look: 'words', share: 60, bar: 220, cell: (row) => summary(row) },
  {
    name: 'Cause',
    look: 'words',
    share: 40,
    rank: 'second',
    bar: 120,
    cell: (row) => causeWords(row),
  },
  { name: 'Who', rank: 'third', bar: 60, cell: (row) => whoMade(row) },
  { name: 'Hash', rank: 'third', bar: 50, cell: ({ hash }) => <code className="soft">{hash.slice(0, 7)}</code> },
  { name: 'When', look: 'figure', bar: 40, cell: ({ at }) => <TimeAgo iso={at} short /> },
];

const question = 'What changed, and when?';

const sources = [
  {
    kind: 'catalog' as const,
    label: 'ninefold.versions: the specification each time it changed',
    sql: 'select number, at, hash, change_count from ninefold.versions order by number desc',
  },
  {
    kind: 'catalog' as const,
    label: 'ninefold.journal: who did what',
    sql: 'select at, coalesce(made_by, role) as who, kind, what from ninefold.journal order by id desc',
  },
];
const ways = [
  'Every change of the specification creates a version: a migration, SQL or a setting',
  <span key="check">
    Commit an export with the code, and run <code>spec --check</code> to list later changes
  </span>,
];

/** Page with the changes of the specification for each version, and between any two versions. */
export function ChangesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/changes' });
  const { since, version } = useSearch({ from: '/signed-in/app/$ref/changes' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(versionList(ref));
  const rows = useMemo(
    () =>
      query.data?.pages
        .flatMap(({ versions }) => versions)
        .map((entry): VersionRow => ({ ...entry, id: String(entry.number) })),
    [query.data],
  );
  const [chosen, choose] = useSearchParameter('version');
  const list = useList({ items: rows, chosen, choose, textOf });
  const { selected, steps } = list;
  const latest = rows?.[0];
  const oldest = rows?.at(-1);

  const compare = useCallback(
    (from: number, to: number) =>
      void navigate({
        to: '/app/$ref/changes',
        params: { ref },
        search: { ...(version !== undefined && { version }), since: `${from}-${to}` },
        replace: true,
        resetScroll: false,
      }),
    [navigate, ref, version],
  );
  const asked = /^(\d{1,11})-(\d{1,11})$/.exec(since ?? '');
  const from = asked ? Number(asked[1]) : (rows?.[1]?.number ?? 0);
  const to = asked ? Number(asked[2]) : (latest?.number ?? 0);

  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'Changes' }]}
      question={question}
      tools={<SpecificationVersion appRef={ref} />}
      fetching={query.isLoading}
      panel={
        selected &&
        latest && <VersionPanel appRef={ref} version={selected} latest={latest.number} onCompare={compare} {...steps} />
      }
    >
      <PageHeader name="Changes" question={question}>
        {latest ? (
          <>
            <Answer latest={latest} /> <AsOf at={query.dataUpdatedAt} live={!query.isError} />
          </>
        ) : (
          query.isError && 'Currently unavailable.'
        )}
      </PageHeader>
      <QueryFailure query={query} />
      {(rows || query.isPending) && (
        <>
          <MainTable
            number="Table 1"
            caption="All versions, newest first"
            what={['version', 'versions']}
            list={list}
            columns={versionColumns}
            stale={query.isError}
          />
          {query.hasNextPage && oldest && <Older query={query} oldest={oldest.number} />}
        </>
      )}
      {rows && rows.length > 1 && <Compare appRef={ref} versions={rows} from={from} to={to} onChange={compare} />}
      {rows && <Feet appRef={ref} sources={sources} changes={ways} />}
    </Page>
  );
}

/** Button that loads older versions. */
function Older({
  query: { isFetchingNextPage, fetchNextPage },
  oldest,
}: {
  query: Pick<UseInfiniteQueryResult, 'isFetchingNextPage' | 'fetchNextPage'>;
  oldest: number;
}) {
  return (
    <p>
      <Button kind="quiet" small busy={isFetchingNextPage && 'Fetching'} onClick={() => void fetchNextPage()}>
        Versions before v{oldest}
      </Button>
    </p>
  );
}

const textOf = (row: VersionRow): string =>
  [
    `v${row.number}`,
    row.hash,
    summary(row),
    whoMade(row),
    ...row.causes.map(({ what }) => what),
    ...row.changes.map(({ words }) => words),
  ].join('\n');

/**
 * Answers the question of the page: "v143 is in force since 2 days ago: 3 changes in Entities and Roles, made by Ines
 * Okafor."
 */
function Answer({ latest }: { latest: VersionRow }) {
  const who = whoMade(latest);
  return (
    <>
      <a className={liveValueClass} href="#table-1">
        <FlashOnChange value={latest.number}>v{latest.number}</FlashOnChange>
      </a>{' '}
      was recorded <TimeAgo iso={latest.at} />.{' '}
      {latest.change_count === 0 ? (
        <>No changes since the first version.</>
      ) : (
        <>
          It made{' '}
          <a className={liveValueClass} href="#table-1">
            {counted(latest.change_count, 'change')}
          </a>
          {who !== '' && `, by ${who}`}.
        </>
      )}
    </>
  );
}
