import type { Bus, BusMessage } from '../bus/bus.ts';
import { Presence } from '../presence/presence.ts';
import { type Broadcast, isObject } from '../socket/frames.ts';
import { type Outgoing, OutgoingBroadcast, OutgoingMessage } from '../socket/outgoing.ts';

/** Name of a topic: `realtime:` is not part of it. A private topic and a public one of the same name are two topics. */
export interface TopicName {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** Returns the key of a topic in maps and on the bus. */
export const topicKey = ({ name, isPrivate }: TopicName): string => `${isPrivate ? 'private' : 'public'}:${name}`;

/** A channel as its topic sees it. */
export interface TopicMember {
  /** True if the member gets its own broadcasts. */
  readonly getsOwn: boolean;
  deliverBroadcast(outgoing: Outgoing): void;
  deliverPresence(outgoing: Outgoing): void;
  /** Remembers that the client missed a diff of presence, so that it gets the whole state later. */
  missPresence(): void;
  /** Tells the client whether messages of other nodes may be missing. */
  tellConnected(isConnected: boolean): void;
}

/** The parts that all topics of an app share. */
export interface TopicParts {
  readonly ref: string;
  readonly bus: Bus;
  /** Counts deliveries. Returns false if the app has none left in this second. */
  readonly takeDeliveries: (count: number) => boolean;
}

/** The channels of one topic in this worker. */
export class Topic implements TopicName {
  readonly key: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly #wireName: string;
  readonly #parts: TopicParts;
  readonly #channels = new Set<TopicMember>();
  readonly #unsubscribe: () => void;
  #presence: Presence | null = null;
  #isConnected = true;

  constructor(name: TopicName, parts: TopicParts) {
    this.key = topicKey(name);
    this.name = name.name;
    this.isPrivate = name.isPrivate;
    this.#wireName = `realtime:${name.name}`;
    this.#parts = parts;
    this.#unsubscribe = parts.bus.subscribe(parts.ref, this.key, {
      receive: (message, from) => this.#receive(message, from),
      onPeerLost: (from) => this.#presence?.onPeerLost(from),
      onConnected: (isConnected) => this.#onConnected(isConnected),
    });
  }

  get size(): number {
    return this.#channels.size;
  }

  add(channel: TopicMember): void {
    this.#channels.add(channel);
  }

  remove(channel: TopicMember): void {
    this.#channels.delete(channel);
  }

  /**
   * Sends a broadcast to all channels of the topic, in all workers.
   * @param from The channel that sent it, which gets it only if it wants its own broadcasts; null for none.
   * @returns false if the app has no deliveries left in this second, so that nobody gets it.
   */
  broadcast(broadcast: Broadcast, from: TopicMember | null): boolean {
    const { bus, ref, takeDeliveries } = this.#parts;
    if (!takeDeliveries(this.#channels.size)) return false;
    this.#send(broadcast, from);
    publishBroadcast(bus, ref, this.key, broadcast);
    return true;
  }

  /** Sends a broadcast to the channels of this worker only. */
  deliver(broadcast: Broadcast): void {
    if (this.#parts.takeDeliveries(this.#channels.size)) this.#send(broadcast, null);
  }

  #send(broadcast: Broadcast, from: TopicMember | null): void {
    const outgoing = new OutgoingBroadcast(this.#wireName, broadcast);
    for (const channel of this.#channels) {
      if (channel !== from || channel.getsOwn) channel.deliverBroadcast(outgoing);
    }
  }

  /** The presence of the topic. It begins with the first channel that uses it. */
  get presence(): Presence {
    const { bus, ref } = this.#parts;
    this.#presence ??= new Presence({
      peer: bus.id,
      publish: (body) => bus.publish({ ref, topic: this.key, kind: 'presence', body }),
      announce: (payload) => this.#announce(payload),
    });
    return this.#presence;
  }

  close(): void {
    this.#presence?.close();
    this.#unsubscribe();
  }

  /** Tells the members when messages of other nodes may be missing, and when they arrive again. */
  #onConnected(isConnected: boolean): void {
    this.#presence?.onConnected(isConnected);
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    for (const channel of this.#channels) channel.tellConnected(isConnected);
  }

  #announce(payload: string): void {
    if (!this.#parts.takeDeliveries(this.#channels.size)) {
      // A client that misses a diff would show wrong members for ever.
      for (const channel of this.#channels) channel.missPresence();
      return;
    }
    const outgoing = new OutgoingMessage({ topic: this.#wireName, event: 'presence_diff', payload });
    for (const channel of this.#channels) channel.deliverPresence(outgoing);
  }

  #receive(message: BusMessage, from: string): void {
    if (message.kind === 'presence') {
      this.#receivePresence(message.body, from);
      return;
    }
    const broadcast = message.kind === 'broadcast' ? decodeBroadcast(message.body) : null;
    if (broadcast) this.deliver(broadcast);
  }

  /** Workers of another version may send other bytes, which are ignored. */
  #receivePresence(body: Uint8Array, from: string): void {
    try {
      this.#presence?.receive(body, from);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
}

/** Publishes a broadcast to the other workers. */
export function publishBroadcast(bus: Bus, ref: string, topic: string, broadcast: Broadcast): void {
  bus.publish({ ref, topic, kind: 'broadcast', body: encodeBroadcast(broadcast) });
}

/** Returns a broadcast as bytes: the length of its head, its head as JSON, and its payload. */
function encodeBroadcast({ event, payload, isBinary, meta }: Broadcast): Uint8Array {
  const head = Buffer.from(JSON.stringify({ event, isBinary, meta }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, payload]);
}

/** Returns the broadcast of bytes from the bus; null for bytes that `encodeBroadcast` has not made. */
function decodeBroadcast(body: Uint8Array): Broadcast | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length < 4) return null;
  const end = 4 + bytes.readUInt32BE(0);
  if (end > bytes.length) return null;
  try {
    const head: unknown = JSON.parse(bytes.toString('utf8', 4, end));
    if (!isObject(head) || typeof head.event !== 'string') return null;
    const { event, isBinary, meta } = head;
    const payload = bytes.subarray(end);
    return { event, payload, isBinary: isBinary === true, meta: typeof meta === 'string' ? meta : null };
  } catch {
    return null;
  }
}
