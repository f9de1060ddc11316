import type { BusMessage } from './bus.ts';

/**
 * The binary form of messages between workers and nodes. A batch is a sequence of frames:
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | length of the rest, little-endian |
 * | 1 | kind, an index of `KINDS` |
 * | 1, n | length of the sender's id, the id |
 * | 1, n | length of the ref, the ref |
 * | 2, n | length of the topic, the topic in UTF-8 |
 * | n | body |
 */
const KINDS = [
  'broadcast',
  'presence',
  'changed',
  'lost',
  'ended',
  'silent',
  'disconnected',
  'connected',
  'topics',
  'held',
] as const;

/**
 * The kinds of frames. `lost`: messages of the topic were dropped (of all topics, if it has no ref). `ended`: the worker
 * in `from` has ended. `silent`: the node of the worker in `from` cannot be reached, but may return. `disconnected` and
 * `connected`: whether messages of other nodes arrive. `topics`: topics that a node holds (topic-filter.ts).
 * `held`: the switch has handled the subscriptions of the worker's message with the number in `from`.
 */
export type FrameKind = (typeof KINDS)[number];

/** One frame of a batch. */
export interface Frame {
  readonly kind: FrameKind;
  /** Id of the worker that sent the frame; empty for some frames of the primary. */
  readonly from: string;
  readonly ref: string;
  readonly topic: string;
  readonly body: Uint8Array;
  /** The frame in its binary form, a part of the batch. */
  readonly bytes: Uint8Array;
}

/** The parts of a frame that its sender chooses. */
export type FrameFields = Omit<Frame, 'bytes'>;

/** The largest frame. Senders split larger messages. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Bytes of the length of a frame, and of a frame without texts and body. */
const LENGTH_BYTES = 4;
const FIXED_BYTES = 5;
const MAX_ID_BYTES = 255;
const MAX_TOPIC_BYTES = 65_535;
const NO_BYTES = new Uint8Array(0);

/** Returns the name under which workers and the primary know a topic. A ref contains no slash. */
export const topicKey = (ref: string, topic: string): string => `${ref}/${topic}`;

/** Returns a frame of the primary. */
export const controlFrame = (
  kind: FrameKind,
  { from = '', ref = '', topic = '', body = NO_BYTES }: Partial<FrameFields>,
): Uint8Array => encodeFrame({ kind, from, ref, topic, body }) ?? NO_BYTES;

/** Returns a message in its binary form; null if it is larger than a frame can be. */
export const encodeMessage = ({ kind, ref, topic, body }: BusMessage, from: string): Uint8Array | null =>
  encodeFrame({ kind, from, ref, topic, body });

function encodeFrame({ kind, from, ref, topic, body }: FrameFields): Uint8Array | null {
  const topicBytes = Buffer.byteLength(topic);
  const length = FIXED_BYTES + from.length + ref.length + topicBytes + body.length;
  if (from.length > MAX_ID_BYTES || ref.length > MAX_ID_BYTES || topicBytes > MAX_TOPIC_BYTES) return null;
  if (length > MAX_FRAME_BYTES) return null;
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + length);
  let at = bytes.writeUInt32LE(length, 0);
  at = bytes.writeUInt8(KINDS.indexOf(kind), at);
  at = bytes.writeUInt8(from.length, at);
  at += bytes.write(from, at, 'latin1');
  at = bytes.writeUInt8(ref.length, at);
  at += bytes.write(ref, at, 'latin1');
  at = bytes.writeUInt16LE(topicBytes, at);
  at += bytes.write(topic, at);
  bytes.set(body, at);
  return bytes;
}

/**
 * Reads the frames of a batch. Stops at the first malformed one.
 * @returns False if the batch contains a malformed frame.
 */
export function readFrames(batch: Uint8Array, onFrame: (frame: Frame) => void): boolean {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength);
  let start = 0;
  while (start < bytes.length) {
    if (bytes.length - start < LENGTH_BYTES) return false;
    const length = bytes.readUInt32LE(start);
    const end = start + LENGTH_BYTES + length;
    if (length > MAX_FRAME_BYTES || end > bytes.length) return false;
    const frame = readFrame(bytes.subarray(start, end));
    if (frame === null) return false;
    onFrame(frame);
    start = end;
  }
  return true;
}

function readFrame(bytes: Buffer): Frame | null {
  if (bytes.length < LENGTH_BYTES + FIXED_BYTES) return null;
  const kind = KINDS[bytes[LENGTH_BYTES] ?? KINDS.length];
  const fromAt = LENGTH_BYTES + 2;
  const refAt = fromAt + (bytes[fromAt - 1] ?? 0) + 1;
  const topicAt = refAt + (bytes[refAt - 1] ?? 0) + 2;
  if (kind === undefined || topicAt > bytes.length) return null;
  const bodyAt = topicAt + bytes.readUInt16LE(topicAt - 2);
  if (bodyAt > bytes.length) return null;
  return {
    kind,
    from: bytes.toString('latin1', fromAt, refAt - 1),
    ref: bytes.toString('latin1', refAt, topicAt - 2),
    topic: bytes.toString('utf8', topicAt, bodyAt),
    body: bytes.subarray(bodyAt),
    bytes,
  };
}
