import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { RealtimeCall } from '../../../contract/calls.ts';
import { limits } from '../../../contract/limits.ts';
import type { App } from '../../apps/app.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { parseBoundedJson } from '../../limits/bounded-json.ts';
import type { TopicName } from '../channels/topic.ts';
import type { TopicRights } from '../messages/private-channels.ts';
import { type Broadcast, checkJson } from '../socket/frames.ts';
import { realtimeCallFacts } from './calls.ts';

/** The app, the caller and the services of a call of `/realtime/v1/api`. */
export interface BroadcastContext {
  readonly app: App;
  readonly identity: Identity;
  readonly rightsOn: (topic: string) => Promise<TopicRights>;
  /**
   * Counts messages of the API.
   * @returns false if the app sends too many in this second.
   */
  readonly takeMessages: (count: number) => Promise<boolean>;
  readonly send: (topic: TopicName, broadcast: Broadcast) => void;
}

/** A message with its topic. */
interface Sent {
  readonly topic: TopicName;
  readonly broadcast: Broadcast;
}

const name = z.string().min(1).max(limits.realtimeTopicCharacters.default);
const batch = z.object({
  messages: z
    .array(
      z.object({
        topic: name,
        event: name,
        payload: z.record(z.string(), z.unknown()),
        private: z.boolean().nullish(),
        id: z.string().max(limits.realtimeTopicCharacters.default).optional(),
      }),
    )
    .min(1)
    .max(limits.realtimeBatchMessages.default),
});

const ONE = /^\/api\/broadcast\/([^/]+)\/events\/([^/]+)\/?$/;

/** Returns the id of the call in chapter 7; null for an unknown path. */
export const callOfRequest = ({ path }: Pick<CallRequest, 'path'>): RealtimeCall['id'] | null =>
  path === '/websocket'
    ? realtimeCallFacts.socket.id
    : isBatch(path)
      ? realtimeCallFacts.broadcast.id
      : ONE.test(path)
        ? realtimeCallFacts.event.id
        : null;

const isBatch = (path: string): boolean => path === '/api/broadcast' || path === '/api/broadcast/';

/**
 * Sends broadcasts from HTTP, as Supabase Realtime does: a list of messages (`POST /api/broadcast`), or one message
 * with JSON or any bytes (`POST /api/broadcast/<topic>/events/<event>?private=true`). Either all messages are sent or
 * none.
 * @throws NinefoldError UnprocessableEntity, Unauthorized, PrivateOnly, PayloadSizeExceeded,
 * MessagePerSecondRateLimitReached, UpgradeRequired, not_found, method_not_allowed
 */
export async function handleBroadcast(context: BroadcastContext, request: CallRequest): Promise<Reply> {
  const one = ONE.exec(request.path);
  if (request.path === '/websocket') throw new NinefoldError('UpgradeRequired');
  if (!one && !isBatch(request.path)) throw new NinefoldError('not_found');
  if (request.method !== 'POST') throw new NinefoldError('method_not_allowed', { headers: { allow: 'POST' } });
  const sent = one ? [readOne(request, one[1] ?? '', one[2] ?? '')] : readBatch(request);
  const { realtime: settings } = await context.app.settings();
  if (sent.some(({ broadcast }) => broadcast.payload.length > settings.realtime_payload_bytes)) {
    throw new NinefoldError('PayloadSizeExceeded');
  }
  if (settings.realtime_private_only && sent.some(({ topic }) => !topic.isPrivate)) {
    throw new NinefoldError('PrivateOnly');
  }
  for (const topic of new Set(sent.filter((each) => each.topic.isPrivate).map((each) => each.topic.name))) {
    const { broadcast } = await context.rightsOn(topic);
    if (!broadcast.write) {
      throw new NinefoldError('Unauthorized', {
        message: `You do not have permissions to write to this Channel topic: ${topic}`,
      });
    }
  }
  if (!(await context.takeMessages(sent.length))) {
    throw new NinefoldError('MessagePerSecondRateLimitReached', {
      retryAfter: 1,
      limit: 'realtimeMessagesPerSecond',
      quota: { count: settings.realtime_messages_per_second, seconds: 1 },
    });
  }
  for (const { topic, broadcast } of sent) context.send(topic, broadcast);
  return { status: 202, headers: {}, body: null };
}

function readBatch({ body }: CallRequest): Sent[] {
  const parsed = batch.safeParse(jsonOf(body));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unprocessable(`${issue?.path.join('.') || 'The body'}: ${issue?.message}`);
  }
  return parsed.data.messages.map(({ topic, event, payload, private: isPrivate, id }) => ({
    topic: { name: withoutPrefix(topic), isPrivate: isPrivate ?? false },
    broadcast: {
      event,
      payload: Buffer.from(JSON.stringify(payload)),
      isBinary: false,
      meta: id === undefined ? null : JSON.stringify({ id }),
    },
  }));
}

function readOne({ body, headers, query }: CallRequest, topicText: string, eventText: string): Sent {
  const [topic, event] = [topicText, eventText].map((text) => {
    const parsed = name.safeParse(decoded(text));
    if (parsed.success) return parsed.data;
    throw unprocessable(`The topic and the event have 1 to ${limits.realtimeTopicCharacters.default} characters.`);
  }) as [string, string];
  const isBinary = (headers['content-type'] ?? '').toLowerCase().startsWith('application/octet-stream');
  const payload = body ?? Buffer.from(isBinary ? '' : '{}');
  if (!isBinary) checkPayload(payload);
  return {
    topic: { name: withoutPrefix(topic), isPrivate: new URLSearchParams(query).get('private') === 'true' },
    broadcast: { event, payload, isBinary, meta: null },
  };
}

function checkPayload(payload: Uint8Array): void {
  try {
    checkJson(payload);
  } catch {
    throw unprocessable('The body is no JSON. Send other bytes with content-type: application/octet-stream.');
  }
}

/** Clients of older versions send topics with the prefix of sockets. */
const withoutPrefix = (topic: string): string =>
  topic.startsWith('realtime:') ? topic.slice('realtime:'.length) : topic;

function jsonOf(body: Uint8Array | null): unknown {
  const bounds = { depth: limits.realtimeJsonDepth.default, values: limits.bodyValues.default };
  try {
    return parseBoundedJson(Buffer.from(body ?? '').toString('utf8'), bounds);
  } catch {
    throw unprocessable('The body is no JSON.');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unprocessable('The path is not percent-encoded.');
  }
}

const unprocessable = (message: string) => new NinefoldError('UnprocessableEntity', { message });
