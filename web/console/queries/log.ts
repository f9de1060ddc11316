import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  hiddenCallers,
  type LogCaller,
  type LogResponse,
  type LogSummary,
  logCallers,
} from '../../../contract/observed.ts';
import { api, segment } from './api.ts';
import { callKeys } from './calls.ts';
import { refetchEvery } from './query-client.ts';

/** The filter of the log, as the address of the page contains it. A missing part filters nothing. */
export interface LogSearch {
  /** Length of a period that ends now; 1h if it is missing. Ignored if `from` is set. */
  window?: LogWindow;
  /** Start and end of a period that the reader chose, in ISO 8601. */
  from?: string;
  to?: string;
  /** First digits of the shown HTTP statuses, separated by commas. */
  status?: string;
  /** Kinds of callers whose requests are shown, separated by commas. */
  caller?: string;
  /** The only shown path: area and first part of the path, for example /rest/v1/tickets. */
  path?: string;
  /** Paths that are hidden, separated by spaces. */
  without?: string;
  code?: string;
  /** Id of a call in chapter 7. */
  call?: string;
  /** Id of a member. */
  user?: string;
  /** Minimum duration of the shown requests in milliseconds. */
  slower?: string;
  q?: string;
}

export const logWindows = { '15m': 900, '1h': 3600, '24h': 86_400, '7d': 604_800 } as const;
export type LogWindow = keyof typeof logWindows;

export const statusDigits = ['2', '3', '4', '5'] as const;

const texts = ['status', 'caller', 'path', 'without', 'code', 'call', 'user', 'slower', 'q'] as const;

/** Reads the filter of the log from the parameters of the address. Pure. */
export function readLogSearch(search: Record<string, unknown>): LogSearch {
  const read = Object.fromEntries(
    texts.flatMap((name) => {
      const value = search[name];
      const text = typeof value === 'number' ? String(value) : value;
      return typeof text === 'string' && text !== '' ? [[name, text]] : [];
    }),
  ) as LogSearch;
  if (isTime(search.from) && isTime(search.to)) return { ...read, from: search.from, to: search.to };
  const { window } = search;
  return typeof window === 'string' && window in logWindows && window !== '1h'
    ? { ...read, window: window as LogWindow }
    : read;
}

const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));

/** Every kind of caller, for an address that shows all requests. */
export const everyCaller = logCallers.join(',');

const defaultCallers = logCallers.filter((caller) => !hiddenCallers.includes(caller));

/** Returns the first digits of the HTTP statuses that are shown. Pure. */
export const shownStatuses = ({ status }: LogSearch): readonly string[] => status?.split(',') ?? statusDigits;

/** Returns the kinds of callers whose requests are shown. Pure. */
export const shownCallers = ({ caller }: LogSearch): readonly string[] => caller?.split(',') ?? defaultCallers;

/** Returns true if the log shows the requests of a path. Pure. */
export const isPathShown = ({ path, without }: LogSearch, one: string): boolean =>
  path === undefined ? !(without?.split(' ').includes(one) ?? false) : path === one;

/** Returns the filter without empty parts, and without lists that equal their default. Pure. */
function tidy(search: { [K in keyof LogSearch]: LogSearch[K] | undefined }): LogSearch {
  const { status, caller } = search;
  const isDefault = {
    status: status !== undefined && sameList(status, statusDigits),
    caller: caller !== undefined && sameList(caller, defaultCallers),
  };
  return Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => value !== undefined && value !== '' && !isDefault[name as keyof typeof isDefault],
    ),
  ) as LogSearch;
}

const sameList = (text: string, list: readonly string[]): boolean =>
  [...text.split(',')].sort().join() === [...list].sort().join();

/** Returns the list of shown values after one value is shown or hidden. The only shown value cannot be hidden. */
const toggled = (shown: readonly string[], value: string): string =>
  (shown.includes(value) && shown.length > 1 ? shown.filter((one) => one !== value) : [...new Set([...shown, value])])
    .toSorted()
    .join(',');

/** Returns the filter after a status, a kind of caller or a path is shown or hidden. Pure. */
export function toggleFacet(search: LogSearch, facet: 'status' | 'caller' | 'path', value: string): LogSearch {
  if (facet === 'status') return tidy({ ...search, status: toggled(shownStatuses(search), value) });
  if (facet === 'caller') return tidy({ ...search, caller: toggled(shownCallers(search), value) });
  if (search.path !== undefined) return tidy({ ...search, path: search.path === value ? undefined : value });
  const left = search.without?.split(' ') ?? [];
  const without = left.includes(value) ? left.filter((one) => one !== value) : [...left, value];
  return tidy({ ...search, without: without.join(' ') });
}

