import { useEffect, useEffectEvent } from 'react';
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
 * Recovers from a failure as soon as the node is healthy: reloads the page if a part of its code is missing, and calls
 * `retry` otherwise.
 * @param error The failure; null if there is none.
 * @param retry Repeats the failed work; null if the failure is not transient.
 */
export function useRecovery(error: unknown, retry: (() => void) | null): void {
  const isCodeMissing = error instanceof MissingCode;
  const recover = useEffectEvent(() => {
    if (!isCodeMissing) retry?.();
    else if (!hasJustReloaded()) reload();
  });
  const waits = isCodeMissing || retry !== null;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => {
      void isHealthy().then((healthy) => healthy && recover());
    }, checkEvery);
    return () => clearInterval(timer);
  }, [waits]);
}
