import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';

/** One computation of a password hash. `make` returns the hash, `verify` whether the password has it. */
type HashTask =
  | { readonly make: 'argon2'; readonly password: string; readonly options: Options }
  | { readonly verify: 'argon2' | 'bcrypt'; readonly password: string; readonly hash: string };

/** Result of the thread; `failed` is the message of an error. */
type HashOutcome = { readonly result: string | boolean } | { readonly failed: string };

/** Time without a task after which a thread ends and releases its memory. */
const IDLE_MILLISECONDS = 60_000;

const { resolve } = createRequire(import.meta.url);

/**
 * The program of a thread. On Linux, a priority applies to the calling thread only: requests and PostgreSQL get the
 * processor before a hash does, so that a flood of sign-ins does not delay them. The threads of libuv, which also read
 * files and resolve names, keep their priority. The program is a text because it runs in built and in unbuilt code.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
if (process.platform === 'linux') require('node:os').setPriority(10);
const argon2 = require(workerData.argon2);
const bcrypt = require(workerData.bcrypt);
const run = ({ make, verify, password, hash, options }) => {
  if (make) return argon2.hashSync(password, options);
  return verify === 'argon2' ? argon2.verifySync(hash, password) : bcrypt.verifySync(password, hash);
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
  /** Receives the result of the current task. */
  settle: ((outcome: HashOutcome) => void) | null;
  timer: NodeJS.Timeout | null;
}

/** Computes password hashes in threads of a low priority. A task starts a thread if no thread is idle. */
export class HashThreads {
  readonly #idle: HashThread[] = [];

  /** Runs a task. The caller limits how many tasks run at once. */
  run(task: HashTask): Promise<string | boolean> {
    const thread = this.#idle.pop() ?? this.#start();
    if (thread.timer) clearTimeout(thread.timer);
    thread.worker.ref();
    return new Promise((done, fail) => {
      thread.settle = (outcome) => {
        thread.settle = null;
        if ('failed' in outcome) fail(new Error(outcome.failed));
        else done(outcome.result);
      };
      thread.worker.postMessage(task);
    });
  }

  #start(): HashThread {
    const worker = new Worker(PROGRAM, {
      eval: true,
      // The thread only computes, so it gets no secrets of the environment.
      env: {},
      execArgv: [],
      workerData: { argon2: resolve('@node-rs/argon2'), bcrypt: resolve('@node-rs/bcrypt') },
    });
    const thread: HashThread = { worker, settle: null, timer: null };
    worker.on('message', (outcome: HashOutcome) => {
      this.#release(thread);
      thread.settle?.(outcome);
    });
    worker.on('error', (error) => thread.settle?.({ failed: error.message }));
    worker.on('exit', () => {
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
      thread.settle?.({ failed: 'the thread of a password hash has ended' });
    });
    return thread;
  }

  /** Lets the next task use the thread, and ends the thread if there is none for a while. */
  #release(thread: HashThread): void {
    thread.worker.unref();
    thread.timer = setTimeout(() => {
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
      void thread.worker.terminate();
    }, IDLE_MILLISECONDS).unref();
    this.#idle.push(thread);
  }
}
