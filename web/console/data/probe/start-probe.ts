import { mutationOptions } from '@tanstack/react-query';
import type { ProbeState } from '../../../../contract/probe.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { probeKeys } from './keys.ts';
import { withLast } from './probe-state.ts';

/**
 * Starts a probe of every cell of chapter 6, in transactions that are rolled back. Returns at once; `probeState` reads
 * the progress.
 */
export const startProbe = (ref: string) =>
  mutationOptions({
    mutationFn: () => api<ProbeState>(`/apps/${segment(ref)}/probe`, { method: 'POST' }),
    onSuccess: (state) => queryClient.setQueryData<ProbeState>(probeKeys.of(ref), (before) => withLast(state, before)),
  });
