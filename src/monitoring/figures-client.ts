import type { FiguresForm, FiguresMessage } from './worker-report.ts';

/** How long a worker waits for the figures of the node. */
const WAIT_MILLISECONDS = 10_000;
/** How long the primary waits for the reports of the workers. */
const REPORT_MILLISECONDS = 1000;

type Message<Type extends FiguresMessage['type']> = Extract<FiguresMessage, { type: Type }>;

/** Used by a worker: requests the figures of the node from the primary. */
export class FiguresClient {
  readonly #send: (message: Message<'node figures wanted'>) => void;
  readonly #waiting = new Map<number, (body: string | null) => void>();
  #last = 0;

  constructor(send: (message: Message<'node figures wanted'>) => void) {
    this.#send = send;
  }

  /** Returns the figures of the node as text or JSON; null if the primary cannot read them. */
  read(form: FiguresForm): Promise<string | null> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      const end = (body: string | null) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(body);
      };
      const timer = setTimeout(() => end(null), WAIT_MILLISECONDS);
      this.#waiting.set(id, end);
      this.#send({ type: 'node figures wanted', id, form });
    });
  }

  /** Handles the response of the primary. */
  onFigures({ id, body }: Message<'node figures'>): void {
    this.#waiting.get(id)?.(body);
  }
}

/** Used by the primary: asks workers for reports and waits for them. */
export class ReportRound<Worker> {
  #waitsFor = new Set<Worker>();
  #end: () => void = () => undefined;

  /** Asks workers for a report. Resolves when each has sent one or ended, or after a second. */
  async run(workers: readonly Worker[], ask: (worker: Worker) => void): Promise<void> {
    if (workers.length === 0) return;
    this.#waitsFor = new Set(workers);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REPORT_MILLISECONDS);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
      for (const worker of workers) ask(worker);
    });
  }

  /** Records that a worker has sent its report, or has ended. */
  onDone(worker: Worker): void {
    this.#waitsFor.delete(worker);
    if (this.#waitsFor.size === 0) this.#end();
  }
}
