import { queryOptions } from '@tanstack/react-query';
import type { NodeStatus } from '../../../../contract/admin.ts';
import { api } from '../api.ts';
import { nodeKeys } from './keys.ts';

/** The node itself: version, Postgres, workers, since when. */
export const nodeStatus = () =>
  queryOptions({
    queryKey: nodeKeys.status(),
    queryFn: ({ signal }) => api<NodeStatus>('/status', { signal }),
    staleTime: 10_000,
  });
