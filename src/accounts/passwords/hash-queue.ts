import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../contract/limits.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/** Lets a limited number of callers of each app wait at once. */
export class LimitedPauses {
  readonly #max: number;
  readonly #waiting = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Waits. Returns false without a wait if as many callers of the app as possible wait already. */
  async wait(app: string, milliseconds: number): Promise<boolean> {
    const before = this.#waiting.get(app) ?? 0;
    if (before >= this.#max) return false;
    this.#waiting.set(app, before + 1);
    await sleep(milliseconds).finally(() => {
      const left = (this.#waiting.get(app) ?? 1) - 1;
      if (left > 0) this.#waiting.set(app, left);
      else this.#waiting.delete(app);
    });
    return true;
  }
}

interface Task {
  readonly start: () => void;
  /** Virtual time at which the turn of the task begins. */
  readonly tag: number;
}

interface AppTasks {
  readonly waiting: Task[];
  /** Virtual time at which the last task of the app ends. */
  end: number;
}

/**
 * Runs a few tasks at a time. Apps take turns by the cost of their tasks (start-time fair queueing), so that a flood of
 * one app delays a task of another app by about one turn. Tasks of the console go first, but not twice in a row while
 * others wait.
 */
export class FairQueue {
  readonly #atOnce: number;
  readonly #apps = new Map<string, AppTasks>();
  #running = 0;
  /** Virtual time: the tag of the task that was started last. */
  #now = 0;
  #wasConsole = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Number of tasks of all apps that wait. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#apps.values()) sum += waiting.length;
    return sum;
  }

  /** Returns how many tasks of the app wait. */
  waitingOf(app: string): number {
    return this.#apps.get(app)?.waiting.length ?? 0;
  }

  /**
   * Runs the work when it is the turn of its app, and returns its result.
   * @param cost Expected processor time in milliseconds.
   */
  async run<T>(app: string, cost: number, work: () => Promise<T>): Promise<T> {
    const tasks = this.#apps.get(app) ?? { waiting: [], end: 0 };
    this.#apps.set(app, tasks);
    const tag = Math.max(this.#now, tasks.end);
    tasks.end = tag + cost;
    await new Promise<void>((start) => {
      tasks.waiting.push({ start, tag });
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #startNext(): void {
    if (this.#running >= this.#atOnce) return;
    const next = this.#takeNext();
    if (next === null) return;
    this.#running++;
    next.start();
  }

  #takeNext(): Task | null {
    let first: string | null = null;
    let firstTag = Number.POSITIVE_INFINITY;
    for (const [app, { waiting, end }] of this.#apps) {
      const [task] = waiting;
      if (task === undefined) {
        // An app without tasks whose turn is over is like a new app.
        if (end <= this.#now) this.#apps.delete(app);
        continue;
      }
      const tag = app === CONSOLE_REF ? this.#tagOfConsole : task.tag;
      if (tag < firstTag) [first, firstTag] = [app, tag];
    }
    const task = first === null ? undefined : this.#apps.get(first)?.waiting.shift();
    if (task === undefined) return null;
    this.#now = Math.max(this.#now, task.tag);
    this.#wasConsole = first === CONSOLE_REF;
    return task;
  }

  get #tagOfConsole(): number {
    return this.#wasConsole ? Number.MAX_VALUE : -1;
  }
}

/**
 * Limits the processor time of the costly hashes of each app (token bucket). Times are milliseconds of
 * performance.now().
 */
export class HashBudget {
  readonly #perWindow: number;
  readonly #window: number;
  /** For each app, the time at which the app has its complete budget again. */
  readonly #fullAt = new Map<string, number>();

  constructor(
    seconds: number = limits.costlyHashSeconds.default,
    windowSeconds: number = limits.costlyHashWindowSeconds.default,
  ) {
    this.#perWindow = seconds * 1000;
    this.#window = windowSeconds * 1000;
  }

  /**
   * Takes processor time from the budget of an app.
   * @throws over_request_rate_limit with the time after which the budget suffices
   */
  take(app: string, milliseconds: number, now: number): void {
    const fullAt = Math.max(now, this.#fullAt.get(app) ?? 0) + this.#timeOf(milliseconds);
    const wait = fullAt - now - this.#window;
    if (wait > 0) throw budgetRefusal(Math.ceil(wait / 1000));
    this.#forget(now);
    this.#fullAt.set(app, fullAt);
  }

  /** Returns processor time that was not used. */
  giveBack(app: string, milliseconds: number): void {
    const fullAt = this.#fullAt.get(app);
    if (fullAt !== undefined) this.#fullAt.set(app, fullAt - this.#timeOf(milliseconds));
  }

  /** Returns the time in which an app regains this processor time. */
  #timeOf(milliseconds: number): number {
    return (milliseconds / this.#perWindow) * this.#window;
  }

  #forget(now: number): void {
    for (const [app, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(app);
  }
}

const budgetRefusal = (retryAfter: number): NinefoldError =>
  new NinefoldError('over_request_rate_limit', {
    message: 'Too many passwords with costly hashes are being checked at the moment',
    retryAfter,
    limit: 'costlyHashSeconds',
    quota: { count: limits.costlyHashSeconds.default, seconds: limits.costlyHashWindowSeconds.default },
  });

/** Returns the error of a sign-in while too many sign-ins of its app wait. */
export const queueRefusal = (): NinefoldError =>
  new NinefoldError('over_request_rate_limit', {
    message: 'Too many passwords are being checked at the moment',
    retryAfter: 1,
    limit: 'passwordHashesWaiting',
    quota: { count: limits.passwordHashesWaiting.default },
  });
