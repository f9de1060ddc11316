import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RealtimeUsage } from '../../../contract/realtime.ts';
import type { Bus, BusSubscriber } from '../bus/bus.ts';
import { totalUsage, type WorkerUsage } from './worker-usage.ts';

/** How long a worker waits for the usage in other workers. */
const WAIT_MILLISECONDS = 200;
/** How long an answer serves later questions about the same app. */
const FRESH_MILLISECONDS = 500;
/** Topic of questions. The ref is empty, so no topic of an app is equal to it. */
const QUESTIONS = { ref: '', topic: 'usage' };

const question = z.object({ id: z.string(), from: z.string(), ref: z.string() });
const answer = z.object({ id: z.string(), usage: z.custom<WorkerUsage>() });

/** Collects the usage of an app from all workers over the bus. */
export class UsageExchange {
  readonly #bus: Bus;
  readonly #own: (ref: string) => WorkerUsage | null;
  readonly #waiting = new Map<string, WorkerUsage[]>();
  readonly #running = new Map<string, { readonly usage: Promise<RealtimeUsage>; readonly until: number }>();
  readonly #unsubscribe: readonly (() => void)[];

  /** @param own Returns the usage in this worker; null if the app has no socket here. */
  constructor(bus: Bus, own: (ref: string) => WorkerUsage | null) {
    this.#bus = bus;
    this.#own = own;
    this.#unsubscribe = [
      bus.subscribe(
        QUESTIONS.ref,
        QUESTIONS.topic,
        subscriber((body) => this.#onQuestion(body)),
      ),
      bus.subscribe(
        QUESTIONS.ref,
        answersOf(bus.id),
        subscriber((body) => this.#onAnswer(body)),
      ),
    ];
  }

  /** Returns the usage in all workers that answer in time. Questions at the same time share an answer. */
  of(ref: string): Promise<RealtimeUsage> {
    const now = performance.now();
    const running = this.#running.get(ref);
    if (running && running.until > now) return running.usage;
    for (const [known, { until }] of this.#running) if (until <= now) this.#running.delete(known);
    const usage = this.#ask(ref);
    this.#running.set(ref, { usage, until: now + WAIT_MILLISECONDS + FRESH_MILLISECONDS });
    return usage;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  async #ask(ref: string): Promise<RealtimeUsage> {
    const id = randomUUID();
    const found: WorkerUsage[] = [];
    this.#waiting.set(id, found);
    this.#send(QUESTIONS.topic, { id, from: this.#bus.id, ref });
    await new Promise((resolve) => setTimeout(resolve, WAIT_MILLISECONDS));
    this.#waiting.delete(id);
    const own = this.#own(ref);
    return totalUsage(own ? [...found, own] : found);
  }

  #onQuestion(body: unknown): void {
    const { success, data } = question.safeParse(body);
    const usage = success ? this.#own(data.ref) : null;
    if (success && usage) this.#send(answersOf(data.from), { id: data.id, usage });
  }

  #onAnswer(body: unknown): void {
    const { success, data } = answer.safeParse(body);
    if (success) this.#waiting.get(data.id)?.push(data.usage);
  }

  #send(topic: string, body: unknown): void {
    this.#bus.publish({ ref: QUESTIONS.ref, topic, kind: 'broadcast', body: Buffer.from(JSON.stringify(body)) });
  }
}

const answersOf = (worker: string): string => `usage of ${worker}`;

const subscriber = (receive: (body: unknown) => void): BusSubscriber => ({
  receive: ({ body }) => receive(JSON.parse(Buffer.from(body).toString('utf8'))),
  onPeerLost: () => undefined,
  onConnected: () => undefined,
});
