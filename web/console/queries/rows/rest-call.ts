import type { Entity } from '../../../../contract/specification-entities.ts';
import { requestRoleHeader } from '../acting.ts';
import { segment } from '../api.ts';
import { failureOf } from '../api-failure.ts';
import { reach, readJson } from '../reach.ts';
import { queryString } from './query-string.ts';
import type { RequestRole, Row } from './row.ts';

/** An entity of an app, and the caller who reads and writes its rows. */
export interface Table {
  ref: string;
  entity: Entity;
  requestRole: RequestRole;
}

export interface RestCall {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  parameters: readonly (readonly [name: string, value: string])[];
  /** Body as JSON text. It is sent unchanged. */
  body?: string;
  prefer?: readonly string[];
  signal?: AbortSignal;
}

export interface RestResponse {
  rows: Row[];
  /** Number of all rows that match; null if the request does not ask for it. */
  total: number | null;
  milliseconds: number;
}

/**
 * Sends a request to PostgREST's API of an app through the builder proxy. It runs with the privileges of the service
 * role, or as `requestRole`. The first request as a member asks the server for a token to act as this member.
 * @throws {ApiFailure} for every error response, and if there is no response
 */
export async function restCall(table: Table, call: RestCall): Promise<RestResponse> {
  const { ref, entity, requestRole } = table;
  const { method = 'GET', parameters, body, prefer = [], signal } = call;
  const as = await requestRoleHeader(ref, requestRole);
  const started = performance.now();
  const query = queryString(parameters);
  const response = await reach(
    `/admin/v1/apps/${segment(ref)}/rest/v1/${segment(entity.name)}${query === '' ? '' : `?${query}`}`,
    {
      method,
      headers: {
        accept: 'application/json',
        [method === 'GET' ? 'accept-profile' : 'content-profile']: entity.schema,
        ...as,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(prefer.length > 0 && { prefer: prefer.join(', ') }),
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    },
  );
  const answer = await readJson(response);
  if (!response.ok) throw failureOf(response.status, answer, response.headers.get('x-request-id'));
  return {
    rows: Array.isArray(answer) ? answer : [],
    total: totalOf(response.headers.get('content-range')),
    milliseconds: performance.now() - started,
  };
}

/** Parses the total number of rows: "0-499/12408" → 12408. Null for "0-499", and if the response has no such header. */
function totalOf(range: string | null): number | null {
  const total = /\/(\d+)$/.exec(range ?? '')?.[1];
  return total === undefined ? null : Number(total);
}
