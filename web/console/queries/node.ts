import { queryOptions } from '@tanstack/react-query';
import type { NodeStatus } from '../../../contract/admin.ts';
import type { NodeFigures } from '../../../contract/node.ts';
import { api } from './api.ts';
import { refetchEvery } from './query-client.ts';

/** How often the figures of the node are read while its page is open. */
const REFRESH_MILLISECONDS = 5000;

const nodeKeys = { status: () => ['node', 'status'] as const, figures: () => ['node', 'figures'] as const };

/** Reads the state of the node: its version, its PostgreSQL, its workers, and when it was started. */
export const nodeStatus = () =>
  queryOptions({
    queryKey: nodeKeys.status(),
    queryFn: ({ signal }) => api<NodeStatus>('/status', { signal }),
    staleTime: 10_000,
  });

/** Reads the load, the disk and the other figures of the node, for its owners. */
export const nodeFigures = () =>
  queryOptions({
    queryKey: nodeKeys.figures(),
    queryFn: ({ signal }) => api<NodeFigures>('/node', { signal }),
    refetchInterval: (query) => refetchEvery(REFRESH_MILLISECONDS)(query),
  });
