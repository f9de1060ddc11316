import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limits } from '../../../../contract/limits.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { NotCachedError } from './not-cached.ts';
import { type Input, type Output, type TaskName, type TaskResult, type TaskRunner, toError } from './task-result.ts';

interface Waiting {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
}

/** The limits of the process: its memory in bytes, and the milliseconds that one task may take. */
interface Bounds {
  memory: number;
  milliseconds: number;
}

const standardBounds: Bounds = {
  memory: limits.specificationMemory.default,
  milliseconds: limits.specificationMilliseconds.default,
};

/** The idle time after which the process ends and frees its memory. The next task starts a new process. */
const IDLE_MILLISECONDS = 600_000;

/** The number of characters of stderr that the error of an ended process contains. */
const LAST_WORDS = 2000;

/**
 * The process that derives and caches the specifications of a node. The first task starts it. A separate process keeps
 * this work away from the calls of the workers, and an app that is too large fails only its own task. Tasks run one at
 * a time, in the order of their arrival. A task that takes too long or too much memory fails and ends the process. The
 * waiting tasks then fail with `NotCachedError`, because the cache is lost.
 */
export class SpecificationProcess implements TaskRunner {
  readonly #entry: URL;
  readonly #onStart: (pid: number | undefined) => void;
  readonly #bounds: Bounds;
  #child: ChildProcess | null = null;
  /** The running task, followed by the tasks that wait for it, in the order of their arrival. */
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;

  /**
   * @param entry The built file of `process-main.ts`.
   * @param onStart Called with the id of each started process; undefined if it could not be started.
   * @param bounds The limits of the process; by default the values in `contract/limits`.
   */
  constructor(entry: URL, onStart: (pid: number | undefined) => void, bounds: Bounds = standardBounds) {
    this.#entry = entry;
    this.#onStart = onStart;
    this.#bounds = bounds;
  }

  run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve, reject) => {
      // If the message cannot be sent, the process has ended, and the event `close` rejects the task.
      child.send({ name, input }, () => undefined);
      this.#waiting.push({ resolve: (output) => resolve(output as Output<Name>), reject });
      if (this.#waiting.length === 1) this.#timeFirst();
    });
  }

  /** Ends the process. Unfinished tasks fail with `NotCachedError`. */
  close(): void {
    this.#end(new NotCachedError());
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(this.#entry), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${Math.round(this.#bounds.memory / 2 ** 20)}`],
      // The process only computes, so it gets no environment variables and thus no secrets.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#onStart(child.pid);
    let stderrTail = '';
    child.stderr?.on('data', (said: Buffer) => {
      stderrTail = `${stderrTail}${said}`.slice(-LAST_WORDS);
    });
    child.on('message', (answer: TaskResult) => {
      if (this.#child !== child) return;
      const first = this.#waiting.shift();
      this.#timeFirst();
      if ('output' in answer) first?.resolve(answer.output);
      else first?.reject(toError(answer));
    });
    child.on('error', (error) => this.#lost(child, error));
    child.on('close', (code, signal) => {
      const cause = new Error(`the specification's process ended with ${signal ?? code}: ${stderrTail}`);
      // V8 ends with SIGABRT if it has no memory left, so the running task is too large. SIGKILL comes from outside the
      // process, so it says nothing about the task.
      this.#lost(
        child,
        signal === 'SIGABRT' ? tooLarge(cause) : signal === 'SIGKILL' ? new NotCachedError({ cause }) : cause,
      );
    });
    return child;
  }

  /** Starts the timer for the running task, or for the idle time if there is none. */
  #timeFirst(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const isIdle = this.#waiting.length === 0;
    this.#timer = setTimeout(
      () => {
        if (isIdle) this.close();
        else this.#lost(child, tooLarge());
      },
      isIdle ? IDLE_MILLISECONDS : this.#bounds.milliseconds,
    ).unref();
  }

  #lost(child: ChildProcess, error: Error): void {
    if (this.#child === child) this.#end(error);
  }

  #end(first: Error): void {
    const waiting = this.#waiting;
    this.#child?.kill('SIGKILL');
    this.#child = null;
    this.#waiting = [];
    if (this.#timer) clearTimeout(this.#timer);
    for (const [i, { reject }] of waiting.entries()) reject(i === 0 ? first : new NotCachedError());
  }
}

/**
 * An app that needs too much memory or time is reported as too large. Code of the app may also have caused this on
 * purpose.
 */
const tooLarge = (cause?: Error): NinefoldError => new NinefoldError('specification_too_large', { cause });
