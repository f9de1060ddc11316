import { useSyncExternalStore } from 'react';
import { t } from '../../language/messages.ts';

/** Pause in ms between two attempts to reach the app while the connection is lost. */
const RETRY_MILLISECONDS = 5000;

let isLost = false;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The error of a request that got no response, because there is no connection or the server does not run. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Sends a request. @throws Unreachable if there is no response */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new Unreachable(t('unreachable'));
  }
}

/** Returns true if a request failed because it got no response. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'Unreachable' || error.name === 'AuthRetryableFetchError');

/**
 * Records whether the app has responded to a request. While the app does not respond, `retry` is called at intervals.
 */
export function setConnection(isThere: boolean, retry: () => void): void {
  if (isLost === !isThere) return;
  isLost = !isThere;
  clearInterval(timer);
  if (isLost) timer = setInterval(retry, RETRY_MILLISECONDS);
  for (const listener of listeners) listener();
}

/** Returns true while the app cannot be reached. */
export const useLostConnection = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLost,
  );
