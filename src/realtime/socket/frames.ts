import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { nestsDeeper } from '../../limits/bounded-json.ts';

/** The version of the protocol that a client speaks: objects (1.0.0), or lists and binary broadcasts (2.0.0). */
export type Version = '1.0.0' | '2.0.0';

/** A message of a client. */
export interface ClientMessage {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  /** The payload of every event but a broadcast. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The broadcast, if the event is one. */
  readonly broadcast: Broadcast | null;
}

/** A message that a client or SQL sends to all channels of a topic. */
export interface Broadcast {
  readonly event: string;
  /** JSON text in UTF-8, or any bytes. */
  readonly payload: Uint8Array;
  readonly isBinary: boolean;
  /** JSON text of the field `meta`; null without one. */
  readonly meta: string | null;
}

/** Kinds of binary frames. */
const CLIENT_BROADCAST = 3;
const SERVER_BROADCAST = 4;
const JSON_ENCODING = 1;
/** Fields before the texts of a frame: kind, lengths and encoding. */
const CLIENT_HEADER = 7;
/** The longest text of a binary frame in bytes, because its length is one byte. */
const SHORT_TEXT = 255;

// A byte order mark stays, because JSON has none and the clients of 1.0.0 could not parse their message.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a text frame.
 * @throws NinefoldError UnexpectedMessage
 */
export function readText(text: string, version: Version): ClientMessage {
  if (nestsDeeper(text, limits.realtimeJsonDepth.default)) throw unexpected('The message nests too deeply.');
  const value = parsed(text);
  const [joinRef, ref, topic, event, payload] =
    version === '1.0.0' && isObject(value)
      ? [value.join_ref, value.ref, value.topic, value.event, value.payload]
      : version === '2.0.0' && Array.isArray(value)
        ? value
        : [];
  if (typeof topic !== 'string' || typeof event !== 'string') {
    throw unexpected(
      version === '1.0.0'
        ? 'A message is an object with topic, event, payload and ref.'
        : 'A message is a list of join_ref, ref, topic, event and payload.',
    );
  }
  const fields = isObject(payload) ? payload : {};
  return {
    joinRef: refOf(joinRef),
    ref: refOf(ref),
    topic,
    event,
    payload: fields,
    broadcast: event === 'broadcast' ? broadcastOf(fields) : null,
  };
}

/** Returns the broadcast of a text frame. A payload without `event` has an empty event, as in Supabase. */
const broadcastOf = ({ event, payload, meta }: Readonly<Record<string, unknown>>): Broadcast => ({
  event: typeof event === 'string' ? event : '',
  payload: Buffer.from(JSON.stringify(payload ?? {})),
  isBinary: false,
  meta: isObject(meta) ? JSON.stringify(meta) : null,
});

/**
 * Reads a binary frame: a broadcast of a client that speaks 2.0.0 (realtime-js, lib/serializer).
 * @throws NinefoldError UnexpectedMessage
 */
export function readBinary(frame: Buffer): ClientMessage {
  if (frame[0] !== CLIENT_BROADCAST || frame.length < CLIENT_HEADER) throw unexpected('The binary frame is unknown.');
  const texts: string[] = [];
  let at = CLIENT_HEADER;
  for (const length of frame.subarray(1, CLIENT_HEADER - 1)) {
    if (at + length > frame.length) throw unexpected('The binary frame is shorter than its lengths say.');
    texts.push(decoded(frame.subarray(at, at + length)));
    at += length;
  }
  const [joinRef = '', ref = '', topic = '', event = '', meta = ''] = texts;
  const payload = frame.subarray(at);
  const isBinary = frame[CLIENT_HEADER - 1] !== JSON_ENCODING;
  if (!isBinary) checkJson(payload);
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: 'broadcast',
    payload: {},
    broadcast: { event, payload, isBinary, meta: meta === '' ? null : metaOf(meta) },
  };
}

/**
 * Checks that bytes are JSON, because clients parse them.
 * @throws NinefoldError UnexpectedMessage
 */
export function checkJson(payload: Uint8Array): void {
  const text = decoded(payload);
  if (nestsDeeper(text, limits.realtimeJsonDepth.default)) throw unexpected('The payload nests too deeply.');
  parsed(text);
}

function metaOf(text: string): string | null {
  if (nestsDeeper(text, limits.realtimeJsonDepth.default)) throw unexpected('The metadata nests too deeply.');
  return isObject(parsed(text)) ? text : null;
}

/** Returns a broadcast as a frame of 2.0.0 without its WebSocket header; null if its names are too long for one. */
export function binaryBroadcast(topic: string, { event, payload, isBinary, meta }: Broadcast): Buffer | null {
  const texts = [Buffer.from(topic), Buffer.from(event), Buffer.from(meta ?? '')];
  if (texts.some(({ length }) => length > SHORT_TEXT)) return null;
  const header = Buffer.from([SERVER_BROADCAST, ...texts.map(({ length }) => length), isBinary ? 0 : JSON_ENCODING]);
  return Buffer.concat([header, ...texts, payload]);
}

/** A message to a client, with its payload as JSON text. */
export interface ServerMessage {
  readonly joinRef?: string | null;
  readonly ref?: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: string;
}

/** Returns the text of a message. */
export function textOf({ joinRef = null, ref = null, topic, event, payload }: ServerMessage, version: Version): string {
  const [topicText, eventText] = [JSON.stringify(topic), JSON.stringify(event)];
  return version === '1.0.0'
    ? `{"topic":${topicText},"event":${eventText},"payload":${payload},"ref":${JSON.stringify(ref)},"join_ref":${JSON.stringify(joinRef)}}`
    : `[${JSON.stringify(joinRef)},${JSON.stringify(ref)},${topicText},${eventText},${payload}]`;
}

/** Returns the payload of a broadcast as JSON text; null for a binary one, which text cannot carry. */
export const broadcastText = ({ event, payload, isBinary, meta }: Broadcast): string | null =>
  isBinary
    ? null
    : `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${Buffer.from(payload).toString('utf8')}${
        meta === null ? '' : `,"meta":${meta}`
      }}`;

const unexpected = (message: string) => new NinefoldError('UnexpectedMessage', { message });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected('The message is no JSON.');
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw unexpected('The frame is not UTF-8.');
  }
}

/** Returns true for an object of JSON that is no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
