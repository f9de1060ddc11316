import { setTimeout as after } from 'node:timers/promises';

/** Closes the idle connections of one pool. Resolves once they are closed. */
type CloseIdle = () => Promise<unknown>;

/** The closing functions of all pools in this process. */
const closers = new Set<CloseIdle>();

let making: Promise<void> | null = null;

/**
 * Registers a function that `closeIdleConnections` calls when the server has no free slot. Returns a function that
 * removes it.
 */
export function registerIdleCloser(closeIdle: CloseIdle): () => void {
  closers.add(closeIdle);
  return () => closers.delete(closeIdle);
}

/**
 * Closes the idle connections of all pools in this process. A connection belongs to one database and one role, so other
 * pools cannot use it, but it takes a slot of the server. Resolves once the connections are closed, or after
 * `milliseconds`.
 */
export function closeIdleConnections(milliseconds: number): Promise<void> {
  making ??= Promise.race([
    Promise.all([...closers].map((closeIdle) => closeIdle())).then(() => undefined),
    after(milliseconds, undefined, { ref: false }),
  ]).finally(() => {
    making = null;
  });
  return making;
}
