import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseProxy, type ProxyOptions } from './database-proxy.ts';
import { systemCode } from './start-error.ts';

/** Entry point of the thread that accepts TCP connections to PostgreSQL. */

// Lowers the priority, so that a client that moves much data does not slow requests down. On Linux, this affects only
// this thread.
if (process.platform === 'linux') setPriority(10);

DatabaseProxy.listen(workerData as ProxyOptions).then(
  () => parentPort?.postMessage({ code: null }),
  (error: unknown) => parentPort?.postMessage({ code: systemCode(error) || String(error) }),
);