/** Returns the filter that shows only one value of a facet. Pure. */
export const onlyFacet = (search: LogSearch, facet: 'status' | 'caller' | 'path', value: string): LogSearch =>
  tidy({ ...search, [facet]: value, ...(facet === 'path' && { without: undefined }) });

/** Returns the filter with another period. Pure. */
export const withPeriod = (
  { from: _from, to: _to, window: _window, ...search }: LogSearch,
  period: { window?: LogWindow } | { from: string; to: string },
): LogSearch => ({ ...search, ...period });

/** Returns the filters of a search in the period of another. Pure. */
export const inPeriodOf = (search: LogSearch, { window, from, to }: LogSearch): LogSearch =>
  withPeriod(search, from !== undefined && to !== undefined ? { from, to } : window === undefined ? {} : { window });

/** Returns the query of the request for the log. A period that ends now is computed from `now`. Pure. */
export function logQuery(search: LogSearch, now: number): URLSearchParams {
  const { window, from, to, q, without, ...named } = search;
  const query = new URLSearchParams(named as Record<string, string>);
  for (const path of without?.split(' ') ?? []) query.append('without', path);
  if (q !== undefined) query.set('search', q);
  query.set('from', from ?? new Date(now - logWindows[window ?? '1h'] * 1000).toISOString());
  if (to !== undefined) query.set('to', to);
  return query;
}

/** Returns a query as a person reads it, without percent-encoding; unchanged if it is not encoded correctly. Pure. */
export function readableQuery(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '));
  } catch {
    return query;
  }
}

/** The words for the kinds of callers. */
export const callerWords: Readonly<Record<LogCaller, string>> = {
  member: 'members',
  anon: 'anonymous',
  key: 'secret key',
  console: 'console',
  health: 'health checks',
};

/** Maximum number of requests that one query returns. */
const atOnce = 200;

/**
 * Reads the requests of an app that match a filter, newest first. Pages with older requests are read on demand.
 * @param isLive True if the query is refreshed continuously.
 */
export const logPages = (ref: string, search: LogSearch, isLive: boolean) =>
  infiniteQueryOptions({
    queryKey: callKeys.log(ref, search),
    queryFn: ({ signal, pageParam }) => {
      const query = logQuery(search, Date.now());
      query.set('limit', String(atOnce));
      if (pageParam !== '') query.set('before', pageParam);
      return api<LogResponse>(`/apps/${segment(ref)}/logs?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ before }) => before,
    refetchInterval: isLive ? refetchEvery(2_000) : false,
    ...(!isLive && { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
    placeholderData: (before) => before,
    select: ({ pages }) => ({ calls: pages.flatMap(({ calls }) => calls), kept: pages.at(-1)?.kept }),
  });

/** Pauses between two summaries in milliseconds. They are longer for long periods, because PostgreSQL reads every line of the period. */
const summaryPauses: Readonly<Record<LogWindow, number>> = { '15m': 5_000, '1h': 5_000, '24h': 20_000, '7d': 60_000 };

/** Counts the requests of an app that match a filter: over time, and for each value of the facets. */
export const logSummary = (ref: string, search: LogSearch, isLive: boolean) =>
  queryOptions({
    queryKey: callKeys.logSummary(ref, search),
    queryFn: ({ signal }) =>
      api<LogSummary>(`/apps/${segment(ref)}/logs/summary?${logQuery(search, Date.now())}`, { signal }),
    refetchInterval: isLive ? refetchEvery(summaryPauses[search.window ?? '1h']) : false,
    placeholderData: (before) => before,
  });

/** Pause between two counts of a saved search, in milliseconds. */
const COUNT_PAUSE = 60_000;

/** Counts the requests that match a saved search. */
export const logCount = (ref: string, search: LogSearch, isLive: boolean) =>
  queryOptions({
    ...logSummary(ref, search, false),
    staleTime: COUNT_PAUSE,
    refetchInterval: isLive ? refetchEvery(COUNT_PAUSE) : false,
    select: ({ total }) => total,
  });

/** Reads the line of one request in the log; null if the log has none. */
export const logLine = (ref: string, requestId: string) =>
  queryOptions({
    queryKey: [...callKeys.trace(ref, requestId), 'line'],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ request: requestId, caller: everyCaller, limit: '1' });
      return (await api<LogResponse>(`/apps/${segment(ref)}/logs?${query}`, { signal })).calls[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
