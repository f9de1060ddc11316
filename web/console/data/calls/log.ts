import { queryOptions } from '@tanstack/react-query';
import type { LogResponse } from '../../../../contract/observed.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { callKeys } from './keys.ts';

/** Which calls of an app are looked at; a missing part lets all through. */
export interface LogFilter {
  /** The first digit of the status. */
  status?: string;
  code?: string;
  /** Id in chapter 7. */
  call?: string;
  /** Id of a member. */
  user?: string;
  /** Adds the calls of the console. */
  console?: true;
}

/** The last calls of an app, the newest first; renewed while in sight. */
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
