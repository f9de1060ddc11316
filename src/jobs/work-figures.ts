/** Counts the scheduled work of all apps that this process has done as the leader. */
export class WorkFigures {
  /** Ended runs of jobs. */
  readonly runs = { succeeded: 0, failed: 0 };
  readonly #queues = new Map<string, { waiting: number; since: number }>();

  /**
   * Records the queue of mails and texts of an app.
   * @param since Time at which the oldest was queued, in milliseconds since 1970; null for an empty queue.
   */
  setQueue(ref: string, waiting: number, since: number | null): void {
    if (since === null) this.#queues.delete(ref);
    else this.#queues.set(ref, { waiting, since });
  }

  /** Forgets the queue of an app, or of all apps if this process no longer leads. */
  forget(ref?: string): void {
    if (ref === undefined) this.#queues.clear();
    else this.#queues.delete(ref);
  }

  /** Returns the queues that are not empty. */
  queues(): { app: string; waiting: number; since: number }[] {
    return [...this.#queues].map(([app, queue]) => ({ app, ...queue }));
  }
}
