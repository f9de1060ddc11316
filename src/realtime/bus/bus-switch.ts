import { randomBytes } from 'node:crypto';
import { Batcher } from './batcher.ts';
import {
  BATCH_BYTES,
  BATCH_MILLISECONDS,
  type BusToPrimary,
  type BusToWorker,
  type SendMessage,
} from './bus-message.ts';
import { controlFrame, type Frame, type FrameKind, readFrames, topicKey } from './frame.ts';
import type { NodeLink, NodeLinkHandlers } from './node-link.ts';
import { OutQueue } from './out-queue.ts';

/** Bytes of a random node id. */
const NODE_ID_BYTES = 9;
/** The kinds of frames that a worker may send. */
const FROM_WORKERS: ReadonlySet<FrameKind> = new Set(['broadcast', 'presence', 'changed', 'lost']);

/** A worker that is connected to the switch. */
interface Port {
  readonly id: string;
  readonly topics: Set<string>;
  readonly queue: OutQueue;
  readonly batcher: Batcher;
}

/**
 * The switch of a node, in the primary process. It passes each message to the workers that hold its topic, and to the
 * link to other nodes.
 * @typeParam Worker The key by which the caller knows a worker.
 */
export class BusSwitch<Worker> {
  /** Id of this start of the node. */
  readonly nodeId: string = randomBytes(NODE_ID_BYTES).toString('base64url');
  readonly #ports = new Map<Worker, Port>();
  readonly #holders = new Map<string, Set<Port>>();
  #link: NodeLink | null = null;
  #isConnected = true;
  #dropped = 0;

  /** Messages that this process dropped because a worker or another node did not take them in time. */
  get dropped(): number {
    return [...this.#ports.values()].reduce((sum, { queue }) => sum + queue.dropped, this.#dropped);
  }

  /**
   * Adds a worker.
   * @param number A number that no other worker of this node has or had.
   * @returns The id of the worker, which no other worker of any node has or had.
   */
  add(worker: Worker, number: number, send: SendMessage<BusToWorker>): string {
    const queue = new OutQueue();
    const batcher = new Batcher({
      queue,
      milliseconds: BATCH_MILLISECONDS,
      maxBytes: BATCH_BYTES,
      send: (frames, sent) => send({ type: 'bus', frames }, sent),
    });
    const id = `${this.nodeId}.${number}`;
    this.#ports.set(worker, { id, topics: new Set(), queue, batcher });
    if (!this.#isConnected) this.#sendControl(controlFrame('disconnected', {}), [worker]);
    return id;
  }

  /** Handles a message of a worker. */
  receive(worker: Worker, { topics, round, frames }: BusToPrimary): void {
    const port = this.#ports.get(worker);
    // A message of a worker that has ended.
    if (port === undefined) return;
    for (const [key, isHeld] of topics) {
      if (isHeld) this.#hold(port, key);
      else this.#release(port, key);
    }
    if (topics.length > 0) this.#sendControl(controlFrame('held', { from: String(round) }), [worker]);
    readFrames(frames, (frame) => {
      if (!FROM_WORKERS.has(frame.kind)) return;
      this.#deliver(frame, port);
      this.#link?.publish(frame);
    });
  }

  /** Removes a worker that has ended, and informs all subscribers. */
  remove(worker: Worker): void {
    const port = this.#ports.get(worker);
    if (port === undefined) return;
    this.#ports.delete(worker);
    port.batcher.close();
    this.#dropped += port.queue.dropped;
    for (const key of port.topics) this.#release(port, key);
    this.#sendControl(controlFrame('ended', { from: port.id }));
    this.#link?.workerEnded(port.id);
  }

  /**
   * Connects the switch with other nodes. Messages of other nodes may be missing until the link reports that it works.
   * @param open Creates the link.
   */
  connect(open: (handlers: NodeLinkHandlers, nodeId: string) => NodeLink): void {
    this.#setConnected(false);
    this.#link = open(
      {
        onFrame: (frame) => this.#deliver(frame, null),
        onWorkerEnded: (id) => this.#sendControl(controlFrame('ended', { from: id })),
        onWorkerSilent: (id) => this.#sendControl(controlFrame('silent', { from: id })),
        onConnected: (isConnected) => this.#setConnected(isConnected),
        onLost: (topic) => this.#lose(topic),
      },
      this.nodeId,
    );
    for (const key of this.#holders.keys()) this.#link.hold(key);
  }

  /** Ends the link to other nodes. */
  async close(): Promise<void> {
    await this.#link?.close();
  }

  #setConnected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    this.#sendControl(controlFrame(isConnected ? 'connected' : 'disconnected', {}));
  }

  #hold(port: Port, key: string): void {
    if (port.topics.has(key)) return;
    port.topics.add(key);
    const holders = this.#holders.get(key) ?? new Set();
    this.#holders.set(key, holders.add(port));
    if (holders.size === 1) this.#link?.hold(key);
  }

  #release(port: Port, key: string): void {
    port.topics.delete(key);
    const holders = this.#holders.get(key);
    if (!holders?.delete(port) || holders.size > 0) return;
    this.#holders.delete(key);
    this.#link?.release(key);
  }

  #deliver({ kind, ref, topic, bytes }: Pick<Frame, 'kind' | 'ref' | 'topic' | 'bytes'>, origin: Port | null): void {
    if (kind === 'lost') {
      this.#lose({ ref, topic }, origin);
      return;
    }
    const holders = this.#holders.get(topicKey(ref, topic));
    if (holders === undefined) return;
    // A copy, because a waiting frame would keep its whole batch in memory.
    let copy: Uint8Array | null = null;
    for (const port of holders) {
      if (port === origin) continue;
      copy ??= Uint8Array.prototype.slice.call(bytes);
      port.queue.push({ kind, ref, topic, bytes: copy });
      port.batcher.schedule();
    }
  }

  /** Records for all holders of a topic that they missed messages. */
  #lose(topic: Pick<Frame, 'ref' | 'topic'>, origin: Port | null = null): void {
    const holders = topic.ref === '' ? this.#ports.values() : this.#holders.get(topicKey(topic.ref, topic.topic));
    for (const port of holders ?? []) {
      if (port === origin) continue;
      port.queue.lose(topic);
      port.batcher.schedule();
    }
  }

  #sendControl(frame: Uint8Array, workers: Iterable<Worker> = this.#ports.keys()): void {
    for (const worker of workers) {
      const port = this.#ports.get(worker);
      port?.queue.pushControl(frame);
      port?.batcher.schedule();
    }
  }
}
