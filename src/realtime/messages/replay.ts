import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { ConnectionError, DatabaseError, PoolTimeoutError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { serviceRole } from '../../identity/identity.ts';
import {
  become,
  MAX_EVENT_BYTES,
  messageColumns,
  messageOf,
  PAGE_BYTES,
  PAYLOAD_BYTES,
  type StoredMessage,
} from './message-reader.ts';

/** The last millisecond of the year 9999. */
const LAST_MILLISECOND = 253_402_300_799_999;

/** The earlier messages that a join asks for. */
export interface ReplayRequest {
  /** Time in milliseconds since 1970. */
  readonly since: number;
  readonly limit: number;
}

/**
 * Reads `config.broadcast.replay` of a join.
 * @throws NinefoldError UnableToReplayMessages
 */
export function parseReplay(value: unknown, isPrivate: boolean): ReplayRequest {
  if (!isPrivate) {
    throw new NinefoldError('UnableToReplayMessages', { message: 'Replay is not allowed for public channels' });
  }
  const maxMessages = limits.realtimeReplayMessages.default;
  const { since, limit } = { limit: maxMessages, ...(value as Partial<Record<keyof ReplayRequest, unknown>> | null) };
  if (!isInteger(since) || !isInteger(limit) || since > LAST_MILLISECOND) {
    throw new NinefoldError('UnableToReplayMessages');
  }
  return { since: Math.max(since, 0), limit: Math.min(Math.max(limit, 1), maxMessages) };
}

/**
 * Returns the last messages of a private topic since a time, in the order of their times. The caller checks the rights
 * before the call. Messages with a larger payload than
 * the limit are left out.
 * @param database Connections as the app's authenticator.
 * @throws NinefoldError UnableToReplayMessages if the app's database cannot answer.
 */
export async function replayMessages(
  database: Executor,
  topic: string,
  { since, limit }: ReplayRequest,
  maxPayloadBytes: number,
): Promise<StoredMessage[]> {
  if (topic.includes('\0')) return [];
  const results = await database
    .run([
      become,
      {
        text: REPLAY,
        params: [topic, String(since), String(limit), String(maxPayloadBytes)],
        planKey: serviceRole.role,
      },
    ])
    .catch((error: unknown) => {
      const isExpected =
        error instanceof DatabaseError || error instanceof ConnectionError || error instanceof PoolTimeoutError;
      if (!isExpected) throw error;
      throw new NinefoldError('UnableToReplayMessages', {
        message: 'Realtime was unable to replay messages',
        cause: error,
      });
    });
  const messages = results[1]?.rows.map((row) => messageOf(row)) ?? [];
  return messages.filter(({ payload }) => payload !== null).reverse();
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

// A time in the future would make a message the last one for ever. The last messages fit into the bytes of a page.
const REPLAY = `select ${messageColumns('$4::int')}
  from (
    select m.*, pg_catalog.sum(${PAYLOAD_BYTES}) over (order by m.inserted_at desc, m.number desc rows unbounded preceding) as total
    from (
      select m.* from realtime.messages m
      where m.topic = $1 and m.private and m.extension = 'broadcast' and pg_catalog.octet_length(m.event::text) <= ${MAX_EVENT_BYTES}
        and m.inserted_at >= timestamp '1970-01-01' + $2::bigint * interval '1 millisecond'
        and m.inserted_at < (pg_catalog.now() at time zone 'UTC') + interval '1 minute'
      order by m.inserted_at desc, m.number desc limit $3::int
    ) m
  ) m
  where coalesce(m.total, 0) <= ${PAGE_BYTES}
  order by m.inserted_at desc, m.number desc`;
