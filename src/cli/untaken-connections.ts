import type { Worker as ClusterWorker } from 'node:cluster';

/** A connection that the primary has accepted, as Node's cluster hands it to a worker. */
interface Handle {
  close(): void;
}

/**
 * Closes the connections that a worker was handed and had not taken when it ended. The primary's copy of a connection is closed when
 * the worker acknowledges it (lib/internal/cluster/round_robin_handle.js of Node). A worker that is killed before never does, and the
 * client would wait for ever. The caller must call this before the worker listens.
 */
export function closeUntakenConnections(worker: ClusterWorker): void {
  const { process: child } = worker;
  const untaken = new Map<unknown, Handle>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: unknown, ...rest: unknown[]): boolean => {
    const { act, seq } = message as { act?: unknown; seq?: unknown };
    const [handle] = rest;
    if (act === 'newconn' && handle) untaken.set(seq, handle as Handle);
    return send(message, ...rest);
  };
  child.on('internalMessage', ({ ack }: { ack?: unknown }) => untaken.delete(ack));
  // The event disconnect does not come while a handle is on its way.
  child.once('exit', () => {
    for (const handle of untaken.values()) handle.close();
    untaken.clear();
  });
}
