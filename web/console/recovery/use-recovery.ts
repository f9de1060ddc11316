import { useEffect, useEffectEvent } from 'react';
import { ApiFailure } from '../data/api-failure.ts';
import { mayPass } from '../data/query-client.ts';
import { MissingCode } from './code.ts';

const checkEvery = 2000;
const storageKey = 'ninefold-reloaded-at';
/** Minimum time in ms between two automatic reloads, because the code may still be missing after a reload. */
const reloadEvery = 60_000;

/** Reloads the page and stores the time of the reload, so that `useRecovery` does not reload again and again. */
export function reload(): void {
  sessionStorage.setItem(storageKey, String(Date.now()));
  location.reload();
}

const hasJustReloaded = (): boolean => Date.now() - Number(sessionStorage.getItem(storageKey)) < reloadEvery;

/** Returns true if the node responds and reaches its database. */
const isHealthy = (): Promise<boolean> =>
  fetch('/health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * After a transient error, calls `retry` as soon as the node is healthy. If code of the console is missing, reloads the
 * page instead.
 * @param error The failure; null if there is none.
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
