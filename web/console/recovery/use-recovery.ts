import { useEffect, useEffectEvent } from 'react';
import { ApiFailure } from '../data/api-failure.ts';
import { mayPass } from '../data/query-client.ts';
import { MissingCode } from './code.ts';

const checkEvery = 2000;
const storageKey = 'ninefold-reloaded-at';
/** Pages that reload themselves wait this long before they do so again, in case the code is still missing. */
const reloadEvery = 60_000;

/** Reloads the page, and remembers when, so that `useRecovery` does not do it in a loop. */
export function reload(): void {
  sessionStorage.setItem(storageKey, String(Date.now()));
  location.reload();
}

const hasJustReloaded = (): boolean => Date.now() - Number(sessionStorage.getItem(storageKey)) < reloadEvery;

/** Returns whether the node answers and reaches its database. */
const isHealthy = (): Promise<boolean> =>
  fetch('/health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Calls `retry` when the node is healthy, if the error may pass by itself. Reloads the page instead if code is missing.
 *
 * @param error The failure; null while there is none.
 */
export function useRecovery(error: unknown, retry: () => void): void {
  const recover = useEffectEvent(() => {
    if (!(error instanceof MissingCode)) retry();
    else if (!hasJustReloaded()) reload();
  });
  const waits = error instanceof ApiFailure && mayPass(error);
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => {
      void isHealthy().then((healthy) => healthy && recover());
    }, checkEvery);
    return () => clearInterval(timer);
  }, [waits]);
}
