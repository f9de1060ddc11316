import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { LogResponse } from '../../../../contract/observed.ts';
import { Button } from '../../../ui/button.tsx';
import chip from '../../../ui/chip.module.css';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { RowTable } from '../../../ui/row-table.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Sheet, SheetFoot, SheetWords } from '../../../ui/sheet.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { type LogFilter, log } from '../../data/calls/log.ts';
import { count, counted, milliseconds } from '../../format/format.ts';
import type { Binding } from '../../keys/bindings.ts';
import { useKeys } from '../../keys/keyboard.tsx';
import { Page } from '../../layout/page.tsx';
import { useNewIds } from '../sessions/use-new-ids.ts';
import { type LogRow, logColumns } from './log-columns.tsx';
import styles from './logs-page.module.css';
import { rowsOf, searchLog } from './search-log.ts';

/** Page with the last requests of an app, updated continuously, with links to their traces. */
export function LogsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/logs' });
  const filter = useSearch({ from: '/signed-in/app/$ref/logs' });
  const navigate = useNavigate({ from: '/app/$ref/logs' });
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);

  const list = useQuery(log(ref, filter));
  const rows = useMemo(() => list.data && rowsOf(list.data.calls), [list.data]);
  const shown = useMemo(() => rows && searchLog(rows, search), [rows, search]);
  const fresh = useNewIds(`${ref} ${JSON.stringify(filter)}`, rows);
  const columns = useMemo(() => logColumns(ref), [ref]);
  useKeys(
    useMemo<readonly Binding[]>(
      () => [{ keys: 'f', group: 'Logs', does: 'Search', run: () => field.current?.focus() }],
      [],
    ),
  );
  const narrow = (part: LogFilter) => void navigate({ search: part, replace: true });
  const none = shown?.length === 0;
  return (
    <Page bare appRef={ref} crumbs={[{ text: 'Logs' }]} fetching={list.isLoading}>
      <Sheet
        title="Logs"
        filters={
          <>
            <LogFilters filter={filter} onFilter={narrow} />
            <SearchField
              ref={field}
              label="Search the logs"
              example="Path, code, member or request"
              value={search}
              onSearch={setSearch}
            />
          </>
        }
        notice={
          list.error && (
            <Failure facts={failureFacts(list.error)} onRetry={() => void list.refetch()} busy={list.isFetching} />
          )
        }
        foot={<LogFoot answer={list.data} shown={shown?.length ?? 0} at={list.dataUpdatedAt} stale={list.isError} />}
      >
        {none ? (
          <SheetWords>
            <NoCalls
              all={rows?.length ?? 0}
              search={search}
              isNarrowed={Object.keys(filter).length > 0}
              onClear={() => {
                setSearch('');
                narrow({});
              }}
            />
          </SheetWords>
        ) : (
          (shown !== undefined || !list.isError) && (
            <RowTable<LogRow>
              label="Calls"
              columns={columns}
              rows={shown}
              total={shown?.length ?? -1}
              selected={null}
              fresh={fresh}
              stale={list.isError}
              onOpen={({ request_id }) =>
                void navigate({ to: '/app/$ref/calls/$requestId', params: { ref, requestId: request_id } })
              }
            />
          )
        )}
      </Sheet>
    </Page>
  );
}

/** Filters of the log by result and caller, and the filters of the address. */
function LogFilters({ filter, onFilter }: { filter: LogFilter; onFilter: (filter: LogFilter) => void }) {
  const { status = '', console: withConsole, ...named } = filter;
  return (
    <>
      <Segmented
        label="Result"
        value={status}
        options={[
          ['', 'All'],
          ['2', '2xx'],
          ['4', '4xx'],
          ['5', '5xx'],
        ]}
        onChange={(chosen) => {
          const { status: _, ...others } = filter;
          onFilter(chosen === '' ? others : { ...others, status: chosen });
        }}
      />
      <Segmented
        label="Callers"
        value={withConsole ? 'all' : 'app'}
        options={[
          ['app', 'App only'],
          ['all', 'App and console'],
        ]}
        onChange={(chosen) => {
          const { console: _, ...others } = filter;
          onFilter(chosen === 'app' ? others : { ...others, console: true });
        }}
      />
      {Object.entries(named).map(([name, value]) => (
        <FilterChip
          key={name}
          name={name}
          value={value}
          onRemove={() => onFilter(Object.fromEntries(Object.entries(filter).filter(([one]) => one !== name)))}
        />
      ))}
    </>
  );
}

/** Chip of an active filter, with a button that removes the filter. */
const FilterChip = ({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) => (
  <span className={chip.chip}>
    <span className={`${styles.part} ${chip.field}`}>{name}</span>
    <span className={`${styles.part} ${chip.value} truncated`}>{value}</span>
    <button type="button" className={chip.remove} aria-label={`Show calls of any ${name}`} onClick={onRemove}>
      <Icon of={IconX} small />
    </button>
  </span>
);

function LogFoot({
  answer,
  shown,
  at,
  stale,
}: {
  answer: LogResponse | undefined;
  shown: number;
  at: number;
  stale: boolean;
}) {
  if (!answer) return <SheetFoot shown={stale ? 'Currently unavailable' : 'Looking'} />;
  const { calls, truncated, workers, kept } = answer;
  const all = counted(calls.length, 'request');
  return (
    <SheetFoot
      shown={
        <FlashOnChange value={calls.length}>
          {shown < calls.length ? `${count(shown)} of ${all}` : all}
          {truncated ? ', the newest that are stored' : ''}
        </FlashOnChange>
      }
      remark={
        <>
          Stored: the last {count(limits.rememberedCalls.default)} requests of{' '}
          {workers === 1 ? 'one worker' : `each of ${count(workers)} workers`}, and the last {count(kept.traces)} that
          failed or took over {milliseconds(kept.slow_milliseconds)} <AsOf at={at} live={!stale} />
        </>
      }
    />
  );
}

/** Empty state of the logs. */
function NoCalls({
  all,
  search,
  isNarrowed,
  onClear,
}: {
  all: number;
  search: string;
  isNarrowed: boolean;
  onClear: () => void;
}) {
  if (all === 0 && !isNarrowed) {
    return <Empty title="No requests yet">New requests appear here within seconds.</Empty>;
  }
  return (
    <Empty title={search === '' ? 'No stored request matches this filter' : `No request matches “${search}”`}>
      {all > 0 && <p>{counted(all, 'request')} hidden by the search.</p>}
      <Button onClick={onClear}>Show all</Button>
    </Empty>
  );
}
