/** Time in ms until which the app refuses the kind of request that it has refused last because of too many attempts. */
let until = 0;

/** Sends a request. Records the time until which the app refuses it (RFC 9110, section 10.2.3, `Retry-After`). */
export async function fetchWithWait(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  if (response.status === 429 && seconds > 0) until = Date.now() + seconds * 1000;
  return response;
}

/** Returns the time in ms at which the last refused request can be repeated; 0 if none was refused. */
export const refusedUntil = (): number => until;
