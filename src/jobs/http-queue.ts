import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { firstJson } from '../database/statement.ts';
import { readTraceContext } from '../observe/trace-context.ts';
import type { HttpResult, OutgoingRequest } from './send-request.ts';

/** A request in the queue of an app. */
export interface QueuedRequest extends OutgoingRequest {
  id: string;
}

const TAKE = `with taken as (
    delete from net.http_request_queue q where q.id in (
      select w.id from net.http_request_queue w order by w.id limit $1::int for update skip locked)
    returning q.id, q.method, q.url, q.headers, q.body, q.timeout_milliseconds, q.traceparent, q.tracestate
  )
  select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('id', t.id::text, 'method', t.method::text, 'url', t.url,
    'headers', (select pg_catalog.json_object_agg(h.key, coalesce(h.value, '')) from pg_catalog.jsonb_each_text(
      case when pg_catalog.jsonb_typeof(t.headers) = 'object' then t.headers end) h),
    'body', pg_catalog.encode(t.body, 'base64'), 'timeoutMilliseconds', t.timeout_milliseconds,
    'traceparent', t.traceparent, 'tracestate', t.tracestate) order by t.id), '[]') from taken t`;

/**
 * Takes the oldest requests from the queue. They are deleted before they are sent, so that none is sent twice. A crash
 * therefore loses requests that are being sent.
 */
export async function takeRequests(database: Executor, max: number): Promise<QueuedRequest[]> {
  const [result] = await database.run([{ text: TAKE, params: [String(max)] }]);
  const rows = (result && firstJson<QueueRow[]>(result)) ?? [];
  return rows.map(({ traceparent, tracestate, body, headers, ...row }) => ({
    ...row,
    headers: withTrace(headers, { traceparent, tracestate }),
    body: body === null ? null : Buffer.from(body, 'base64'),
  }));
}

type QueueRow = Omit<QueuedRequest, 'body'> & {
  body: string | null;
  traceparent: string | null;
  tracestate: string | null;
};

/** Adds the trace of the request that queued a request, unless the app chose its own. */
function withTrace(
  headers: QueuedRequest['headers'],
  { traceparent, tracestate }: Pick<QueueRow, 'traceparent' | 'tracestate'>,
): QueuedRequest['headers'] {
  const hasOwn = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'traceparent');
  // An app can set the headers of its transaction to anything, so they are checked as those of a client.
  const context = readTraceContext({ traceparent: traceparent ?? '', tracestate: tracestate ?? '' });
  if (traceparent === null || context === null || hasOwn) return headers;
  return { ...headers, traceparent, ...(context.state !== null && { tracestate: context.state }) };
}

/** Stores the response to a request. */
export async function storeResponse(database: Executor, request: string, result: HttpResult): Promise<void> {
  await database.run([
    {
      text: `insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
        values ($1::int8, $2::int, $3, $4::jsonb, $5, $6::bool, $7)`,
      params: [
        request,
        result.status === null ? null : String(result.status),
        result.contentType,
        result.headers && JSON.stringify(result.headers),
        result.content,
        String(result.timedOut),
        result.error,
      ],
    },
  ]);
}

/** The requests and responses of an app, as far as the leader has to do something about them. */
export interface HttpQueueState {
  /** True if requests are queued. */
  readonly waiting: boolean;
  /** The time at which the oldest response expires, in milliseconds since 1970; null if there is no response. */
  readonly expires: number | null;
  /** True if there may be more responses than the maximum. */
  readonly is_full: boolean;
}

export async function readHttpQueue(database: Executor): Promise<HttpQueueState> {
  const [result] = await database.run([
    {
      text: `select pg_catalog.json_build_object('waiting', exists (select from net.http_request_queue),
        'expires', (extract(epoch from pg_catalog.min(created) + pg_catalog.make_interval(hours => $1::int)) * 1000)::int8,
        'is_full', coalesce(pg_catalog.max(id) - pg_catalog.min(id) >= $2::int8, false)) from net._http_response`,
      params: [String(limits.httpResponseHours.default), String(limits.httpResponsesKept.default)],
    },
  ]);
  return (result && firstJson<HttpQueueState>(result)) ?? { waiting: false, expires: null, is_full: false };
}

/** Deletes responses and webhook records that are too old or exceed their maximum number. */
export async function tidyResponses(database: Executor): Promise<void> {
  const { httpResponseHours: hours, httpResponsesKept: kept } = limits;
  await database.run([
    { text: 'select net._tidy($1::int, $2::int)', params: [String(hours.default), String(kept.default)] },
  ]);
}
