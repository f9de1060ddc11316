import { queryOptions } from '@tanstack/react-query';
import type { CallStatisticsResponse, StatisticsWindow } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { callKeys } from './keys.ts';

/** Reads how often a call was requested within a window, as a series of points. Refreshed while visible. */
export const callSeries = (ref: string, id: string, window: StatisticsWindow) =>
  queryOptions({
    queryKey: callKeys.figures(ref, id, window),
    queryFn: ({ signal }) =>
      api<CallStatisticsResponse>(
        `/apps/${segment(ref)}/statistics/calls?${new URLSearchParams({ window, call: id })}`,
        {
          signal,
        },
      ),
    refetchInterval: refetchEvery(10_000),
  });
