import type { UseQueryResult } from '@tanstack/react-query';
import { Failure } from '../../ui/failure.tsx';
import { failureFacts } from '../queries/api-failure.ts';

/** Shows the error of a query across the page, with a button that repeats the query. */
export function QueryFailure({
  query: { error, refetch, isFetching },
}: {
  query: Pick<UseQueryResult, 'error' | 'isFetching'> & { readonly refetch: () => Promise<unknown> };
}) {
  return error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />;
}
