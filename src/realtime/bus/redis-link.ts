import { limits } from '../../../contract/limits.ts';
import { Batcher } from './batcher.ts';
import { BrokerSeal } from './broker-seal.ts';
import { BATCH_BYTES, BATCH_MILLISECONDS } from './bus-message.ts';
import { controlFrame, MAX_FRAME_BYTES, readFrames } from './frame.ts';
import type { NodeLink, NodeLinkHandlers } from './node-link.ts';
import { OutQueue, type QueuedFrame } from './out-queue.ts';
import { Peers } from './peers.ts';
import { connectRedis, type RedisConnection } from './redis-connection.ts';

/**
 * Interval at which a node publishes a sign of life, which it receives itself, and the time without a reply or a message
 * after which the broker does not work.
 */
const HEARTBEAT_MILLISECONDS = 500;
const SILENCE_MILLISECONDS = 1200;
/** Time after which a new connection has received the signs of life of all other nodes. */
const INTRODUCTION_MILLISECONDS = 2000;
/** Number of nodes whose last sequence number is stored. */
const MAX_SEQUENCES = 1000;
/** Pause after the first failed attempt to connect, and the longest pause. */
const FIRST_RETRY_MILLISECONDS = 250;
const LAST_RETRY_MILLISECONDS = 10_000;
/** Largest message of the broker. A batch has at most one frame more than BATCH_BYTES, and the seal. */
const MAX_MESSAGE_BYTES = BATCH_BYTES + MAX_FRAME_BYTES + 1024;

export interface RedisLinkOptions {
  readonly nodeId: string;
  readonly url: string;
  /** The key that all nodes of the installation share. */
  readonly masterKey: Uint8Array;
  readonly handlers: NodeLinkHandlers;
  /** Called with an error when the broker does not work, and with null when it works. */
  readonly onState: (error: unknown) => void;
}

/**
 * The link of a node to the others through Redis or Valkey. Each app has a channel, to which a node subscribes while it
 * holds a topic of the app; a further channel is for the signs of life of the nodes. Batches are sealed, because other
 * programs may use the broker too.
 */
