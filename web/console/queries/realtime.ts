import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { RealtimeState, RealtimeTable } from '../../../contract/realtime.ts';
import { api, segment } from './api.ts';
import { queryClient, refetchEvery } from './query-client.ts';
import { specificationKeys } from './specification.ts';
import { identifier, runSql } from './sql.ts';

const REFRESH_MILLISECONDS = 2000;

const queryKey = (ref: string) => ['realtime', ref] as const;

/** Reads what all workers count about the realtime of an app, and its tables. */
export const realtimeState = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: ({ signal }) => api<RealtimeState>(`/apps/${segment(ref)}/realtime`, { signal }),
    refetchInterval: (query) => refetchEvery(REFRESH_MILLISECONDS)(query),
  });

/** Reads the state of the page again after a change that another query made. */
export const refreshRealtime = (ref: string) => queryClient.invalidateQueries({ queryKey: queryKey(ref) });

/** Adds a table to the publication supabase_realtime, or removes it, as the owner of the app. */
export const publishTable = (ref: string) =>
  mutationOptions({
    mutationFn: (change: Pick<RealtimeTable, 'schema' | 'name' | 'published'>) =>
      runSql(ref, publicationSql(change), new AbortController().signal),
    onSettled: async () => {
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
      await refreshRealtime(ref);
    },
  });

/** Returns the statement that publishes a table or removes it from the publication. Pure. */
const publicationSql = ({ schema, name, published }: Pick<RealtimeTable, 'schema' | 'name' | 'published'>): string =>
  `alter publication supabase_realtime ${published ? 'add' : 'drop'} table ${identifier(schema)}.${identifier(name)};`;
