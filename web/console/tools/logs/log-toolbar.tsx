import { IconCalendar, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import type { LogSummary } from '../../../../contract/observed.ts';
import { Button } from '../../../ui/button.tsx';
import chip from '../../../ui/chip.module.css';
import { Icon } from '../../../ui/icon.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { wideOnlyClass } from '../../../ui/workbench.tsx';
import { count, hour, milliseconds, timeOfDay } from '../../format/format.ts';
import { type LogSearch, type LogWindow, logWindows, withPeriod } from '../../queries/log.ts';
import { perMinute } from './log-histogram.tsx';
import styles from './logs-page.module.css';
import { PeriodDialog } from './period-dialog.tsx';
import type { Live } from './use-live.ts';

/** Search field of the logs, and a chip for each filter in the address that is not in the list of filters at the left. */
export function LogFilters({
  field,
  search,
  onSearch,
}: {
  field: RefObject<HTMLInputElement | null>;
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
}) {
  const { q = '', code, call, user, slower, path } = search;
  const named = { code, call, user, path, ...(slower && { 'slower than': milliseconds(Number(slower)) }) };
  const without = (name: keyof LogSearch) => {
    const { [name]: _, ...others } = search;
    return others;
  };
  return (
    <>
      <SearchField
        ref={field}
        label="Search the logs"
        example="Path, code, member, request id"
        value={q}
        onSearch={(text) => onSearch(text === '' ? without('q') : { ...search, q: text })}
      />
      {search.from !== undefined && search.to !== undefined && (
        <FilterChip
          name="time"
          value={periodWords(search.from, search.to)}
          removal="Remove the chosen time"
          onRemove={() => onSearch(withPeriod(search, {}))}
        />
      )}
      {Object.entries(named).map(
        ([name, value]) =>
          value !== undefined && (
            <FilterChip
              key={name}
              name={name}
              value={value}
              removal={name === 'slower than' ? 'Show calls of any duration' : `Show calls of any ${name}`}
              onRemove={() => onSearch(without(name === 'slower than' ? 'slower' : (name as keyof LogSearch)))}
            />
          ),
      )}
    </>
  );
}

function periodWords(from: string, to: string): string {
  const isShort = Date.parse(to) - Date.parse(from) < 300_000;
  return `${isShort ? timeOfDay(from) : hour(from)} to ${isShort ? timeOfDay(to) : hour(to)}`;
}

/** Chip of an active filter, with a button that removes the filter. */
const FilterChip = ({
  name,
  value,
  removal,
  onRemove,
}: {
  name: string;
  value: string;
  removal: string;
  onRemove: () => void;
}) => (
  <span className={chip.chip}>
    <span className={`${styles.part} ${chip.field}`}>{name}</span>
    <span className={`${styles.part} ${chip.value} truncated`}>{value}</span>
    <button type="button" className={chip.remove} aria-label={removal} onClick={onRemove}>
      <Icon of={IconX} small />
    </button>
  </span>
);

/** Chooses the period of the logs, and pauses or continues their update. */
export function LogTime({
  search,
  live,
  summary,
  onSearch,
}: {
  search: LogSearch;
  live: Live;
  summary: LogSummary | undefined;
  onSearch: (search: LogSearch) => void;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const isChosen = search.from !== undefined;
  const goLive = () => {
    live.resume();
    if (isChosen) onSearch(withPeriod(search, {}));
  };
  return (
    <span className={styles.time}>
      {!isChosen && (
        <span className={wideOnlyClass}>
          <Segmented<LogWindow>
            label="Time"
            value={search.window ?? '1h'}
            options={windowOptions}
            onChange={(window) => onSearch(withPeriod(search, window === '1h' ? {} : { window }))}
          />
        </span>
      )}
      <span className={wideOnlyClass}>
        <Button small square icon={IconCalendar} label="Choose a time" onClick={() => setChoosing(true)} />
      </span>
      {live.isPaused ? (
        <Button small icon={IconPlayerPlay} onClick={goLive}>
          Go live
        </Button>
      ) : (
        <Button small aria-pressed={live.isLive} onClick={live.toggle}>
          <span className={styles.dot} data-live={live.isLive || undefined} />
          {live.isLive ? 'Live' : 'Waiting'}
          {summary && <span className={`soft ${wideOnlyClass}`}>{count(perMinute(summary))} a minute</span>}
          <Icon of={IconPlayerPause} small />
        </Button>
      )}
      {isChoosing && (
        <PeriodDialog
          from={Date.parse(search.from ?? summary?.from ?? '') || Date.now() - logWindows['1h'] * 1000}
          to={Date.parse(search.to ?? summary?.to ?? '') || Date.now()}
          onChoose={(from, to) => {
            setChoosing(false);
            onSearch(withPeriod(search, { from, to }));
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </span>
  );
}

const windowOptions: readonly (readonly [LogWindow, string])[] = [
  ['15m', '15 min'],
  ['1h', '1 h'],
  ['24h', '24 h'],
  ['7d', '7 d'],
];
