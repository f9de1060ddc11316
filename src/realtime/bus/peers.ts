import { limits } from '../../../contract/limits.ts';
import type { Frame } from './frame.ts';
import type { NodeLinkHandlers } from './node-link.ts';
import type { TopicFilter } from './topic-filter.ts';

/** Form of a node's id, and the characters that it has at most. */
const NODE_ID = /^[\w-]+$/;
const MAX_ID_CHARACTERS = 32;
/** Bounds of what other nodes make this node remember. */
const MAX_PEERS = 256;
const MAX_WORKERS = 1024;
const MAX_SILENT = 1000;

/** Another node. */
interface Peer {
  seenAt: number;
  /** The workers that sent a message and have not ended. */
  readonly workers: Set<string>;
  /** The topics that the node holds; null if the link does not exchange them. */
  topics: TopicFilter | null;
}

/** The other nodes that a link knows: which ones are alive, and which workers of them have sent messages. */
export class Peers {
  readonly #own: string;
  readonly #handlers: NodeLinkHandlers;
  readonly #peers = new Map<string, Peer>();
  /** Nodes that were silent for too long. */
  readonly #silent = new Set<string>();

  constructor(own: string, handlers: NodeLinkHandlers) {
    this.#own = own;
    this.#handlers = handlers;
  }

  get size(): number {
    return this.#peers.size;
  }

  values(): IterableIterator<Peer> {
    return this.#peers.values();
  }

  /** Returns a node that was seen. */
  get(node: string): Peer | undefined {
    return this.#peers.get(node);
  }

  /**
   * Records a sign of life of a node.
   * @param now In milliseconds.
   * @returns True if the node was not known.
   */
  seen(node: string, now: number): boolean {
    const peer = this.#peers.get(node);
    if (peer) {
      peer.seenAt = now;
      return false;
    }
    if (node === this.#own || !NODE_ID.test(node) || node.length > MAX_ID_CHARACTERS || this.#peers.size >= MAX_PEERS)
      return false;
    this.#peers.set(node, { seenAt: now, workers: new Set(), topics: null });
    // The node did not run for a while. Both sides ask each other again for what they missed.
    if (this.#silent.delete(node)) this.#handlers.onLost({ ref: '', topic: '' });
    return true;
  }

  /**
   * Passes a frame of a node on.
   * @returns False if the node may not send the frame, so that it was ignored.
   */
  receive(node: string, frame: Frame): boolean {
    const peer = this.#peers.get(node);
    if (peer === undefined) return false;
    const { kind, from, ref, topic } = frame;
    if (kind === 'lost') {
      this.#handlers.onLost({ ref, topic });
      return true;
    }
    if (!from.startsWith(`${node}.`)) return false;
    if (kind === 'ended') {
      peer.workers.delete(from);
      this.#handlers.onWorkerEnded(from);
      return true;
    }
    if (kind !== 'broadcast' && kind !== 'presence' && kind !== 'changed') return false;
    if (!peer.workers.has(from) && peer.workers.size >= MAX_WORKERS) return false;
    peer.workers.add(from);
    this.#handlers.onFrame(frame);
    return true;
  }

  /** Removes a node that has ended. Its workers do not return. */
  ended(node: string): void {
    for (const id of this.#remove(node)) this.#handlers.onWorkerEnded(id);
  }

  /** Removes the nodes that have been silent for too long. */
  sweep(now: number): void {
    const before = now - limits.realtimeNodeSilenceSeconds.default * 1000;
    for (const [node, { seenAt }] of this.#peers) {
      if (seenAt >= before) continue;
      for (const id of this.#remove(node)) this.#handlers.onWorkerSilent(id);
      this.#silent.add(node);
      const [oldest] = this.#silent;
      if (this.#silent.size > MAX_SILENT && oldest !== undefined) this.#silent.delete(oldest);
    }
  }

  /** Prolongs the time of all nodes, because this node could not receive their signs of life. */
  allSeen(now: number): void {
    for (const peer of this.#peers.values()) peer.seenAt = now;
  }

  #remove(node: string): Iterable<string> {
    const workers = this.#peers.get(node)?.workers ?? [];
    this.#peers.delete(node);
    return workers;
  }
}
