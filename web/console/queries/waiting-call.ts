import type { ApiFailure } from './api-failure.ts';

/** A request that waits for a proof of identity. */
export interface WaitingCall {
  /** The effect of the request, in words that complete the sentence “You are about to …”. */
  readonly does: string;
  /** Ends the wait. `isProven` is true if the builder has proved their identity. */
  readonly settle: (isProven: boolean) => void;
}

let waiting: WaitingCall | null = null;
let proof: Promise<boolean> | null = null;
const listeners = new Set<() => void>();

/** Returns the request that waits for a proof of identity; null for none. */
export const waitingCall = (): WaitingCall | null => waiting;

export function onWaitingCall(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function show(call: WaitingCall | null): void {
  waiting = call;
  for (const listener of listeners) listener();
}

/**
 * Asks the builder for a proof of identity, because the server refused a request without one. If several requests wait,
 * they share one dialog. Returns false if the builder cancels.
 */
export function askForProof({ details }: ApiFailure): Promise<boolean> {
  const isNamed = typeof details === 'object' && details !== null && 'does' in details;
  const does = isNamed ? String(details.does) : 'make a sensitive change';
  proof ??= new Promise<boolean>((settle) => show({ does, settle })).finally(() => {
    proof = null;
    show(null);
  });
  return proof;
}
