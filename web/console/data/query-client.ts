import { MutationCache, type Query, QueryCache, type QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api-failure.ts';

let onSignedOut: (() => void) | null = null;

/** Sets the action for an ended session. The router calls it once. */
export const setSignedOutHandler = (action: () => void): void => {
  onSignedOut = action;
};

/** Codes of errors after which the builder signs in, or presents or adds a second factor. */
const endings: ReadonlySet<string> = new Set(['operator_required', 'second_factor_needed', 'second_factor_required']);

const notice = (error: unknown) => {
  // Checks the code instead of the status: a request as another caller may also fail with 401, which does not end the
  // builder's session.
  if (error instanceof ApiFailure && endings.has(error.code)) onSignedOut?.();
};

/** Returns true if a request may succeed later without a change: the server did not respond, or was unavailable. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.status === null || error.status >= 502;

/** Returns the pause before a failed query is sent again, in milliseconds: 1 s at first, then up to 5 s. */
const pauseAfter = (failures: number): number => Math.min(5000, 500 * 2 ** failures);

/** Returns the interval of a visible query in milliseconds. A query that was refused permanently is not refreshed. */
export const refetchEvery =
  (every: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error === null || mayPass(state.error) ? every : false;

/** The last failure of each query without data. */
const failures = new WeakMap<Query<unknown, unknown>, Error>();

/**
 * Keeps a failure visible while its query runs again. Otherwise the query would be pending and the page would flicker.
 */
function keepFailure(event: QueryCacheNotifyEvent) {
  if (event.type !== 'updated') return;
  const { query, action } = event;
  if (action.type === 'error') failures.set(query, action.error);
  const error = action.type === 'fetch' && query.state.data === undefined ? failures.get(query) : undefined;
  if (error) query.setState({ error, status: 'error' });
}

/**
 * The cache of the console. The last data stays visible during a refresh, and so does a failure. The page that runs the
 * query shows its failure.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 1 && mayPass(error),
      retryDelay: 300,
      // Queries that failed because the node was down run again after the node is back.
      refetchInterval: ({ state: { error, errorUpdateCount } }) =>
        error !== null && mayPass(error) ? pauseAfter(errorUpdateCount) : false,
    },
    mutations: { retry: false },
  },
});

queryClient.getQueryCache().subscribe(keepFailure);
