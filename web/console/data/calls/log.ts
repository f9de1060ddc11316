import { queryOptions } from '@tanstack/react-query';
import type { LogResponse } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { callKeys } from './keys.ts';

/** The filter of an app's requests; a missing part filters nothing. */
export interface LogFilter {
  /** The first digit of the status. */
  status?: string;
  code?: string;
  /** Id in chapter 7. */
  call?: string;
  /** Id of a member. */
  user?: string;
  /** Includes the requests of the console. */
  console?: true;
}

/** Reads the last requests of an app, newest first. Refreshed while visible. */
export const log = (ref: string, filter: LogFilter) =>
  queryOptions({
    queryKey: callKeys.log(ref, filter),
    queryFn: ({ signal }) => {
      const query = new URLSearchParams(
        Object.entries(filter).map(([name, value]) => [name, String(value)]),
      ).toString();
      return api<LogResponse>(`/apps/${segment(ref)}/logs${query === '' ? '' : `?${query}`}`, { signal });
    },
    refetchInterval: refetchEvery(4_000),
    placeholderData: (before) => before,
  });
