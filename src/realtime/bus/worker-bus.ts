import { Batcher } from './batcher.ts';
import type { Bus, BusMessage, BusSubscriber } from './bus.ts';
import {
  BATCH_BYTES,
  BATCH_MILLISECONDS,
  type BusToPrimary,
  type BusToWorker,
  type SendMessage,
} from './bus-message.ts';
import { encodeMessage, type Frame, readFrames, topicKey } from './frame.ts';
import { OutQueue } from './out-queue.ts';

/** Number of ended workers whose late messages are ignored. */
const MAX_ENDED = 1000;

/** One subscription. A subscriber may have several. */
interface Subscription {
  readonly subscriber: BusSubscriber;
}

/** The bus of a worker. It exchanges batches with the switch of the primary. */
export class WorkerBus implements Bus {
  readonly id: string;
  readonly #onFault: (error: unknown) => void;
  readonly #topics = new Map<string, Set<Subscription>>();
  /** Topics whose subscription the switch does not know yet. */
  readonly #changedTopics = new Map<string, boolean>();
  readonly #ended = new Set<string>();
  readonly #queue = new OutQueue();
  readonly #batcher: Batcher;
  #isConnected = true;
  /** Number of messages with topics that were sent, and of those that the switch has handled. */
  #sentRounds = 0;
  #heldRounds = 0;
  #waiting: { readonly round: number; readonly resolve: () => void }[] = [];

  /** @param onFault Called with the error of a subscriber. */
  constructor(id: string, send: SendMessage<BusToPrimary>, onFault: (error: unknown) => void) {
    this.id = id;
    this.#onFault = onFault;
    this.#batcher = new Batcher({
      queue: this.#queue,
      milliseconds: BATCH_MILLISECONDS,
      maxBytes: BATCH_BYTES,
      hasMore: () => this.#changedTopics.size > 0,
      send: (frames, sent) => {
        const topics = [...this.#changedTopics];
        this.#changedTopics.clear();
        if (topics.length > 0) this.#sentRounds++;
        send({ type: 'bus', topics, round: this.#sentRounds, frames }, sent);
      },
    });
  }

  /** Number of messages that were dropped because the primary did not take them in time. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  publish(message: BusMessage): void {
    const bytes = encodeMessage(message, this.id);
    if (bytes === null) this.#queue.drop(message);
    else this.#queue.push({ ...message, bytes });
    this.#batcher.schedule();
  }

  subscribe(ref: string, topic: string, subscriber: BusSubscriber): () => void {
    const key = topicKey(ref, topic);
    const subscribers = this.#topics.get(key) ?? new Set();
    const entry: Subscription = { subscriber };
    subscribers.add(entry);
    if (subscribers.size === 1) this.#changeTopic(key, subscribers);
    if (!this.#isConnected) {
      // The caller does not have the result of this call yet.
      queueMicrotask(() => {
        if (!this.#isConnected && subscribers.has(entry)) this.#call(entry, (it) => it.onConnected(false));
      });
    }
    return () => {
      if (subscribers.delete(entry) && subscribers.size === 0) this.#changeTopic(key, null);
    };
  }

  subscribed(): Promise<void> {
    const round = this.#sentRounds + (this.#changedTopics.size > 0 ? 1 : 0);
    if (this.#heldRounds >= round) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ round, resolve }));
  }

  /** Handles a message of the primary. */
  receive({ frames }: BusToWorker): void {
    readFrames(frames, (frame) => this.#onFrame(frame));
  }

  close(): void {
    this.#batcher.close();
  }

  #changeTopic(key: string, subscribers: Set<Subscription> | null): void {
    if (subscribers === null) this.#topics.delete(key);
    else this.#topics.set(key, subscribers);
    // A change that the switch does not know yet is undone by its opposite.
    if (!this.#changedTopics.delete(key)) this.#changedTopics.set(key, subscribers !== null);
    this.#batcher.schedule();
  }

  #onFrame({ kind, from, ref, topic, body }: Frame): void {
    switch (kind) {
      case 'lost':
        this.#tell(ref === '' ? null : topicKey(ref, topic), (subscriber) => {
          subscriber.onConnected(false);
          // While messages of other nodes do not arrive, `connected` follows later.
          if (this.#isConnected) subscriber.onConnected(true);
        });
        return;
      case 'ended':
        this.#rememberEnded(from);
        this.#tell(null, (subscriber) => subscriber.onPeerLost(from));
        return;
      case 'silent':
        this.#tell(null, (subscriber) => subscriber.onPeerLost(from));
        return;
      case 'connected':
      case 'disconnected':
        this.#isConnected = kind === 'connected';
        this.#tell(null, (subscriber) => subscriber.onConnected(this.#isConnected));
        return;
      case 'held':
        this.#onHeld(Number(from));
        return;
      case 'topics':
        return;
      default:
        if (this.#ended.has(from)) return;
        this.#tell(topicKey(ref, topic), (subscriber) => subscriber.receive({ kind, ref, topic, body }, from));
    }
  }

  #onHeld(round: number): void {
    this.#heldRounds = round;
    const ready = this.#waiting.filter((each) => each.round <= round);
    this.#waiting = this.#waiting.filter((each) => each.round > round);
    for (const { resolve } of ready) resolve();
  }

  /** Calls the subscribers of a topic, or of all topics if `key` is null. */
  #tell(key: string | null, call: (subscriber: BusSubscriber) => void): void {
    const all = key === null ? [...this.#topics.values()] : [this.#topics.get(key) ?? []];
    for (const subscriptions of all) for (const each of [...subscriptions]) this.#call(each, call);
  }

  /** An error of one subscriber must not keep messages from others. */
  #call({ subscriber }: Subscription, call: (subscriber: BusSubscriber) => void): void {
    try {
      call(subscriber);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #rememberEnded(id: string): void {
    this.#ended.add(id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }
}
