import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type ImageJob, type ImageMessage, type ImageResult, MEMORY_EXIT } from './image-message.ts';

/** The limits of the process: its memory in bytes, and the milliseconds that one image may take. */
interface Bounds {
  readonly memory: number;
  readonly milliseconds: number;
}

const standardBounds: Bounds = {
  memory: limits.imageMemory.default,
  milliseconds: limits.imageMilliseconds.default,
};

/** The time in milliseconds that the start of the process may take. */
const START_MILLISECONDS = 15_000;
/** The idle time after which the process ends and frees its memory. The next image starts a new process. */
const IDLE_MILLISECONDS = 30_000;
/** The memory of the process that JavaScript may use, in megabytes. The pixels are outside of it. */
const HEAP_MEGABYTES = 64;
/** The part of the allowed memory from which the process is replaced, because freed memory does not always return. */
const REPLACED_PART = 0.5;
/** The number of characters of stderr that the cause of an error has. */
const LAST_WORDS = 500;

/** Error of a process that something outside of the node ended, so that the image is not to blame. */
class EndedFromOutside extends Error {}

/** The result of the start, which is the first job of each process. */
const STARTED: ImageResult = { isMissing: true };

interface Job {
  readonly resolve: (result: ImageResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A process that scales one image at a time. Decoders of images are large programs in C, so they run apart from the
 * requests: without secrets and connections, and with limits of time and memory. The first image starts the process.
 */
export class ImageProcess {
  readonly #entry: URL;
  readonly #bounds: Bounds;
  #child: ChildProcess | null = null;
  #isStarted: Promise<void> = Promise.resolve();
  #job: Job | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param entry The built file of `image-process-main.ts`. */
  constructor(entry: URL, bounds: Bounds = standardBounds) {
    this.#entry = entry;
    this.#bounds = bounds;
  }

  /** The id of the process; undefined if none runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Scales an image. The caller waits for the result before the next image.
   * @throws NinefoldError ImageRefused if the image takes too much time or memory, or ends the process; ImagesUnavailable
   */
  async run(job: ImageJob): Promise<ImageResult> {
    try {
      return await this.#attempt(job);
    } catch (error) {
      if (!(error instanceof EndedFromOutside)) throw error;
      return this.#attempt(job).catch((cause: unknown) => {
        throw cause instanceof EndedFromOutside ? new NinefoldError('ImageRefused', { cause }) : cause;
      });
    }
  }

  /** Starts the process if it does not run, so that the next image need not wait for the start. */
  prepare(): void {
    if (this.#child) return;
    this.#start();
    // The next image starts the process again and reports a lasting failure.
    this.#isStarted.catch(() => undefined);
  }

  /** Ends the process. */
  close(): void {
    this.#end(new EndedFromOutside('The worker ends.'));
  }

  async #attempt(job: ImageJob): Promise<ImageResult> {
    if (!this.#child) this.#start();
    const child = this.#child;
    await this.#isStarted;
    if (!child || this.#child !== child) throw new EndedFromOutside('The process ended before the image.');
    return new Promise((resolve, reject) => {
      this.#job = { resolve, reject };
      this.#setTimer(this.#bounds.milliseconds, () => {
        this.#lost(child, refused('Scaling the image takes too long.', 'imageMilliseconds'));
      });
      // If the message cannot be sent, the process has ended, and the event `close` rejects the job.
      child.send(job, () => undefined);
    });
  }

  #start(): void {
    const child = fork(fileURLToPath(this.#entry), [String(this.#bounds.memory)], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      // The process gets no environment variables and thus no secrets.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    let hasStarted = false;
    let stderrTail = '';
    child.stderr?.on('data', (said: Buffer) => {
      stderrTail = `${stderrTail}${said}`.slice(-LAST_WORDS);
    });
    this.#isStarted = new Promise((resolve, reject) => {
      const started = () => {
        hasStarted = true;
        resolve();
      };
      this.#job = { resolve: started, reject };
      this.#setTimer(START_MILLISECONDS, () => this.#lost(child, unavailable(new Error('The process did not start.'))));
    });
    child.on('message', (message: ImageMessage) => this.#receive(child, message));
    child.on('error', (error) => this.#lost(child, unavailable(error)));
    child.on('close', (code, signal) => {
      const cause = new Error(`The process that scales images ended with ${signal ?? code}: ${stderrTail}`);
      this.#lost(child, endedBy(signal, code, hasStarted, cause));
    });
  }

  #receive(child: ChildProcess, message: ImageMessage): void {
    if (this.#child !== child) return;
    if ('isAvailable' in message) {
      if (message.isAvailable) this.#settle((job) => job.resolve(STARTED));
      else this.#end(unavailable(new Error(message.problem)));
      return;
    }
    const { result, memory } = message;
    this.#settle((job) => job.resolve(result));
    if (memory > this.#bounds.memory * REPLACED_PART) this.#end(new EndedFromOutside('The process was replaced.'));
  }

  #settle(how: (job: Job) => void): void {
    const job = this.#job;
    this.#job = null;
    this.#setTimer(IDLE_MILLISECONDS, () => this.close());
    if (job) how(job);
  }

  #setTimer(milliseconds: number, onTime: () => void): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(onTime, milliseconds).unref();
  }

  #lost(child: ChildProcess, error: Error): void {
    if (this.#child === child) this.#end(error);
  }

  #end(error: Error): void {
    const job = this.#job;
    this.#child?.kill('SIGKILL');
    this.#child = null;
    this.#job = null;
    if (this.#timer) clearTimeout(this.#timer);
    job?.reject(error);
  }
}

function endedBy(signal: NodeJS.Signals | null, code: number | null, hasStarted: boolean, cause: Error): Error {
  if (signal === 'SIGKILL' || signal === 'SIGTERM') return new EndedFromOutside(cause.message, { cause });
  if (code === MEMORY_EXIT) return refused('Scaling the image takes too much memory.', 'imageMemory', cause);
  return hasStarted ? new NinefoldError('ImageRefused', { cause }) : unavailable(cause);
}

const refused = (message: string, limit: 'imageMilliseconds' | 'imageMemory', cause?: Error): NinefoldError =>
  new NinefoldError('ImageRefused', { message, limit, cause });

const unavailable = (cause: Error): NinefoldError => new NinefoldError('ImagesUnavailable', { cause });