export class RedisLink implements NodeLink {
  readonly #options: RedisLinkOptions;
  readonly #seal: BrokerSeal;
  readonly #peers: Peers;
  readonly #nodesChannel: string;
  /** Number of topics that this node holds, by app. */
  readonly #apps = new Map<string, number>();
  /** The last sequence number of each node. */
  readonly #sequences = new Map<string, number>();
  readonly #queue = new OutQueue();
  readonly #batcher: Batcher;
  #connection: RedisConnection | null = null;
  /** Resolves when the broker has confirmed the subscriptions. A question may be published only then. */
  #subscribing: Promise<unknown> = Promise.resolve();
  #sequence = 0;
  /** When the broker last replied to the publishing connection, and sent a message to the subscribing one. */
  #repliedAt = 0;
  #receivedAt = 0;
  #connectedAt = 0;
  #beatAt = 0;
  #pause = FIRST_RETRY_MILLISECONDS;
  #timer: NodeJS.Timeout | null = null;
  #isFailed = false;
  #isClosed = false;
  #malformed = 0;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#seal = new BrokerSeal(options.masterKey);
    this.#peers = new Peers(options.nodeId, options.handlers);
    this.#nodesChannel = `ninefold:${this.#seal.name}:nodes`;
    this.#batcher = new Batcher({
      queue: this.#queue,
      milliseconds: BATCH_MILLISECONDS,
      maxBytes: BATCH_BYTES,
      send: (batch, sent) => void this.#send(batch).finally(sent),
    });
    void this.#connect();
  }

  /** Number of frames that this node dropped. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Number of messages of the broker that no node of this installation has sent, and of malformed frames. */
  get malformed(): number {
    return this.#malformed;
  }

  /** Number of other nodes that run. */
  get peers(): number {
    return this.#peers.size;
  }

  hold(key: string): void {
    const ref = refOf(key);
    const count = this.#apps.get(ref) ?? 0;
    this.#apps.set(ref, count + 1);
    if (count === 0) this.#changeSubscription('subscribe', ref);
  }

  release(key: string): void {
    const ref = refOf(key);
    const count = this.#apps.get(ref) ?? 0;
    if (count > 1) {
      this.#apps.set(ref, count - 1);
    } else if (this.#apps.delete(ref)) {
      this.#changeSubscription('unsubscribe', ref);
    }
  }

  publish(frame: QueuedFrame): void {
    if (frame.kind === 'lost') this.#queue.lose(frame);
    else if (this.#connection === null) this.#queue.drop(frame);
    else if (this.#peers.size > 0 || this.#isIntroducing) this.#queue.push(frame);
    this.#schedule();
  }

  workerEnded(id: string): void {
    if (this.#connection === null) return;
    this.#queue.pushControl(controlFrame('ended', { from: id }));
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#batcher.close();
    const ended = controlFrame('ended', { from: this.#options.nodeId });
    // A broker that does not reply must not delay the end of the node.
    const timeout = new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MILLISECONDS));
    const told = this.#connection?.publish([this.#sealed(this.#nodesChannel, ended)]).catch(() => undefined);
    await Promise.race([told, timeout]);
    this.#connection?.destroy();
    this.#connection = null;
  }

  /** True while other nodes may run that this node does not know. */
  get #isIntroducing(): boolean {
    return performance.now() - this.#connectedAt < INTRODUCTION_MILLISECONDS;
  }

  #remember(node: string, sequence: number): void {
    this.#sequences.set(node, sequence);
    const [oldest] = this.#sequences.keys();
    if (this.#sequences.size > MAX_SEQUENCES && oldest !== undefined) this.#sequences.delete(oldest);
  }

  #schedule(): void {
    if (this.#connection !== null) this.#batcher.schedule();
  }

  #channelOf(ref: string): string {
    return ref === '' ? this.#nodesChannel : `ninefold:${this.#seal.name}:app:${ref}`;
  }

  async #connect(): Promise<void> {
    let own: RedisConnection | null = null;
    let hasFailed = false;
    const onFailed = (error: unknown) => {
      hasFailed = true;
      if (own !== null && own === this.#connection) this.#fail(error);
    };
    try {
      own = await connectRedis(this.#options.url, {
        onMessage: (channel, message) => this.#onMessage(channel, message),
        onFailed,
      });
      const channels = [this.#nodesChannel, ...[...this.#apps.keys()].map((ref) => this.#channelOf(ref))];
      const subscribed = new Set(this.#apps.keys());
      await own.subscribe(channels);
      if (hasFailed || this.#isClosed) throw new Error('the connection ended');
      this.#connection = own;
      this.#subscribing = Promise.resolve();
      for (const ref of this.#apps.keys()) if (!subscribed.has(ref)) this.#changeSubscription('subscribe', ref);
      for (const ref of subscribed) if (!this.#apps.has(ref)) this.#changeSubscription('unsubscribe', ref);
      this.#onConnected();
    } catch (error) {
      own?.destroy();
      this.#fail(error);
    }
  }

  #onConnected(): void {
    const now = performance.now();
    this.#isFailed = false;
    this.#pause = FIRST_RETRY_MILLISECONDS;
    this.#repliedAt = now;
    this.#receivedAt = now;
    this.#beatAt = now;
    this.#connectedAt = now;
    this.#peers.allSeen(now);
    this.#options.onState(null);
    this.#options.handlers.onConnected(true);
    // The other nodes missed the messages of this node.
    this.#queue.lose({ ref: '', topic: '' });
    this.#schedule();
    this.#beat();
  }

  /** Closes the connection and connects again after a pause. */
  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const connection = this.#connection;
    this.#connection = null;
    connection?.destroy();
    this.#queue.clear();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), this.#pause).unref();
    this.#pause = Math.min(this.#pause * 2, LAST_RETRY_MILLISECONDS);
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#options.onState(error);
    this.#options.handlers.onConnected(false);
  }

  /** Publishes a sign of life, and checks that the previous ones arrived. */
  #beat(): void {
    const connection = this.#connection;
    if (connection === null) return;
    const now = performance.now();
    const pause = now - this.#beatAt;
    this.#beatAt = now;
    if (pause > SILENCE_MILLISECONDS) {
      // This process did not run, so nothing is known about the broker and the other nodes.
      this.#repliedAt = now;
      this.#receivedAt = now;
      this.#peers.allSeen(now);
    }
    // The other nodes have voided what the workers of this node announced.
    if (pause > limits.realtimeNodeSilenceSeconds.default * 1000) this.#options.handlers.onLost({ ref: '', topic: '' });
    if (this.#isSilentAt(now)) {
      // If this process was busy, messages may have arrived without being read. Node reads sockets before it runs the
      // next immediate.
      setImmediate(() => {
        const isSilent = connection === this.#connection && this.#isSilentAt(now);
        if (isSilent) this.#fail(new Error('the broker does not pass on messages'));
      });
    }
    this.#peers.sweep(now);
    connection.publish([this.#sealed(this.#nodesChannel, new Uint8Array(0))]).then(
      () => {
        this.#repliedAt = performance.now();
      },
      () => undefined,
    );
    this.#timer = setTimeout(() => this.#beat(), HEARTBEAT_MILLISECONDS).unref();
  }

  #isSilentAt(now: number): boolean {
    return now - Math.min(this.#repliedAt, this.#receivedAt) > SILENCE_MILLISECONDS;
  }

  #changeSubscription(change: 'subscribe' | 'unsubscribe', ref: string): void {
    const connection = this.#connection;
    if (connection === null) return;
    const changed = connection[change]([this.#channelOf(ref)]).catch((error: unknown) => {
      if (connection === this.#connection) this.#fail(error);
    });
    this.#subscribing = Promise.all([this.#subscribing, changed]);
  }

  #sealed(channel: string, frames: Uint8Array): readonly [string, Buffer] {
    const { nodeId: node } = this.#options;
    return [channel, this.#seal.seal(channel, { node, sequence: ++this.#sequence, frames })];
  }

  async #send(batch: Uint8Array): Promise<void> {
    await this.#subscribing;
    const connection = this.#connection;
    if (connection === null) return;
    const byApp = new Map<string, Uint8Array[]>();
    readFrames(batch, ({ ref, bytes }) => {
      const frames = byApp.get(ref) ?? [];
      frames.push(bytes);
      byApp.set(ref, frames);
    });
    const messages = [...byApp].map(([ref, frames]) => this.#sealed(this.#channelOf(ref), Buffer.concat(frames)));
    try {
      await connection.publish(messages);
      this.#repliedAt = performance.now();
    } catch (error) {
      if (connection === this.#connection) this.#fail(error);
    }
  }

  #onMessage(channel: string, message: Buffer): void {
    const opened = message.length > MAX_MESSAGE_BYTES ? null : this.#seal.open(channel, message);
    if (opened === null) {
      this.#malformed++;
      return;
    }
    this.#receivedAt = performance.now();
    const { node, sequence, frames } = opened;
    if (node === this.#options.nodeId) return;
    if (sequence <= (this.#sequences.get(node) ?? 0)) {
      this.#malformed++;
      return;
    }
    this.#peers.seen(node, performance.now());
    if (this.#peers.get(node) === undefined) return;
    this.#remember(node, sequence);
    const isComplete = readFrames(frames, (frame) => {
      if (frame.kind === 'ended' && frame.from === node) {
        this.#peers.ended(node);
      } else if (!this.#peers.receive(node, frame)) {
        this.#malformed++;
      }
    });
    if (!isComplete) this.#malformed++;
  }
}

const refOf = (key: string): string => key.slice(0, key.indexOf('/'));
