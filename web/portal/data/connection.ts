import { useSyncExternalStore } from 'react';
import { t } from '../../language/messages.ts';

/** Interval in ms at which the pages try to reach the app while the connection is lost. */
const RETRY_MILLISECONDS = 5000;

let isLost = false;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** A request without a response: there is no connection, or the server does not run. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Sends a request. @throws Unreachable without a response */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new Unreachable(t('unreachable'));
  }
}

/** Returns true for the error of a request without a response. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'Unreachable' || error.name === 'AuthRetryableFetchError');

/** Records that the app answered, or that a request got no response. While there is no connection, `retry` runs. */
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
