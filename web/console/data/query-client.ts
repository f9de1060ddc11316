import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api-failure.ts';

let onSignedOut: (() => void) | null = null;

/** Says what happens when the server no longer knows the session: once, by the router. */
export const whenSignedOut = (action: () => void): void => {
  onSignedOut = action;
};

const notice = (error: unknown) => {
  // A call made as somebody else may be refused with 401 too: that is an answer, not the end of the builder's session.
  if (error instanceof ApiFailure && error.code === 'operator_required') onSignedOut?.();
};

/** Whether a failure may pass by itself: no answer, or the database for a moment not there. */
const passing = (error: unknown) => !(error instanceof ApiFailure) || error.status === null || error.status >= 502;

/** Renews an answer while it is in sight; not one that was refused for good. In milliseconds. */
export const renewed =
  (every: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error === null || passing(state.error) ? every : false;

/**
 * One cache for the whole console. The last answer stays in sight while a new one is fetched; a failure is shown
 * by the page that asked.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: { staleTime: 5_000, retry: (failures, error) => failures < 1 && passing(error), retryDelay: 300 },
    mutations: { retry: false },
  },
});
