import { MutationCache, type Query, QueryCache, type QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api-failure.ts';

let onSignedOut: (() => void) | null = null;

/** Says what happens when the server no longer knows the session: once, by the router. */
export const setSignedOutHandler = (action: () => void): void => {
  onSignedOut = action;
};

/** Codes of refusals after which the builder signs in again, or shows or adds a second factor. */
const endings: ReadonlySet<string> = new Set(['operator_required', 'second_factor_needed', 'second_factor_required']);

const notice = (error: unknown) => {
  // A call made as somebody else may be refused with 401 too: that is an answer, not the end of the builder's session.
  if (error instanceof ApiFailure && endings.has(error.code)) onSignedOut?.();
};

/** Returns whether a request may succeed later without a change: the server did not answer, or it was unavailable. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.status === null || error.status >= 502;

/** Returns the pause before a failed query is sent again, in milliseconds: 1 s at first, then up to 5 s. */
const pauseAfter = (failures: number): number => Math.min(5000, 500 * 2 ** failures);

/** Renews an answer while it is in sight; not one that was refused for good. In milliseconds. */
export const refetchEvery =
  (every: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error === null || mayPass(state.error) ? every : false;

/** The last failure of each query that has no answer. */
const failures = new WeakMap<Query<unknown, unknown>, Error>();

/** Keeps a failure in sight while its query is sent again: without this it would be pending, and the page would flicker. */
function keepFailure(event: QueryCacheNotifyEvent) {
  if (event.type !== 'updated') return;
  const { query, action } = event;
  if (action.type === 'error') failures.set(query, action.error);
  const error = action.type === 'fetch' && query.state.data === undefined ? failures.get(query) : undefined;
  if (error) query.setState({ error, status: 'error' });
}

/**
 * One cache for the whole console. The last answer stays in sight while a new one is fetched, and so does a failure, which is shown by
 * the page that asked.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 1 && mayPass(error),
      retryDelay: 300,
      // Queries that failed because the node was down run again once it is back.
      refetchInterval: ({ state: { error, errorUpdateCount } }) =>
        error !== null && mayPass(error) ? pauseAfter(errorUpdateCount) : false,
    },
    mutations: { retry: false },
  },
});

queryClient.getQueryCache().subscribe(keepFailure);
