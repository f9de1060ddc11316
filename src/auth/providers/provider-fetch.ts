import { limits } from '../../../contract/limits.ts';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { sendRequest } from '../../jobs/send-request.ts';

/**
 * The error that a provider did not respond, or that its response is unusable. Clients may see the message; `reason` is
 * for the log. The original error is not attached as the cause, because the libraries put complete responses into it,
 * including tokens.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly reason: string;

  constructor(message: string, behind?: unknown) {
    super(message);
    this.reason = behind === undefined ? '' : reasonOf(behind);
  }
}

/** Returns the message of the innermost error, because the libraries wrap errors of a request in other errors. */
export function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner.message : '';
}

/** The signature of `fetch` that the protocol libraries call. */
export type ProviderFetch = (
  url: string,
  options: { method?: string; headers?: Headers | Record<string, string>; body?: unknown },
) => Promise<Response>;

/**
 * Returns a `fetch` for requests to an app's providers. The owner of the app chooses the addresses. Therefore only
 * allowed addresses are reached, redirects are not followed, and the size and the time of each response are limited.
 */
export const providerFetch =
  (ref: string, addresses: AddressPolicy): ProviderFetch =>
  async (url, { method = 'GET', headers, body }) => {
    if (!isProviderUrl(url)) throw new ProviderFailure('The address of a provider begins with https://');
    const end = addresses.inFlight.providers.begin(ref, { ofSubject: limits.providerRequests.default });
    if (end === null) throw new ProviderFailure('Too many requests to providers are under way');
    try {
      return await answerOf(url, method, new Headers(headers), body, addresses);
    } finally {
      end();
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
  if (result.status < 200 || result.status > 599) throw new ProviderFailure(`The provider answers ${result.status}`);
  return new Response(hasNoBody(result.status) ? null : result.content, {
    status: result.status,
    headers: result.contentType === null ? {} : { 'content-type': result.contentType },
  });
}

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/**
 * Returns true for an address with TLS and for an address of this machine. The address policy decides whether it may be
 * reached.
 */
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
