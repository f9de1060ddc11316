/** Messages of the bus between a worker and its primary. */
export type BusToPrimary = {
  readonly type: 'bus';
  /** The topics that the worker has subscribed to (true) or no longer holds (false) since its previous message. */
  readonly topics: readonly (readonly [key: string, isHeld: boolean])[];
  /** Number of messages with topics that the worker has sent, with this one. */
  readonly round: number;
  /** A batch of frames. */
  readonly frames: Uint8Array;
};

export type BusToWorker = {
  readonly type: 'bus';
  /** A batch of frames. */
  readonly frames: Uint8Array;
};

/** Sends a message to another process of the node. Calls `sent` once the operating system has taken it, or if it cannot. */
export type SendMessage<Message> = (message: Message, sent: () => void) => void;

/** The smallest time between two messages of a process to another one, in milliseconds. */
export const BATCH_MILLISECONDS = 5;
/** The size of a message at which it takes no further frame. */
export const BATCH_BYTES = 1024 * 1024;
