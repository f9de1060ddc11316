import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { ProbeState } from '../../../contract/probe.ts';
import { api, segment } from './api.ts';
import { queryClient, refetchEvery } from './query-client.ts';

const probeKeys = { of: (ref: string) => ['probe', ref] as const };

/** Reads the state of the probe of chapter 6: the active run, and the report of the last run. The query is refreshed often during a run. */
export const probeState = (ref: string) =>
  queryOptions({
    queryKey: probeKeys.of(ref),
    queryFn: async ({ signal, client }) =>
      withLast(
        await api<ProbeState>(`/apps/${segment(ref)}/probe`, { signal }),
        client.getQueryData(probeKeys.of(ref)),
      ),
    refetchInterval: (query) => refetchEvery(query.state.data?.running ? 400 : 60_000)(query),
  });

/** Returns the state with the report of the previous run, so that this report stays visible during the next run. */
const withLast = (state: ProbeState, before: ProbeState | undefined): ProbeState =>
  state.running === null ? state : { ...state, last: state.last ?? before?.last ?? null };

/**
 * Starts a probe of every cell of chapter 6 in transactions that are rolled back. It does not wait for the end of the
 * probe; `probeState` reads the progress.
 */
export const startProbe = (ref: string) =>
  mutationOptions({
    mutationFn: () => api<ProbeState>(`/apps/${segment(ref)}/probe`, { method: 'POST' }),
    onSuccess: (state) => queryClient.setQueryData<ProbeState>(probeKeys.of(ref), (before) => withLast(state, before)),
  });
