import { type Broadcast, binaryBroadcast, broadcastText, type ServerMessage, textOf, type Version } from './frames.ts';

/** Opcodes of WebSocket frames (RFC 6455, section 5.2), with the bit that marks the only frame of a message. */
const TEXT = 0x81;
const BINARY = 0x82;
/** Lengths from which the header of a frame has two or eight more bytes (RFC 6455, section 5.2). */
const TWO_BYTES = 126;
const EIGHT_BYTES = 65_536;

/** Returns a complete WebSocket frame that a server sends, which is not masked. */
function webSocketFrame(payload: Buffer, isBinary: boolean): Buffer {
  const { length } = payload;
  const extra = length < TWO_BYTES ? 0 : length < EIGHT_BYTES ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + extra + length);
  frame[0] = isBinary ? BINARY : TEXT;
  frame[1] = extra === 0 ? length : extra === 2 ? TWO_BYTES : TWO_BYTES + 1;
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  payload.copy(frame, 2 + extra);
  return frame;
}

/** A message to clients. It is encoded once for each version of the protocol, and all sockets share the bytes. */
export interface Outgoing {
  /** Returns the WebSocket frame; null if this version cannot carry the message. */
  frame(version: Version): Buffer | null;
}

/** A message whose payload is JSON. */
export class OutgoingMessage implements Outgoing {
  readonly #message: ServerMessage;
  readonly #frames = new Map<Version, Buffer>();

  constructor(message: ServerMessage) {
    this.#message = message;
  }

  frame(version: Version): Buffer {
    const known = this.#frames.get(version);
    if (known) return known;
    const frame = webSocketFrame(Buffer.from(textOf(this.#message, version)), false);
    this.#frames.set(version, frame);
    return frame;
  }
}

/** A broadcast. Clients of 2.0.0 get it as a binary frame, others as text. */
export class OutgoingBroadcast implements Outgoing {
  readonly #topic: string;
  readonly #broadcast: Broadcast;
  readonly #frames = new Map<Version, Buffer | null>();

  /** @param topic The topic with `realtime:`. */
  constructor(topic: string, broadcast: Broadcast) {
    this.#topic = topic;
    this.#broadcast = broadcast;
  }

  frame(version: Version): Buffer | null {
    const known = this.#frames.get(version);
    if (known !== undefined) return known;
    const frame = this.#encode(version);
    this.#frames.set(version, frame);
    return frame;
  }

  #encode(version: Version): Buffer | null {
    const binary = version === '2.0.0' ? binaryBroadcast(this.#topic, this.#broadcast) : null;
    if (binary) return webSocketFrame(binary, true);
    const payload = broadcastText(this.#broadcast);
    if (payload === null) return null;
    const text = textOf({ topic: this.#topic, event: 'broadcast', payload }, version);
    return webSocketFrame(Buffer.from(text), false);
  }
}
