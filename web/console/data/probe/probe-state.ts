import { queryOptions } from '@tanstack/react-query';
import type { ProbeState } from '../../../../contract/probe.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { probeKeys } from './keys.ts';

/** Reads the state of chapter 6's probe: the active run and the last report. Refreshed often during a run. */
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

/** Keeps the previous report visible during a run. */
export const withLast = (state: ProbeState, before: ProbeState | undefined): ProbeState =>
  state.running === null ? state : { ...state, last: state.last ?? before?.last ?? null };
