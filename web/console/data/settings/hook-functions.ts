import { queryOptions } from '@tanstack/react-query';
import type { HookFunctions } from '../../../../contract/hooks.ts';
import { api, segment } from '../api.ts';

/** Reads the functions of an app that auth hooks can call. */
export const hookFunctions = (ref: string) =>
  queryOptions({
    queryKey: ['hook-functions', ref],
    queryFn: async ({ signal }) =>
      (await api<HookFunctions>(`/apps/${segment(ref)}/hook-functions`, { signal })).functions,
  });
