import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { hiddenCallers } from '../../../../contract/observed.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Sheet, SheetRows } from '../../../ui/sheet.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { Workbench } from '../../../ui/workbench.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { type LogSearch, logPages, logSummary, shownCallers, withPeriod } from '../../queries/log.ts';
import { useSearchKey } from '../../shortcuts/use-search-key.ts';
import { useNewIds } from '../sessions/use-new-ids.ts';
import { isServerFailure, type LogRow, logColumns, rowsOf } from './log-columns.tsx';
import { LogFacets } from './log-facets.tsx';
import { LogFoot } from './log-foot.tsx';
import { LogHistogram } from './log-histogram.tsx';
import { LogFilters, LogTime } from './log-toolbar.tsx';
import styles from './logs-page.module.css';
import { useLive } from './use-live.ts';

/** Page with the requests of an app: over time, filtered, updated continuously, with links to their traces. */
export function LogsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/logs' });
  const search = useSearch({ from: '/signed-in/app/$ref/logs' });
  const navigate = useNavigate({ from: '/app/$ref/logs' });
  const onSearch = (next: LogSearch) => void navigate({ search: next, replace: true });
  const field = useSearchKey('Logs');
  const live = useLive(search);
  const list = useInfiniteQuery(logPages(ref, search, live.isLive));
  const summary = useQuery(logSummary(ref, search, live.isLive));
  const calls = list.data?.calls;
  const rows = useMemo(() => calls && rowsOf(calls), [calls]);
  const fresh = useNewIds(`${ref} ${JSON.stringify(search)}`, rows);
  const columns = useMemo(() => logColumns(ref), [ref]);
  const { toggle } = live;
  useKeys(useMemo(() => [{ keys: 'l', group: 'Logs', does: 'Pause or continue', run: toggle }], [toggle]));
  const loadOlder = () => {
    live.pause();
    void list.fetchNextPage();
  };
  const onPeriod = (from: string, to: string) => onSearch(withPeriod(search, { from, to }));
  return (
    <Page bare appRef={ref} crumbs={[{ text: 'Logs' }]} fetching={list.isLoading}>
      <Workbench
        wideList
        list={
          <LogFacets appRef={ref} search={search} summary={summary.data} isLive={live.isLive} onSearch={onSearch} />
        }
      >
        <Sheet
          title="Logs"
          filters={<LogFilters field={field} search={search} onSearch={onSearch} />}
          tools={<LogTime search={search} live={live} summary={summary.data} onSearch={onSearch} />}
          notice={
            <>
              <QueryFailure query={list} />
              <LogHistogram summary={summary.data} onChoose={onPeriod} />
            </>
          }
          foot={
            <LogFoot
              shown={rows?.length}
              kept={list.data?.kept}
              summary={summary.data}
              at={list.dataUpdatedAt}
              isLive={live.isLive && !list.isError}
              more={list.hasNextPage ? { word: 'Load older', busy: list.isFetchingNextPage, onMore: loadOlder } : null}
              onShowHidden={() =>
                onSearch({ ...search, caller: [...new Set([...shownCallers(search), ...hiddenCallers])].join(',') })
              }
            />
          }
        >
          <SheetRows<LogRow>
            label="Calls"
            columns={columns}
            rows={rows}
            total={list.hasNextPage ? -1 : (rows?.length ?? -1)}
            selected={null}
            fresh={fresh}
            wraps
            isBad={isServerFailure}
            onAway={live.setAway}
            onOpen={({ request_id }) =>
              void navigate({ to: '/app/$ref/calls/$requestId', params: { ref, requestId: request_id } })
            }
            isError={list.isError}
            empty={<NoCalls search={search} onClear={() => onSearch({})} />}
          />
        </Sheet>
      </Workbench>
    </Page>
  );
}

/** Empty state of the logs. */
function NoCalls({ search, onClear }: { search: LogSearch; onClear: () => void }) {
  const { window: _, ...filters } = search;
  if (Object.keys(filters).length === 0) {
    return (
      <Empty title="No requests in this time">
        <p className={styles.none}>New requests appear here within seconds. Choose a longer time to see older ones.</p>
      </Empty>
    );
  }
  return (
    <Empty
      title={filters.q === undefined ? 'No stored request matches this filter' : `No request matches “${filters.q}”`}
    >
      <Button onClick={onClear}>Show all</Button>
    </Empty>
  );
}
