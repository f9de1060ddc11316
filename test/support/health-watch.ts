import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How long requests to /health took while a test did something else, in milliseconds. */
export interface HealthTimes {
  readonly max: number;
  readonly count: number;
  /** The longest delay of a timer in the thread that sends these requests. The machine may have caused this part of `max`, not the node. */
  readonly noise: number;
}

/**
 * Code of the thread that sends the requests. It is separate, so that computations of the test do not count. Each
 * request uses a new connection, so that the requests reach every worker.
 */
const observer = `
  const { parentPort, workerData } = require('node:worker_threads');
  const http = require('node:http');
  const times = [];
  let noise = 0;
  let expected = performance.now() + 10;
  const timer = setInterval(() => {
    noise = Math.max(noise, performance.now() - expected);
    expected = performance.now() + 10;
  }, 10);
  let stopped = false;
  const call = () => {
    const started = performance.now();
    http.get(workerData + '/health', { agent: false }, (response) => {
      response.resume();
      response.on('end', () => {
        times.push(performance.now() - started);
        if (times.length === 1) parentPort.postMessage('started');
        if (!stopped) return setTimeout(call, 5);
        clearInterval(timer);
        parentPort.postMessage({ max: Math.max(...times), count: times.length, noise });
      });
    });
  };
  parentPort.on('message', () => { stopped = true; });
  call();
`;

/** Sends requests to /health again and again until `work` is done. */
export async function healthDuring(url: string, work: () => Promise<unknown>): Promise<HealthTimes> {
  const thread = new Worker(observer, { eval: true, workerData: url });
  await once(thread, 'message');
  try {
    await work();
  } finally {
    thread.postMessage('stop');
  }
  const [times] = (await once(thread, 'message')) as [HealthTimes];
  await thread.terminate();
  return times;
}
