import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { LogResponse, LogSummary } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { callKeys } from './keys.ts';
import { type LogSearch, logQuery } from './log-search.ts';

/** Requests that one query returns. */
const atOnce = 200;

/**
 * Reads the requests of an app that match, newest first, with older pages on demand.
 * @param isLive True to refresh the requests continuously.
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

/** Counts the requests of an app that match, over time and by the values of the filters. */
export const logSummary = (ref: string, search: LogSearch, isLive: boolean) =>
  queryOptions({
    queryKey: callKeys.logSummary(ref, search),
    queryFn: ({ signal }) =>
      api<LogSummary>(`/apps/${segment(ref)}/logs/summary?${logQuery(search, Date.now())}`, { signal }),
    refetchInterval: isLive ? refetchEvery(5_000) : false,
    placeholderData: (before) => before,
  });
