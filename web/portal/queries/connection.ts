import { useSyncExternalStore } from 'react';
import { t } from '../../language/messages.ts';

/** Pause in ms between two attempts to reach the app while the connection is lost. */
const RETRY_MILLISECONDS = 5000;

let isLost = false;
/** How often the connection was lost. */
let losses = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The error of a request that got no response, because there is no connection or the server does not run. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Sends a request. A response ends a loss of the connection, unless the request was sent before the loss: such a response
 * can arrive while the browser is offline.
 * @throws Unreachable if there is no response
 */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  const before = losses;
  try {
    const response = await fetch(path, init);
    if (losses === before) setLost(false);
    return response;
  } catch {
    throw new Unreachable(t('unreachable'));
  }
}

/** Returns true if a request failed because it got no response. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'Unreachable' || error.name === 'AuthRetryableFetchError');

/** Records that the app cannot be reached. Until it responds, `retry` is called at intervals. */
export function loseConnection(retry: () => void): void {
  if (isLost) return;
  losses += 1;
  timer = setInterval(retry, RETRY_MILLISECONDS);
  setLost(true);
}

function setLost(value: boolean): void {
  if (isLost === value) return;
  isLost = value;
  if (!isLost) clearInterval(timer);
  for (const listener of listeners) listener();
}

/** Returns true while the app cannot be reached. */
export const isConnectionLost = (): boolean => isLost;

/** Returns `isConnectionLost()`, and renders the component again when it changes. */
export const useLostConnection = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isConnectionLost);
