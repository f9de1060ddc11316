import { queryOptions } from '@tanstack/react-query';
import type { CallDetail } from '../../../contract/call-detail.ts';
import type {
  CallStatisticsResponse,
  ListedCall,
  RequestTraceResponse,
  StatisticsWindow,
} from '../../../contract/observed.ts';
import { requestRoleHeader } from './acting.ts';
import { api, segment } from './api.ts';
import { refetchEvery } from './query-client.ts';
import { reach } from './reach.ts';
import type { RequestRole } from './rows/row.ts';

export const callKeys = {
  trace: (ref: string, requestId: string) => ['calls', ref, 'trace', requestId] as const,
  detail: (ref: string, id: string, hash: string) => ['calls', ref, 'detail', id, hash] as const,
  figures: (ref: string, id: string, window: string) => ['calls', ref, 'figures', id, window] as const,
  log: (ref: string, search: object) => ['calls', ref, 'log', search] as const,
  logSummary: (ref: string, search: object) => ['calls', ref, 'log-summary', search] as const,
  errors: (ref: string, code: string | null) => ['calls', ref, 'errors', code] as const,
};

/**
 * Reads the details of a call of chapter 7: code that sends it, an example request, and its errors. The details change
 * only with `hash`, the hash of the specification.
 */
export const callDetail = (ref: string, id: string, hash: string) =>
  queryOptions({
    queryKey: callKeys.detail(ref, id, hash),
    queryFn: ({ signal }) =>
      api<CallDetail>(`/apps/${segment(ref)}/specification/call?${new URLSearchParams({ id })}`, { signal }),
    staleTime: 10_000,
    placeholderData: (before, query) => (query?.queryKey[3] === id ? before : undefined),
  });

/** Reads how often a call was requested within a time window, as a series of points. The query is refreshed while it is visible. */
export const callSeries = (ref: string, id: string, window: StatisticsWindow) =>
  queryOptions({
    queryKey: callKeys.figures(ref, id, window),
    queryFn: ({ signal }) =>
      api<CallStatisticsResponse>(
        `/apps/${segment(ref)}/statistics/calls?${new URLSearchParams({ window, call: id })}`,
        {
          signal,
        },
      ),
    refetchInterval: refetchEvery(10_000),
  });

/** Number of failed requests that one query returns. */
const recentErrorsAtOnce = 50;

/**
 * Reads the last failed requests, newest first. `code` is the error code of the requests; null for any code. The query
 * is refreshed while it is visible.
 */
export const recentErrors = (ref: string, code: string | null) =>
  queryOptions({
    queryKey: callKeys.errors(ref, code),
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ limit: String(recentErrorsAtOnce), ...(code !== null && { code }) });
      return api<ListedCall[]>(`/apps/${segment(ref)}/errors?${query}`, { signal });
    },
    refetchInterval: refetchEvery(10_000),
  });

/**
 * Reads the trace of a request, which never changes. Fails with `call_unknown` if the node does not store the trace.
 */
export const requestTrace = (ref: string, requestId: string) =>
  queryOptions({
    queryKey: callKeys.trace(ref, requestId),
    queryFn: ({ signal }) =>
      api<RequestTraceResponse>(`/apps/${segment(ref)}/traces/${segment(requestId)}`, { signal }),
    staleTime: 60_000,
  });

/** A request that the reader sends from the form of a call. The address is below the app. */
export interface TriedCall {
  method: string;
  address: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export interface TriedResponse {
  status: number;
  headers: [name: string, value: string][];
  text: string;
  milliseconds: number;
  requestId: string | null;
}

/**
 * Sends a request and returns any response, also an error. With `requestRole`, the builder proxy sends the request as
 * this caller. With `key`, the request goes directly to the app, as from any client.
 * @throws {ApiFailure} if there is no response
 */
export async function tryCall(
  ref: string,
  { method, address, headers, body }: TriedCall,
  as: { requestRole: RequestRole } | { key: string },
): Promise<TriedResponse> {
  const direct = 'key' in as;
  const isMember = !direct && as.requestRole !== 'service' && as.requestRole !== 'anon';
  // A read, or a change that is rolled back, needs only the id of the member. Any other change needs the token of
  // the builder who acts as the member. So does an edge function, which may change data with any method.
  const isRolledBack = /tx=rollback/.test(headers.prefer ?? headers.Prefer ?? '');
  const reads = !address.startsWith('/functions/') && (method === 'GET' || method === 'HEAD' || isRolledBack);
  const seated = direct
    ? {}
    : isMember && reads
      ? { 'x-ninefold-as': as.requestRole }
      : await requestRoleHeader(ref, as.requestRole);
  const started = performance.now();
  const response = await reach(`${direct ? '' : '/admin/v1'}/apps/${segment(ref)}${address}`, {
    method,
    headers: {
      ...headers,
      ...(direct && { apikey: as.key }),
      ...seated,
    },
    ...(body !== null && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: [...response.headers],
    text,
    milliseconds: performance.now() - started,
    requestId: response.headers.get('x-request-id'),
  };
}
