import type { Frame } from './frame.ts';
import type { QueuedFrame, Topic } from './out-queue.ts';

/** Functions that a link to other nodes calls. */
export interface NodeLinkHandlers {
  /** Receives a message of a worker of another node. */
  readonly onFrame: (frame: Frame) => void;
  /** Called when a worker of another node has ended. */
  readonly onWorkerEnded: (id: string) => void;
  /** Called for each known worker of a node that cannot be reached. The node may return. */
  readonly onWorkerSilent: (id: string) => void;
  /** Called with false while messages of other nodes may not arrive, and with true when they do. */
  readonly onConnected: (isConnected: boolean) => void;
  /** Called when messages of other nodes were dropped. */
  readonly onLost: (topic: Topic) => void;
}

/** The link of a node to all other nodes. */
export interface NodeLink {
  /** Receives messages of other nodes about a topic. `key` is the result of `topicKey`. */
  hold(key: string): void;
  /** Receives no more messages about a topic. */
  release(key: string): void;
  /** Sends a message of a worker to the nodes that hold its topic. Never waits and never throws. */
  publish(frame: QueuedFrame): void;
  /** Informs the other nodes that a worker of this node has ended. */
  workerEnded(id: string): void;
  /** Informs the other nodes that this node ends, and closes all connections. */
  close(): Promise<void>;
}
