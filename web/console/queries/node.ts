import { queryOptions } from '@tanstack/react-query';
import type { NodeStatus } from '../../../contract/admin.ts';
import { api } from './api.ts';

const nodeKeys = { status: () => ['node', 'status'] as const };

/** Reads the state of the node: its version, its PostgreSQL, its workers, and when it was started. */
export const nodeStatus = () =>
  queryOptions({
    queryKey: nodeKeys.status(),
    queryFn: ({ signal }) => api<NodeStatus>('/status', { signal }),
    staleTime: 10_000,
  });
