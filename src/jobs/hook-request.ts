import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { TraceContext } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { traceHeaders } from '../observe/trace-context.ts';
import { hookFailure } from './hook-failure.ts';
import { tooLarge } from './hook-function.ts';
import type { AddressPolicy } from './public-address.ts';
import { type HttpResult, sendRequest } from './send-request.ts';

/** A call of a hook over HTTP. */
export interface HookRequest {
  /** The app whose requests in flight are counted. */
  readonly ref: string;
  readonly url: string;
  /** Value of the setting: `v1,whsec_…`; several secrets are separated by `|`. */
  readonly secrets: string;
  /** Id of the call for the receiver; all attempts of one call have the same id. */
  readonly id: string;
  readonly body: string;
  /** The trace of the request that causes the call; null without one. */
  readonly trace?: TraceContext | null;
}

/**
 * Posts a signed payload to a hook (Standard Webhooks) and returns the JSON text of the response; null for 204. Retries
 * within the limit hookRequestMilliseconds if the server cannot be reached or responds 429 or 503 with Retry-After.
 * Follows no redirect.
 * @throws NinefoldError hook_timeout, hook_timeout_after_retry, hook_payload_over_size_limit,
 * hook_payload_invalid_content_type, unexpected_failure
 */
export async function sendHookRequest(request: HookRequest, addresses: AddressPolicy): Promise<string | null> {
  const end = addresses.inFlight.hooks.begin(request.ref, { ofSubject: limits.hookRequests.default });
  if (end === null) throw hookFailure('Too many calls of auth hooks are under way');
  try {
    return await sendWithRetries(request, addresses);
  } finally {
    end();
  }
}

async function sendWithRetries(request: HookRequest, addresses: AddressPolicy): Promise<string | null> {
  const deadline = performance.now() + limits.hookRequestMilliseconds.default;
  for (let attempt = 1; ; attempt++) {
    const timeoutMilliseconds = Math.ceil(deadline - performance.now());
    if (timeoutMilliseconds <= 0) throw timedOut();
    const result = await sendRequest(
      {
        method: 'POST',
        url: request.url,
        headers: signedHeaders(request),
        body: Buffer.from(request.body),
        timeoutMilliseconds,
        maxBytes: limits.hookAnswerBytes.default,
      },
      addresses,
    );
    const pause = pauseAfter(result);
    if (pause === null) return textOf(result);
    if (attempt >= limits.hookRequestAttempts.default) throw unreachable(result);
    if (performance.now() + pause >= deadline) throw result.status === null ? timedOut() : unreachable(result);
    await delay(pause);
  }
}

function signedHeaders({ id, body, secrets, trace }: HookRequest): Record<string, string> {
  const now = new Date();
  const signatures = secrets.split('|').map((secret) => {
    try {
      return new Webhook(secret.replace(/^v1,/, '')).sign(id, now, body);
    } catch {
      throw hookFailure('Error generating signatures: a secret of the hook is not valid');
    }
  });
  return {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
    ...traceHeaders(trace),
  };
}

/** Returns the milliseconds to wait before the next attempt; null if there is none. */
function pauseAfter({ status, timedOut: hasTimedOut, refusal, headers }: HttpResult): number | null {
  if (status === null) return hasTimedOut || refusal ? null : limits.hookRetryMilliseconds.default;
  if (status !== 429 && status !== 503) return null;
  const retryAfter = headerOf(headers, 'retry-after');
  if (!retryAfter) return null;
  return /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
}

const headerOf = (headers: HttpResult['headers'], name: string): string | undefined =>
  Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];

/** Returns the body of a response by GoTrue's rules for statuses and content types. */
function textOf(result: HttpResult): string | null {
  switch (result.status) {
    case null:
      if (result.refusal === 'too-large') throw tooLarge();
      throw result.timedOut ? timedOut() : unreachable(result);
    case 204:
      return null;
    case 200:
    case 202:
      checkContentType(result.contentType);
      return result.content ?? '';
    case 400:
      throw hookFailure('Invalid payload sent to hook');
    case 401:
      throw hookFailure('Hook requires authorization token');
    case 429:
    case 503:
      throw unreachable(result);
    default:
      throw hookFailure(`Unexpected status code returned from hook: ${result.status}`);
  }
}

function checkContentType(contentType: string | null): void {
  if (!contentType) throw invalidContentType('Invalid Content-Type: Missing Content-Type header');
  if (contentType.split(';')[0]?.trim().toLowerCase() === 'application/json') return;
  throw invalidContentType(
    `Invalid JSON response. Received content-type: ${contentType.slice(0, limits.hookMessageCharacters.default)}`,
  );
}

const invalidContentType = (message: string): NinefoldError =>
  new NinefoldError('hook_payload_invalid_content_type', { message });

const timedOut = (): NinefoldError =>
  new NinefoldError('hook_timeout', {
    message: `Failed to reach hook within maximum time of ${(limits.hookRequestMilliseconds.default / 1000).toFixed(6)} seconds`,
    limit: 'hookRequestMilliseconds',
  });

/** Returns the error after the last attempt. The network's error message is only logged. */
function unreachable({ status, error }: HttpResult): NinefoldError {
  if (status !== null) return hookFailure('Service currently unavailable due to hook');
  const cause = new Error(error ?? 'no response');
  return new NinefoldError('hook_timeout_after_retry', { limit: 'hookRequestAttempts', cause });
}
