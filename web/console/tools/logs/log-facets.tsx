import { IconX } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type LogSummary, logCallers } from '../../../../contract/observed.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideGroup, SideList, sideFigureClass, sideItemClass } from '../../../ui/workbench.tsx';
import { count } from '../../format/format.ts';
import {
  callerWords,
  inPeriodOf,
  isPathShown,
  type LogSearch,
  logCount,
  onlyFacet,
  shownCallers,
  shownStatuses,
  statusDigits,
  toggleFacet,
} from '../../queries/log.ts';
import styles from './logs-page.module.css';
import { sameSearch, useSavedSearches } from './saved-searches.ts';

const statusWords: Readonly<Record<string, string>> = { 2: '2xx', 3: '3xx', 4: '4xx refused', 5: '5xx failed' };

/** Searches that every app has. */
const givenSearches: readonly (readonly [name: string, search: LogSearch])[] = [
  ['Members’ calls', {}],
  ['Failed', { status: '5' }],
  ['Slower than 1 s', { slower: '1000' }],
  ['Refused by a policy', { code: '42501' }],
  ['Sign-in attempts', { path: '/auth/v1/token' }],
];

/** List at the left of the logs: saved searches, and the filters with the number of requests for each value. */
export function LogFacets({
  appRef,
  search,
  summary,
  isLive,
  onSearch,
}: {
  appRef: string;
  search: LogSearch;
  summary: LogSummary | undefined;
  isLive: boolean;
  onSearch: (search: LogSearch) => void;
}) {
  const facet = (name: 'status' | 'caller' | 'path') => (value: string, word: string, calls: number | undefined) => (
    <Facet
      key={value}
      word={word}
      calls={calls ?? (summary ? 0 : undefined)}
      isShown={
        name === 'path'
          ? isPathShown(search, value)
          : (name === 'status' ? shownStatuses : shownCallers)(search).includes(value)
      }
      isFailure={value === '5'}
      onToggle={() => onSearch(toggleFacet(search, name, value))}
      onOnly={() => onSearch(onlyFacet(search, name, value))}
    />
  );
  return (
    <SideList label="Searches and filters">
      <SavedSearches
        appRef={appRef}
        search={search}
        isLive={isLive}
        canCount={summary !== undefined}
        onSearch={onSearch}
      />
      <SideGroup title="Status">
        {statusDigits.map((digit) => facet('status')(digit, statusWords[digit] ?? digit, summary?.statuses[digit]))}
      </SideGroup>
      <SideGroup title="Caller">
        {logCallers.map((caller) => facet('caller')(caller, callerWords[caller], summary?.callers[caller]))}
      </SideGroup>
      {summary && summary.paths.length > 0 && (
        <SideGroup title="Path">
          {summary.paths.map(({ path, calls }) => facet('path')(path, path, calls))}
          {summary.other_paths > 0 && (
            <p className={sideItemClass}>
              <span className="soft">other paths</span>
              <span className={sideFigureClass}>{count(summary.other_paths)}</span>
            </p>
          )}
        </SideGroup>
      )}
    </SideList>
  );
}

function Facet({
  word,
  calls,
  isShown,
  isFailure,
  onToggle,
  onOnly,
}: {
  word: string;
  calls: number | undefined;
  isShown: boolean;
  isFailure: boolean;
  onToggle: () => void;
  onOnly: () => void;
}) {
  return (
    <div className={`${sideItemClass} ${styles.facet}`}>
      <label title={word}>
        <input type="checkbox" checked={isShown} onChange={onToggle} />
        <span>{word}</span>
      </label>
      <button type="button" className={styles.only} aria-label={`Show only ${word}`} onClick={onOnly}>
        only
      </button>
      <span className={`${sideFigureClass} ${isFailure && (calls ?? 0) > 0 ? styles.failed : ''}`}>
        {calls !== undefined && count(calls)}
      </span>
    </div>
  );
}

const SavedCount = ({ calls, isFailure }: { calls: number | undefined; isFailure: boolean }) => (
  <span className={`${sideFigureClass} ${isFailure && (calls ?? 0) > 0 ? styles.failed : ''}`}>
    {calls !== undefined && count(calls)}
  </span>
);

/** The searches that every app has, and those that this browser stores, each with its requests in the shown period. */
function SavedSearches({
  appRef,
  search,
  isLive,
  canCount,
  onSearch,
}: {
  appRef: string;
  search: LogSearch;
  isLive: boolean;
  /** True after the page has its own figures, which come first. */
  canCount: boolean;
  onSearch: (search: LogSearch) => void;
}) {
  const { saved, save, remove } = useSavedSearches(appRef);
  const [naming, setNaming] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name !== '') save(name, search);
    setNaming(false);
  };
  const all = [...givenSearches, ...saved];
  const counts = useQueries({
    queries: all.map(([, one]) => ({ ...logCount(appRef, inPeriodOf(one, search), isLive), enabled: canCount })),
  });
  const isKnown = all.some(([, one]) => sameSearch(one, search));
  return (
    <SideGroup title="Saved searches">
      {all.map(([name, one], place) => (
        <div key={name} className={styles.saved}>
          <button
            type="button"
            className={sideItemClass}
            aria-current={sameSearch(one, search) || undefined}
            onClick={() => onSearch(inPeriodOf(one, search))}
          >
            <span>{name}</span>
            <SavedCount calls={counts[place]?.data} isFailure={one.status === '5'} />
          </button>
          {place >= givenSearches.length && (
            <button type="button" className={styles.remove} aria-label={`Delete ${name}`} onClick={() => remove(name)}>
              <Icon of={IconX} small />
            </button>
          )}
        </div>
      ))}
      {naming ? (
        <form className={styles.naming} onSubmit={submit}>
          <input
            name="name"
            aria-label="Name of the search"
            placeholder="Name, then Enter"
            maxLength={60}
            // biome-ignore lint/a11y/noAutofocus: the builder has just asked to name the search
            autoFocus
            onBlur={() => setNaming(false)}
            onKeyDown={({ key }) => key === 'Escape' && setNaming(false)}
          />
        </form>
      ) : (
        !isKnown && (
          <div className={styles.naming}>
            <Button small kind="quiet" onClick={() => setNaming(true)}>
              Save this search
            </Button>
          </div>
        )
      )}
    </SideGroup>
  );
}
