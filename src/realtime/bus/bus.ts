/** A message to the workers that hold a topic of an app. */
export interface BusMessage {
  /** The app. */
  readonly ref: string;
  /** The topic without `realtime:`; empty for messages about the whole app. */
  readonly topic: string;
  readonly kind: 'broadcast' | 'presence' | 'changed';
  /** A part of a larger buffer. Copy it if you keep it for long. */
  readonly body: Uint8Array;
}

/** Receives the messages of one topic. */
export interface BusSubscriber {
  /** @param from Id of the worker that published the message. */
  receive(message: BusMessage, from: string): void;
  /** Called when a worker has ended or its node cannot be reached. Its entries of the topic are void. */
  onPeerLost(from: string): void;
  /** Called with false while messages between nodes may be lost, and with true when they arrive again. */
  onConnected(isConnected: boolean): void;
}

/** Carries messages between the workers of all nodes. */
export interface Bus {
  /** Id of this worker, which no other worker of any node has or had. */
  readonly id: string;
  /** Hands a message to every other worker that has subscribed to its topic. Never waits and never throws. */
  publish(message: BusMessage): void;
  /** Subscribes to a topic. Returns a function that ends the subscription. */
  subscribe(ref: string, topic: string, subscriber: BusSubscriber): () => void;
  /** Resolves when messages of the other workers of this node reach all topics that are subscribed to now. */
  subscribed(): Promise<void>;
}
