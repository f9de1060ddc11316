import type { RedisClientType } from '@redis/client';

/** Time in which the broker must accept a connection, and confirm subscriptions. */
const REPLY_MILLISECONDS = 2000;
/** Commands that wait for a reply. The link sends the next batch after the replies to the previous one. */
const MAX_COMMANDS = 20_000;

/** Connections to a broker that speaks the protocol of Redis: one publishes and one subscribes. */
export interface RedisConnection {
  /** Publishes messages in order. Resolves after the broker took the last one. */
  publish(messages: readonly (readonly [channel: string, message: Buffer])[]): Promise<void>;
  subscribe(channels: readonly string[]): Promise<void>;
  unsubscribe(channels: readonly string[]): Promise<void>;
  /** Closes both connections at once. */
  destroy(): void;
}

/** Callbacks of a connection. */
export interface RedisHandlers {
  readonly onMessage: (channel: string, message: Buffer) => void;
  /** Called when a connection fails or ends. It may be called several times. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Connects to a broker.
 * @param url `redis://` or `rediss://` with user, password, host, port and database.
 * @throws An error whose message does not contain the password.
 */
export async function connectRedis(url: string, { onMessage, onFailed }: RedisHandlers): Promise<RedisConnection> {
  if (!isBrokerUrl(url)) throw new Error('NINEFOLD_BROKER_URL is not of the form redis://user:password@host:port/db');
  // Loaded only if there is a broker.
  const { createClient } = await import('@redis/client');
  const open = () =>
    createClient({
      url,
      // RESP 2 is also spoken by old servers.
      RESP: 2,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_COMMANDS,
      socket: { connectTimeout: REPLY_MILLISECONDS, reconnectStrategy: false, noDelay: true },
    }).on('error', onFailed) as unknown as RedisClientType;
  const [publisher, subscriber] = [open(), open()];
  const destroy = () => {
    for (const client of [publisher, subscriber]) {
      try {
        client.destroy();
      } catch {
        // The connection is closed already.
      }
    }
  };
  try {
    await inTime(Promise.all([publisher.connect(), subscriber.connect()]));
  } catch (error) {
    destroy();
    throw error;
  }
  for (const client of [publisher, subscriber]) client.on('end', () => onFailed(new Error('the connection ended')));
  const listener = (message: Buffer, channel: Buffer) => onMessage(channel.toString(), message);
  return {
    publish: async (messages) => {
      await Promise.all(messages.map(([channel, message]) => publisher.publish(channel, message)));
    },
    subscribe: (channels) => inTime(subscriber.subscribe([...channels], listener, true)),
    unsubscribe: (channels) => subscriber.unsubscribe([...channels], listener, true),
    destroy,
  };
}

/** Returns true for a URL of a broker. */
function isBrokerUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, pathname, username, password } = new URL(url);
  const canDecode = [username, password].every((part) => !/%(?![\da-f]{2})/i.test(part));
  return /^rediss?:$/.test(protocol) && hostname !== '' && /^(?:\/\d{0,5})?$/.test(pathname) && canDecode;
}

/** Rejects if the broker does not reply in time. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the broker does not respond')), REPLY_MILLISECONDS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
