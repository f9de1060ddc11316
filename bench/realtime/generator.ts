import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Order, Report, Target } from './orders.ts';

/** Processes of the load generator. */
const PROCESSES = 2;
const POLL_MILLISECONDS = 5;
const LATE_MILLISECONDS = 50;

const startProcess = (name: string): ChildProcess =>
  fork(fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), { execArgv: [] });

const nextMessage = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process of the bench ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message: T) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });

/** The processes that hold the sockets. The first of them sends the broadcasts. */
export class Generator {
  readonly #processes = Array.from({ length: PROCESSES }, () => startProcess('sockets-process'));

  /** Opens sockets, and joins them if the target says so. */
  async open(target: Target, count: number): Promise<void> {
    const each = Math.ceil(count / PROCESSES);
    await this.#all((i) => ({
      kind: 'open',
      target,
      first: i * each,
      count: Math.min(each, count - i * each),
    }));
  }

  async send(order: Extract<Order, { kind: 'send' }>): Promise<void> {
    await this.#all(() => ({ kind: 'reset' }));
    await this.#one(0, order);
  }

  /** Stops to send. Returns the messages that were sent and received since `send`. */
  async stop(): Promise<Report> {
    return this.#all(() => ({ kind: 'stop' }));
  }

  /** Counts the messages that arrive within some milliseconds. */
  measure(milliseconds: number): Promise<Report> {
    return this.#all(() => ({ kind: 'measure', milliseconds }));
  }

  /**
   * Waits until messages have arrived since the last call of this method, and a moment longer for messages that nobody
   * expects.
   */
  async expect(messages: number, milliseconds = 10_000): Promise<Report> {
    const until = performance.now() + milliseconds;
    while (performance.now() < until) {
      const { received } = await this.#all(() => ({ kind: 'count' }));
      if (received >= messages) break;
      await after(POLL_MILLISECONDS);
    }
    await after(LATE_MILLISECONDS);
    return this.#all(() => ({ kind: 'reset' }));
  }

  presence(joinMilliseconds: number, members: number): Promise<Report> {
    return this.#all(() => ({ kind: 'presence', joinMilliseconds, members }));
  }

  /** Closes the sockets. */
  async close(): Promise<void> {
    await this.#all(() => ({ kind: 'close' }));
  }

  end(): void {
    for (const each of this.#processes) each.kill('SIGKILL');
  }

  async #all(order: (i: number) => Order): Promise<Report> {
    const reports = await Promise.all(this.#processes.map((_, i) => this.#one(i, order(i))));
    return {
      sent: (reports[0] as Report).sent,
      received: reports.reduce((sum, { received }) => sum + received, 0),
      ages: reports.flatMap(({ ages }) => ages),
      closed: reports.reduce((sum, { closed }) => sum + closed, 0),
      lastAt: Math.max(...reports.map(({ lastAt }) => lastAt)),
    };
  }

  #one(i: number, order: Order): Promise<Report> {
    const child = this.#processes[i] as ChildProcess;
    const done = nextMessage<Report>(child);
    child.send(order);
    return done;
  }
}

/** Runs work with a load generator. */
export async function withGenerator<T>(work: (generator: Generator) => Promise<T>): Promise<T> {
  const generator = new Generator();
  try {
    return await work(generator);
  } finally {
    generator.end();
  }
}

/** Runs work with bare servers. */
export async function withBareServers<T>(count: number, work: (ports: readonly number[]) => Promise<T>): Promise<T> {
  const children = Array.from({ length: count }, () => startProcess('bare-sockets-process'));
  try {
    return await work(await Promise.all(children.map((child) => nextMessage<number>(child))));
  } finally {
    for (const child of children) child.disconnect();
  }
}
