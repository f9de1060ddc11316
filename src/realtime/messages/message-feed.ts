import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { readMark, readMessages, type Snapshot, type StoredMessage } from './message-reader.ts';
import { MessageWriters } from './message-writers.ts';

/** Pause between two reads. */
const POLL_MILLISECONDS = 200;
/** Shortest pause between two reads, for an app that the API writes to all the time. */
const POKED_MILLISECONDS = 10;
/** Pause after a read that PostgreSQL refused, such as without the table. */
const REFUSED_MILLISECONDS = 30_000;
/** Pause after a read that failed otherwise. */
const RETRY_MILLISECONDS = 1000;
/** Longest list of topics that a read sends. With more topics, a read gets the messages of all topics. */
const MAX_TOPICS_CHARACTERS = 8000;

/** SQLSTATEs of a database without schema realtime or without the table. Such a database existed before its app. */
const MISSING: readonly string[] = ['3F000', '42P01'];

/** The surroundings of a feed. */
export interface MessageFeedOptions {
  /** Connections as the app's authenticator. */
  readonly database: Executor;
  /** Returns the largest payload in bytes. A message with a larger payload is left out. */
  maxPayloadBytes(): number;
  /** Delivers a message to the channels of its topic in this worker. */
  deliver(message: StoredMessage): void;
  /** Reports messages that were not delivered, for the log of the app. */
  onGap(reason: string): void;
}

/**
 * The rows of realtime.messages of one app that became visible, in one worker, while a topic is watched. Every worker
 * reads for itself, so messages of SQL do not pass the bus.
 */
export class MessageFeed {
  readonly #options: MessageFeedOptions;
  /** Number of channels by topic. */
  readonly #topics = new Map<string, number>();
  #topicsJson: string | null = null;
  #since: Snapshot | null = null;
  #writers = new MessageWriters();
  #timer: NodeJS.Timeout | null = null;
  #isReading = false;
  #isPoked = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: MessageFeedOptions) {
    this.#options = options;
  }

  /** Delivers the messages of a topic. Returns a function that ends this. */
  watch(topic: string): () => void {
    const count = this.#topics.get(topic) ?? 0;
    this.#topics.set(topic, count + 1);
    if (count === 0) this.#topicsJson = null;
    if (this.#topics.size === 1 && count === 0) this.poke();
    let isWatching = true;
    return () => {
      if (isWatching) this.#leave(topic);
      isWatching = false;
    };
  }

  /** Resolves when the messages of each later transaction will be delivered, or when no topic is watched. */
  ready(): Promise<void> {
    if (this.#since || this.#topics.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Reads now and not only after the pause, because the API has just written. */
  poke(): void {
    this.#isPoked = true;
    if (!this.#isReading) void this.#run();
  }

  /** Ends all deliveries. */
  close(): void {
    this.#topics.clear();
    this.#stop();
  }

  #leave(topic: string): void {
    const count = this.#topics.get(topic) ?? 0;
    if (count > 1) this.#topics.set(topic, count - 1);
    else if (this.#topics.delete(topic)) this.#topicsJson = null;
    if (this.#topics.size === 0) this.#stop();
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#since = null;
    this.#resolveWaiting();
  }

  #resolveWaiting(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #run(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isReading = true;
    let pause = POLL_MILLISECONDS;
    while (this.#isPoked && this.#topics.size > 0) {
      this.#isPoked = false;
      pause = await this.#read();
      if (this.#isPoked) await delay(POKED_MILLISECONDS, undefined, { ref: false });
    }
    this.#isReading = false;
    this.#isPoked = false;
    if (this.#topics.size === 0) return;
    this.#timer = setTimeout(() => this.poke(), pause).unref();
  }

  /** Reads once. Returns the pause before the next read in milliseconds. */
  async #read(): Promise<number> {
    try {
      const mark = await readMark(this.#options.database);
      if (!this.#since) this.#begin(mark.snapshot);
      else if (this.#writers.mayHaveWritten(mark)) {
        const until = await this.#deliverSince(this.#since);
        if (until) this.#writers.onRead(mark.value, until);
      }
      return POLL_MILLISECONDS;
    } catch (error) {
      if (!(error instanceof DatabaseError)) return RETRY_MILLISECONDS;
      if (!MISSING.includes(error.sqlstate)) {
        this.#options.onGap(`realtime.messages cannot be read: ${error.message}`);
      }
      // The messages of the pause would be late.
      this.#since = null;
      this.#resolveWaiting();
      return REFUSED_MILLISECONDS;
    }
  }

  #begin(snapshot: Snapshot): void {
    this.#writers = new MessageWriters();
    if (this.#topics.size > 0) this.#since = snapshot;
    this.#resolveWaiting();
  }

  /** Returns the snapshot up to which the messages are delivered; null if no topic is watched any longer. */
  async #deliverSince(since: Snapshot): Promise<Snapshot | null> {
    let until: Snapshot | null = null;
    let after: string | null = null;
    let delivered = 0;
    do {
      const page = await readMessages(this.#options.database, {
        since,
        until,
        after,
        topics: this.#topicList(),
        maxPayloadBytes: this.#options.maxPayloadBytes(),
      });
      // No topic is watched any longer, or others since a new beginning.
      if (this.#since !== since) return null;
      until ??= page.snapshot;
      after = page.after;
      delivered += page.messages.length;
      for (const message of page.messages) this.#deliver(message);
      if (after !== null && delivered >= limits.realtimeDatabaseMessages.default) {
        this.#options.onGap('Too many rows were inserted into realtime.messages. The last ones were not delivered.');
        after = null;
      }
    } while (after !== null);
    this.#since = until;
    return until;
  }

  #deliver(message: StoredMessage): void {
    if (!this.#topics.has(message.topic)) return;
    if (message.payload) this.#options.deliver(message);
    else this.#options.onGap(`The payload of a row of realtime.messages is too large: id ${message.id}`);
  }

  #topicList(): string | null {
    if (this.#topicsJson === null) {
      // PostgreSQL refuses a list with a topic that no row can have.
      const storable = [...this.#topics.keys()].filter((topic) => !/[\0\p{Surrogate}]/u.test(topic));
      const json = JSON.stringify(storable);
      this.#topicsJson = json.length <= MAX_TOPICS_CHARACTERS ? json : '';
    }
    return this.#topicsJson === '' ? null : this.#topicsJson;
  }
}
