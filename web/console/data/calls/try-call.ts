import { requestRoleHeader } from '../acting/acting.ts';
import { segment } from '../api.ts';
import { reach } from '../reach.ts';
import type { RequestRole } from '../rows/row.ts';

/** A request that the reader sends: the address below the app, headers and body. */
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
 * Sends a request and returns any response. Sends it through the builder proxy as a chosen caller, or, with a key, as
 * any client of the app does.
 * @throws {ApiFailure} without a response
 */
export async function tryCall(
  ref: string,
  { method, address, headers, body }: TriedCall,
  as: { requestRole: RequestRole } | { key: string },
): Promise<TriedResponse> {
  const direct = 'key' in as;
  const isMember = !direct && as.requestRole !== 'service' && as.requestRole !== 'anon';
  // A request as a member that only reads, or that is rolled back, needs no token for acting as this member.
  const reads = method === 'GET' || method === 'HEAD' || /tx=rollback/.test(headers.prefer ?? headers.Prefer ?? '');
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
