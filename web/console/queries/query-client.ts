import { MutationCache, type Query, QueryCache, type QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api-failure.ts';

let onSignedOut: (() => void) | null = null;

/** Sets the function that is called when the builder's session has ended. The console sets it once, at its start. */
export const setSignedOutHandler = (action: () => void): void => {
  onSignedOut = action;
};

/** Error codes after which the builder must sign in, or present or add a second factor. */
const endings: ReadonlySet<string> = new Set(['operator_required', 'second_factor_needed', 'second_factor_required']);

const notice = (error: unknown) => {
  // The code decides, not the status: a request that the console sends as another caller may also fail with 401, and
  // this does not end the builder's session.
  if (error instanceof ApiFailure && endings.has(error.code)) onSignedOut?.();
};

/** Returns true if the same request may succeed later, because the server did not respond or was unavailable. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.status === null || error.status >= 502;

/** Returns the pause before a failed query is sent again, in milliseconds: 1 s at first, then up to 5 s. */
const pauseAfter = (failures: number): number => Math.min(5000, 500 * 2 ** failures);

/**
 * Returns the interval in milliseconds at which a visible query is refreshed. A query is not refreshed after the server
 * refused it permanently.
 */
export const refetchEvery =
  (every: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error === null || mayPass(state.error) ? every : false;

/** The last failure of each query that has no data yet. */
const failures = new WeakMap<Query<unknown, unknown>, Error>();

/**
 * Keeps the failure of a query visible while the query runs again. Otherwise its state would change to pending and the
 * page would flicker.
 */
function keepFailure(event: QueryCacheNotifyEvent) {
  if (event.type !== 'updated') return;
  const { query, action } = event;
  if (action.type === 'error') failures.set(query, action.error);
  const error = action.type === 'fetch' && query.state.data === undefined ? failures.get(query) : undefined;
  if (error) query.setState({ error, status: 'error' });
}

/**
 * The cache of the console. During a refresh, the last data or the last failure stays visible. A failure is shown by
 * the page that runs the query.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 1 && mayPass(error),
      retryDelay: 300,
      // A query that failed because the node was down is repeated until the node is back.
      refetchInterval: ({ state: { error, errorUpdateCount } }) =>
        error !== null && mayPass(error) ? pauseAfter(errorUpdateCount) : false,
    },
    mutations: { retry: false },
  },
});

queryClient.getQueryCache().subscribe(keepFailure);
