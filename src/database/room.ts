import { setTimeout as after } from 'node:timers/promises';

/** Closes the connections that nobody uses, and resolves once they have ended. */
type LetGo = () => Promise<unknown>;

/** What holds connections in this process, whichever app they are of. */
const holders = new Set<LetGo>();

let making: Promise<void> | null = null;

/** From now on `letGo` is called when the server has no connection left; returns the function that ends it. */
export function offerRoom(letGo: LetGo): () => void {
  holders.add(letGo);
  return () => holders.delete(letGo);
}

/**
 * Connections belong to one database and one role, so those that idle in one pool are of no use to another while the server counts
 * them all: where it has none left, the idle ones of this process are given back. Resolves once they are, or after `milliseconds`.
 */
export function makeRoom(milliseconds: number): Promise<void> {
  making ??= Promise.race([
    Promise.all([...holders].map((letGo) => letGo())).then(() => undefined),
    after(milliseconds, undefined, { ref: false }),
  ]).finally(() => {
    making = null;
  });
  return making;
}
