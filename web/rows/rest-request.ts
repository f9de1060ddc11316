/** A data request: a method, query parameters, a body as JSON text, and preferences. */
export interface RestRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | undefined;
  readonly parameters?: URLSearchParams | readonly (readonly [name: string, value: string])[] | undefined;
  /** Body as JSON text. It is sent unchanged. */
  readonly body?: string | undefined;
  readonly prefer?: readonly string[] | undefined;
}

/**
 * Returns address and content of a data request. The caller adds the headers that identify it.
 * @param path Path below /rest/v1, for example "tickets" or "rpc/close_ticket".
 * @param schema Schema of the entity or function; null for the app's first schema.
 */
export function restRequest(path: string, schema: string | null, request: RestRequest) {
  const { method = 'GET', parameters = [], body, prefer = [] } = request;
  const query = String(new URLSearchParams(parameters as URLSearchParams));
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...(schema !== null && { [method === 'GET' ? 'accept-profile' : 'content-profile']: schema }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(prefer.length > 0 && { prefer: prefer.join(', ') }),
  };
  return {
    url: `/rest/v1/${path}${query === '' ? '' : `?${query}`}`,
    init: { method, headers, ...(body !== undefined && { body }) },
  };
}

/** Parses the total number of rows: "0-499/12408" → 12408. Null for "0-499/*", and if the response has no such header. */
export function totalOf({ headers }: Response): number | null {
  const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
  return total === undefined ? null : Number(total);
}
