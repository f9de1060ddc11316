import { limits } from '../../contract/limits.ts';

/** Messages that let a worker wait until the other workers of the node use its change of an app. */
export type ChangeMessage =
  /** From the worker to the primary. */
  | { type: 'app changed'; id: number; ref: string }
  /** From the primary to the other workers. */
  | { type: 'catch up'; round: number; ref: string }
  /** From each of these workers to the primary. */
  | { type: 'caught up'; round: number }
  /** From the primary to the worker that changed the app. */
  | { type: 'all caught up'; id: number };

type Message<Type extends ChangeMessage['type']> = Extract<ChangeMessage, { type: Type }>;

/** Used by a worker that changes an app: reports the change to the primary and waits until the other workers use it. */
export class ChangeClient {
  readonly #send: (message: Message<'app changed'>) => void;
  readonly #waiting = new Map<number, () => void>();
  #last = 0;

  constructor(send: (message: Message<'app changed'>) => void) {
    this.#send = send;
  }

  /**
   * Resolves once the other workers of the node use all changes of an app that were committed before this call. If a
   * worker does not respond, the promise resolves after the limit listenerTrustMilliseconds, because then this worker
   * no longer uses the data from before the change.
   */
  everyWorker(ref: string): Promise<void> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ type: 'app changed', id, ref });
    });
  }

  /** Handles the response of the primary. */
  onAllCaughtUp({ id }: Message<'all caught up'>): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}

/** Used by the primary: asks the other workers to catch up with a change, and waits for their responses. */
export class ChangeRounds<Worker> {
  readonly #rounds = new Map<number, { readonly waitsFor: Set<Worker>; readonly end: () => void }>();
  #last = 0;

  /**
   * Asks workers to catch up with the changes of an app. Resolves when each has responded or ended, or after the limit
   * listenerTrustMilliseconds.
   */
  async run(
    ref: string,
    workers: readonly Worker[],
    send: (worker: Worker, message: Message<'catch up'>) => void,
  ): Promise<void> {
    if (workers.length === 0) return;
    const round = ++this.#last;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#rounds.get(round)?.end(), limits.listenerTrustMilliseconds.default);
      const end = () => {
        clearTimeout(timer);
        this.#rounds.delete(round);
        resolve();
      };
      this.#rounds.set(round, { waitsFor: new Set(workers), end });
      for (const worker of workers) send(worker, { type: 'catch up', round, ref });
    });
  }

  /** Handles the response of a worker. */
  onCaughtUp(worker: Worker, { round }: Message<'caught up'>): void {
    this.#remove(worker, round);
  }

  /** Stops waiting for a worker that has ended. */
  onEnded(worker: Worker): void {
    for (const round of [...this.#rounds.keys()]) this.#remove(worker, round);
  }

  #remove(worker: Worker, round: number): void {
    const found = this.#rounds.get(round);
    if (found?.waitsFor.delete(worker) && found.waitsFor.size === 0) found.end();
  }
}
