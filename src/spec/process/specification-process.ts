import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { NotCachedError } from './not-cached.ts';
import { type Input, type Output, type TaskName, type TaskResult, type TaskRunner, toError } from './task-result.ts';

interface Waiting {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
}

/** What the process may take: memory in bytes, and milliseconds for one task. */
interface Bounds {
  memory: number;
  milliseconds: number;
}

const standardBounds: Bounds = {
  memory: limits.specificationMemory.default,
  milliseconds: limits.specificationMilliseconds.default,
};

/** After so long without a task it ends, and what it held is free; who asks next has it made anew. */
const IDLE_MILLISECONDS = 600_000;

/** How much of what it said at its end is told. */
const LAST_WORDS = 2000;

/**
 * The process that derives the specifications of a node and holds them, started by the first task: so that neither takes from the
 * calls of its workers, and an app that is too large, or made to look so, ends nothing but its own task. Tasks are done one after the other, in
 * the order in which they were given. One that takes too long or too much memory ends the process, and fails; whoever waits behind it
 * gets `NotCachedError`, as nothing is held any more.
 */
export class SpecificationProcess implements TaskRunner {
  readonly #entry: URL;
  readonly #bounds: Bounds;
  #child: ChildProcess | null = null;
  /** In the order in which they were given. */
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** `entry`: the built file of `entry.ts`; the limits' own bounds when missing. */
  constructor(entry: URL, bounds: Bounds = standardBounds) {
    this.#entry = entry;
    this.#bounds = bounds;
  }

  run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve, reject) => {
      // Where it cannot be sent the process has ended, which is told below.
      child.send({ name, input }, () => undefined);
      this.#waiting.push({ resolve: (output) => resolve(output as Output<Name>), reject });
      if (this.#waiting.length === 1) this.#timeFirst();
    });
  }

  /** Ends the process; what is under way gets `NotCachedError`. */
  close(): void {
    this.#end(new NotCachedError());
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(this.#entry), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${Math.round(this.#bounds.memory / 2 ** 20)}`],
      // It computes and does nothing else: no secret of the environment is for it.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
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
      // How V8 ends without memory; and whoever else ends it, which says nothing of the task.
      this.#lost(
        child,
        signal === 'SIGABRT' ? tooLarge(cause) : signal === 'SIGKILL' ? new NotCachedError({ cause }) : cause,
      );
    });
    return child;
  }

  /** Bounds the time of the task that is under way, or else that of doing nothing. */
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

/** Out of memory or of time: both tell of an app that is too large, or made to look so. */
const tooLarge = (cause?: Error): NinefoldError => new NinefoldError('specification_too_large', { cause });
