import type { Entity } from '../../../../contract/specification-entities.ts';
import type { Parameter } from '../../../rows/query.ts';
import { type RestRequest, restRequest, totalOf } from '../../../rows/rest-request.ts';
import { requestRoleHeader } from '../acting.ts';
import { segment } from '../api.ts';
import { failureOf } from '../api-failure.ts';
import { reach, readJson } from '../reach.ts';
import type { RequestRole, Row } from './row.ts';

/** An entity of an app, and the caller who reads and writes its rows. */
export interface Table {
  ref: string;
  entity: Entity;
  requestRole: RequestRole;
}

export interface RestCall extends RestRequest {
  readonly parameters: readonly Parameter[];
  readonly signal?: AbortSignal;
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
  const as = await requestRoleHeader(ref, requestRole);
  const started = performance.now();
  const { url, init } = restRequest(segment(entity.name), entity.schema, call);
  const response = await reach(`/admin/v1/apps/${segment(ref)}${url}`, {
    ...init,
    headers: { ...init.headers, ...as },
    ...(call.signal && { signal: call.signal }),
  });
  const answer = await readJson(response);
  if (!response.ok) throw failureOf(response.status, answer, response.headers.get('x-request-id'));
  return {
    rows: Array.isArray(answer) ? answer : [],
    total: totalOf(response),
    milliseconds: performance.now() - started,
  };
}
