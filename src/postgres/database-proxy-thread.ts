import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseProxy, type ProxyOptions } from './database-proxy.ts';
import { systemCode } from './start-error.ts';

/** Entry point of the thread that accepts TCP connections to PostgreSQL. */

// On Linux, the priority applies to the thread only: a client that moves much data must not slow requests down.
if (process.platform === 'linux') setPriority(10);

DatabaseProxy.listen(workerData as ProxyOptions).then(
  () => parentPort?.postMessage({ code: null }),
  (error: unknown) => parentPort?.postMessage({ code: systemCode(error) || String(error) }),
);
