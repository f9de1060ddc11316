import type { Worker as ClusterWorker } from 'node:cluster';

/** A connection that the primary accepted and that Node's cluster module passes to a worker. */
interface Handle {
  close(): void;
}

/**
 * Closes connections that were passed to a worker which ended before it accepted them. The primary closes its copy of a
 * connection only when the worker acknowledges the connection (lib/internal/cluster/round_robin_handle.js of Node.js).
 * A worker that was killed before that never acknowledges it, and the client would wait forever. Call this function
 * before the worker listens.
 */
export function closeUnacceptedConnections(worker: ClusterWorker): void {
  const { process: child } = worker;
  const unaccepted = new Map<unknown, Handle>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: unknown, ...rest: unknown[]): boolean => {
    const { act, seq } = message as { act?: unknown; seq?: unknown };
    const [handle] = rest;
    if (act === 'newconn' && handle) unaccepted.set(seq, handle as Handle);
    return send(message, ...rest);
  };
  child.on('internalMessage', ({ ack }: { ack?: unknown }) => unaccepted.delete(ack));
  // The event `disconnect` is not emitted while a connection is being passed.
  child.once('exit', () => {
    for (const handle of unaccepted.values()) handle.close();
    unaccepted.clear();
  });
}
