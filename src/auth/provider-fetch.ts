import { limits } from '../../contract/limits.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import { sendRequest } from '../jobs/send-request.ts';

/**
 * A provider did not answer, or its answer cannot be used. The message may be shown; `reason` is for the log. The error behind it is left
 * out, because the libraries put whole answers with their tokens into it.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly reason: string;

  constructor(message: string, behind?: unknown) {
    super(message);
    this.reason = behind === undefined ? '' : reasonOf(behind);
  }
}

/** Returns the innermost message: the libraries wrap errors of the request. */
export function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner.message : '';
}

/** The shape of `fetch` that the libraries of the protocol call. */
export type ProviderFetch = (
  url: string,
  options: { method?: string; headers?: Headers | Record<string, string>; body?: unknown },
) => Promise<Response>;

/** Requests under way, by app. */
const underWay = new Map<string, number>();

/**
 * Returns a `fetch` for the requests to an app's providers. Who configures the app chooses their addresses, so only allowed addresses are
 * reached, redirects are not followed, and each response is bounded in size and time.
 */
export const providerFetch =
  (ref: string, addresses: AddressPolicy): ProviderFetch =>
  async (url, { method = 'GET', headers, body }) => {
    if (!isProviderUrl(url)) throw new ProviderFailure('The address of a provider begins with https://');
    const count = underWay.get(ref) ?? 0;
    if (count >= limits.providerRequests.default) {
      throw new ProviderFailure('Too many requests to providers are under way');
    }
    underWay.set(ref, count + 1);
    try {
      return await answerOf(url, method, new Headers(headers), body, addresses);
    } finally {
      const left = (underWay.get(ref) ?? 1) - 1;
      if (left > 0) underWay.set(ref, left);
      else underWay.delete(ref);
    }
  };

async function answerOf(url: string, method: string, headers: Headers, body: unknown, addresses: AddressPolicy) {
  const result = await sendRequest(
    {
      method,
      url,
      headers: Object.fromEntries(headers),
      body: body === undefined || body === null ? null : Buffer.from(String(body)),
      timeoutMilliseconds: limits.providerMilliseconds.default,
      maxBytes: limits.providerAnswerBytes.default,
    },
    addresses,
  );
  if (result.status === null) throw new ProviderFailure(result.error ?? 'The provider did not answer');
  return new Response(hasNoBody(result.status) ? null : result.content, {
    status: result.status,
    headers: result.contentType === null ? {} : { 'content-type': result.contentType },
  });
}

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Returns true for an address with TLS, and for one of this machine: whether it may be reached, the address policy decides. */
export function isProviderUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' || isInsecure(text);
}

/** Returns true for an address without TLS on this machine. */
export function isInsecure(text: string): boolean {
  const url = new URL(text);
  return url.protocol === 'http:' && LOOPBACK.test(url.hostname);
}
