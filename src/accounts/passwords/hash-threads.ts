import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';

/** The derivation of a key from a password, by a function of Node.js. */
export type DeriveTask =
  | {
      readonly derive: 'scrypt';
      readonly salt: Buffer;
      readonly bytes: number;
      readonly options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number };
    }
  | {
      readonly derive: 'pbkdf2';
      readonly salt: Buffer;
      readonly bytes: number;
      readonly passes: number;
      readonly digest: string;
    };

/**
 * One computation of a password hash. `make` returns the hash of the password. `verify` returns true if the password
 * has the given hash. `derive` returns the key.
 */
export type HashTask =
  | { readonly make: 'argon2'; readonly password: string; readonly options: Options }
  | { readonly verify: 'argon2' | 'bcrypt'; readonly password: string; readonly hash: string }
  | (DeriveTask & { readonly password: string });

type HashResult = string | boolean | Uint8Array;

/** Result of the thread; `failed` is the message of an error. */
type HashOutcome = { readonly result: HashResult } | { readonly failed: string };

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
if (process.platform === 'linux') require('node:os').setPriority(workerData.nice);
const { pbkdf2Sync, scryptSync } = require('node:crypto');
const run = ({ make, verify, derive, password, hash, options, salt, bytes, passes, digest }) => {
  if (make) return argon2.hashSync(password, options);
  if (derive === 'scrypt') return scryptSync(password, salt, bytes, options);
  if (derive) return pbkdf2Sync(password, salt, passes, bytes, digest);
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

/** The threads of one kind of tasks. */
export interface HashThreadsOptions {
  /** Maximum number of threads. */
  readonly max: number;
  /** Priority of the threads, see nice(2). */
  readonly nice: number;
  /** True if one thread stays while there are no tasks. */
  readonly keepsOne: boolean;
}

/**
 * Computes password hashes in threads of a low priority. A thread gets further tasks before it has ended the current
 * one, so that it never waits for a busy event loop.
 */
export class HashThreads {
  readonly #threads = new Set<HashThread>();
  readonly #options: HashThreadsOptions;

  constructor(options: HashThreadsOptions) {
    this.#options = options;
  }

  /** Runs a task. The caller limits how many tasks run at once. */
  run(task: HashTask): Promise<HashResult> {
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
    if (freest === null || (freest.settles.length > 0 && this.#threads.size < this.#options.max)) return this.#start();
    return freest;
  }

  #start(): HashThread {
    const worker = new Worker(PROGRAM, {
      eval: true,
      // The thread only computes, so it gets no secrets of the environment.
      env: {},
      execArgv: [],
      workerData: { nice: this.#options.nice, argon2: resolve('@node-rs/argon2'), bcrypt: resolve('@node-rs/bcrypt') },
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
   * Ends the thread if it gets no task for a while. With `keepsOne`, one thread stays: its start takes longer than a
   * sign-in, and a small app has seldom two sign-ins a minute.
   */
  #endWhenIdle(thread: HashThread): void {
    thread.worker.unref();
    thread.timer = setTimeout(() => {
      if (this.#options.keepsOne && this.#threads.size === 1) return;
      this.#threads.delete(thread);
      void thread.worker.terminate();
    }, IDLE_MILLISECONDS).unref();
  }
}
