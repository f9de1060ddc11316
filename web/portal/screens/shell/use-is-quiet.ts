import { useEffect, useState } from 'react';
import { rowsKey } from '../../queries/rows.ts';
import { queryClient } from '../../queries/session.ts';

/** Interval in ms at which the page checks whether its rows are read. */
const QUIET_MILLISECONDS = 300;
/** Time in ms after which a page counts as one that reads no rows. */
const ROWLESS_MILLISECONDS = 1500;

/**
 * Returns true once the page has read its rows, so that counts for the navigation and the head do not delay them. It asks the cache
 * instead of subscribing to it: each request of the page would otherwise draw the navigation again.
 */
export function useIsQuiet(): boolean {
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    if (isQuiet) return;
    const started = performance.now();
    const timer = setInterval(() => {
      const hasRows = queryClient.getQueryCache().findAll({ queryKey: rowsKey }).length > 0;
      const isStarted = hasRows || performance.now() - started > ROWLESS_MILLISECONDS;
      if (isStarted && queryClient.isFetching({ queryKey: rowsKey }) === 0) setQuiet(true);
    }, QUIET_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isQuiet]);
  return isQuiet;
}
