import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import type { Statement } from '../../database/statement.ts';
import { serviceRole } from '../../identity/identity.ts';
import { setupText } from '../../identity/setup-text.ts';

/** A row of realtime.messages. */
export interface StoredMessage {
  readonly topic: string;
  readonly event: string;
  readonly isPrivate: boolean;
  readonly id: string;
  /** Time in microseconds since 1970. */
  readonly insertedAt: number;
  /** The payload as JSON or as bytes; `null` if it is larger than the limit. */
  readonly payload: { readonly encoding: 'json' | 'binary'; readonly bytes: Buffer } | null;
}

/** Rows that became visible, in the order in which they were inserted. */
export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  /** The transactions that the read saw. */
  readonly snapshot: Snapshot;
  /** Number of the last row of the page; null if there are no further rows. */
  readonly after: string | null;
}

/** Rows between two snapshots. */
export interface MessageRange {
  /** The rows that this snapshot sees are left out. */
  readonly since: Snapshot;
  /** The further pages have the rows that the snapshot of the first page saw. */
  readonly until: Snapshot | null;
  readonly after: string | null;
  /** Topics as a JSON list; null for all. */
  readonly topics: string | null;
  readonly maxPayloadBytes: number;
}

/** Rows and bytes of a page. */
const PAGE_ROWS = 500;
export const PAGE_BYTES = 4 * 1024 * 1024;
/** Longest name of an event in bytes: four for each character of the longest name that clients can send. */
export const MAX_EVENT_BYTES = 4 * limits.realtimeTopicCharacters.default;
/** Time limit of a read. The app's owner may have put a view in the place of the table. */
const STATEMENT_MILLISECONDS = '5000';

/** The transactions that a statement sees (PostgreSQL manual, “Transaction ID and Snapshot Information Functions”). */
export class Snapshot {
  /** The output of `pg_current_snapshot()`: `xmin:xmax:xip_list`. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The first transaction id that was not assigned. */
  get firstFuture(): string {
    return this.text.split(':')[1] ?? '0';
  }

  /** The transactions that were running, separated by commas. */
  get running(): string {
    return this.text.split(':')[2] ?? '';
  }
}

/** The state of the sequence of realtime.messages, and a snapshot that PostgreSQL took before. */
export interface SequenceMark {
  readonly value: string;
  readonly snapshot: Snapshot;
}

/** Reads the state of the sequence. It costs a third of a read of messages. */
export async function readMark(database: Executor): Promise<SequenceMark> {
  const [, result] = await database.run([
    become,
    {
      text: `select last_value::bigint::text || case when is_called::boolean then '' else ' new' end, pg_catalog.pg_current_snapshot()
        from realtime.messages_number`,
      params: [],
      planKey: serviceRole.role,
    },
  ]);
  const [value, snapshot] = result?.rows[0] ?? [];
  return { value: value?.toString() ?? '', snapshot: new Snapshot(snapshot?.toString() ?? '') };
}

/**
 * Reads rows that became visible since a snapshot, as the service role.
 * @param database Connections as the app's authenticator.
 * @throws The errors of `Executor.run`.
 */
export async function readMessages(database: Executor, range: MessageRange): Promise<MessagePage> {
  const { since, until, after, topics, maxPayloadBytes } = range;
  const [, result] = await database.run([
    become,
    {
      text: READ,
      params: [since.firstFuture, `{${since.running}}`, until?.text ?? null, after, topics, String(maxPayloadBytes)],
      planKey: serviceRole.role,
    },
  ]);
  const messages: StoredMessage[] = [];
  let snapshot = since;
  let last: string | null = null;
  let bytes = 0;
  for (const row of result?.rows ?? []) {
    const [seen, number, size, ...values] = row;
    if (seen) {
      snapshot = new Snapshot(seen.toString());
      continue;
    }
    last = number?.toString() ?? null;
    bytes += Number(size?.toString());
    messages.push(messageOf(values));
  }
  const isFull = messages.length === PAGE_ROWS || bytes >= PAGE_BYTES;
  return { messages, snapshot, after: isFull ? last : null };
}

/** Size of the payload of a row `m` in SQL. */
export const PAYLOAD_BYTES = `coalesce(
    pg_catalog.octet_length(m.payload::jsonb::text), pg_catalog.octet_length(m.binary_payload))::bigint`;

/** Columns of `StoredMessage` in SQL, for a row `m` of realtime.messages with at most `max` bytes of payload. */
export const messageColumns = (max: string): string => `m.topic::text, m.event::text, m.private::text, m.id::text,
    (extract(epoch from m.inserted_at) * 1000000)::bigint::text as inserted_at,
    case when pg_catalog.octet_length(m.payload::jsonb::text) <= ${max} then m.payload::jsonb::text end as json,
    case when pg_catalog.octet_length(m.binary_payload) <= ${max}
      then pg_catalog.encode(m.binary_payload, 'hex') end as binary`;

/** Returns the message of a row with `messageColumns`. */
export function messageOf(values: readonly (Buffer | null | undefined)[]): StoredMessage {
  const [topic, event, isPrivate, id, insertedAt, json, binary] = values;
  return {
    topic: topic?.toString() ?? '',
    event: event?.toString() ?? '',
    isPrivate: isPrivate?.toString() === 'true',
    id: id?.toString() ?? '',
    insertedAt: Number(insertedAt?.toString() ?? 0),
    payload: json
      ? { encoding: 'json', bytes: json }
      : binary
        ? { encoding: 'binary', bytes: Buffer.from(binary.toString('latin1'), 'hex') }
        : null,
  };
}

/** The role and the search path of reads. The empty path keeps the owner's operators and functions out. */
export const become: Statement = {
  text: setupText('search_path statement_timeout max_parallel_workers_per_gather role request.jwt.claims'),
  params: ['', STATEMENT_MILLISECONDS, '0', serviceRole.role, serviceRole.claimsJson],
  planKey: 'setup',
};

// A row is new if its transaction was running when the last snapshot was taken, or began later. Both conditions use the
// index, so the age of the oldest transaction of the server costs nothing. A row whose time is a day ago is of a restored
// backup, whose transactions have numbers of another server.
const READ = `select pg_catalog.pg_current_snapshot()::text as snapshot, null::bigint as number, null::bigint as size,
    null::text, null::text, null::text, null::text, null::text, null::text, null::text
  union all
  select * from (
    select null::text, m.number, m.size, ${messageColumns('$6::int')}
    from (
      select m.*, pg_catalog.sum(m.size) over (order by m.number rows unbounded preceding) as total
      from (
        select m.*, ${PAYLOAD_BYTES} as size
        from (
          select m.topic, m.event, m.private, m.id, m.inserted_at, m.payload, m.binary_payload, m.number
          from realtime.messages m
          where (m.transaction_id >= $1::xid8 or m.transaction_id = any($2::xid8[]))
            and ($3::pg_snapshot is null or pg_catalog.pg_visible_in_snapshot(m.transaction_id, $3::pg_snapshot))
            and ($4::bigint is null or m.number > $4::bigint)
            and ($5::jsonb is null or m.topic in (select pg_catalog.jsonb_array_elements_text($5::jsonb)))
            and m.extension = 'broadcast' and pg_catalog.octet_length(m.event::text) <= ${MAX_EVENT_BYTES}
            and (m.payload is not null or m.binary_payload is not null)
            and m.inserted_at > (pg_catalog.now() at time zone 'UTC') - interval '1 day'
          order by m.number limit ${PAGE_ROWS}
        ) m
      ) m
    ) m
    where m.total - m.size < ${PAGE_BYTES}
    order by m.number
  ) page`;
