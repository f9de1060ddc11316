/**
 * Runs in each worker of a node (NODE_OPTIONS). Records the processor time that the main thread used between two runs of
 * a timer of 5 ms. Unlike elapsed time, processor time does not grow when other programs use the machine. Only Linux
 * provides it (proc(5), schedstat).
 */
const cluster = require('node:cluster');
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const folder = process.env.LOOP_TURNS_FOLDER;

if (folder && cluster.isWorker && isMainThread && process.platform === 'linux') {
  const used = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  let last = used();
  let longest = 0;
  setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5).unref();
  setInterval(() => {
    appendFileSync(join(folder, String(process.pid)), `${Date.now()} ${longest}\n`);
    longest = 0;
  }, 100).unref();
}
