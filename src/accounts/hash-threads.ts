import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';

/**
 * One computation of a password hash. `make` returns the hash of the password. `verify` returns true if the password
 * has the given hash.
 */
type HashTask =
  | { readonly make: 'argon2'; readonly password: string; readonly options: Options }
  | { readonly verify: 'argon2' | 'bcrypt'; readonly password: string; readonly hash: string };

/** Result of the thread; `failed` is the message of an error. */
type HashOutcome = { readonly result: string | boolean } | { readonly failed: string };

/** Time without a task after which a thread ends and releases its memory, unless it is the only one. */
const IDLE_MILLISECONDS = 60_000;

const { resolve } = createRequire(import.meta.url);

/**
 * The program of a thread. On Linux, a priority applies to the calling thread only: requests and PostgreSQL get the
 * processor before a hash does, so that a flood of sign-ins does not delay them. The threads of libuv, which also read
 * files and resolve names, keep their priority. The program is a string, so that it runs the same way in the built
 * server and from the sources.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const argon2 = require(workerData.argon2);
if (process.platform === 'linux') require('node:os').setPriority(10);
const run = ({ make, verify, password, hash, options }) => {
  if (make) return argon2.hashSync(password, options);
  return verify === 'argon2' ? argon2.verifySync(hash, password) : require(workerData.bcrypt).verifySync(password, hash);
};
parentPort.on('message', (task) => {
  try {
    parentPort.postMessage({ result: run(task) });
  } catch (error) {
    parentPort.postMessage({ failed: String(error.message) });
  }
});
`;

interface HashThread {
  readonly worker: Worker;
  /** Functions that receive the results of the thread's tasks, in the order of the tasks. */
  readonly settles: ((outcome: HashOutcome) => void)[];
  timer: NodeJS.Timeout | null;
}

/**
 * Computes password hashes in threads of a low priority. A thread gets further tasks before it has ended the current
 * one, so that it never waits for a busy event loop.
 */
export class HashThreads {
  readonly #threads = new Set<HashThread>();
  readonly #max: number;

  /** @param max The maximum number of threads. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Runs a task. The caller limits how many tasks run at once. */
  run(task: HashTask): Promise<string | boolean> {
    const thread = this.#freest();
    if (thread.timer) clearTimeout(thread.timer);
    thread.timer = null;
    thread.worker.ref();
    return new Promise((done, fail) => {
      thread.settles.push((outcome) => {
        if ('failed' in outcome) fail(new Error(outcome.failed));
        else done(outcome.result);
      });
      thread.worker.postMessage(task);
    });
  }

  /** Returns an idle thread. Without one, starts a thread, or returns the thread with the fewest tasks. */
  #freest(): HashThread {
    let freest: HashThread | null = null;
    for (const thread of this.#threads) {
      if (freest === null || thread.settles.length < freest.settles.length) freest = thread;
    }
    if (freest === null || (freest.settles.length > 0 && this.#threads.size < this.#max)) return this.#start();
    return freest;
  }

  #start(): HashThread {
    const worker = new Worker(PROGRAM, {
      eval: true,
      // The thread only computes, so it gets no secrets of the environment.
      env: {},
      execArgv: [],
      workerData: { argon2: resolve('@node-rs/argon2'), bcrypt: resolve('@node-rs/bcrypt') },
    });
    const thread: HashThread = { worker, settles: [], timer: null };
    this.#threads.add(thread);
    worker.on('message', (outcome: HashOutcome) => {
      const settle = thread.settles.shift();
      if (thread.settles.length === 0) this.#endWhenIdle(thread);
      settle?.(outcome);
    });
    const fail = (failed: string): void => {
      this.#threads.delete(thread);
      for (const settle of thread.settles.splice(0)) settle({ failed });
    };
    worker.on('error', (error) => fail(error.message));
    worker.on('exit', () => fail('the thread of a password hash has ended'));
    return thread;
  }

  /**
   * Ends the thread if it gets no task for a while. One thread stays: its start takes longer than a sign-in, and a small app has
   * seldom two sign-ins a minute.
   */
  #endWhenIdle(thread: HashThread): void {
    thread.worker.unref();
    thread.timer = setTimeout(() => {
      if (this.#threads.size === 1) return;
      this.#threads.delete(thread);
      void thread.worker.terminate();
    }, IDLE_MILLISECONDS).unref();
  }
}
