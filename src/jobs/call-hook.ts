import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { functionOfHook, type HookName, hooks } from '../../contract/hooks.ts';
import { limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import type { Secrets } from '../apps/registry/app-secrets.ts';
import type { HookDurations } from '../apps/statistics/hook-durations.ts';
import type { Executor } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { nestsDeeper } from '../limits/bounded-json.ts';
import type { TraceRecorder } from '../observe/events.ts';
import { hookFailure, hookMisconfigured } from './hook-failure.ts';
import { callHookFunction } from './hook-function.ts';
import { sendHookRequest } from './hook-request.ts';
import type { AddressPolicy } from './public-address.ts';

/** The parts of an app that its hooks need. */
export interface HookContext {
  readonly app: { readonly ref: string };
  /** Connections to the app's database with its authenticator role. */
  readonly database: Executor;
  readonly settings: AuthSettings;
  readonly secrets: Secrets;
  readonly hookDurations: HookDurations;
  readonly addresses: AddressPolicy;
  /** The request that causes the call; absent if the mail queue calls the hook. */
  readonly trace?: Pick<TraceRecorder, 'context'>;
}

/** One call of a hook. */
export interface HookCall {
  readonly name: HookName;
  /** IP address from which the member sent the request; null if the mail queue calls the hook. */
  readonly address: string | null;
  /** The payload; `callHook` adds the property `metadata`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Id of the message, which stays the same for all attempts to deliver it; by default a new one. */
  readonly id?: string;
}

/**
 * Calls an enabled hook and returns its response: an object, or null if there is no response. A response with `error`
 * is thrown with the hook's message and status (400 to 599).
 * @throws NinefoldError unknown, unexpected_failure, hook_timeout, hook_timeout_after_retry,
 * hook_payload_over_size_limit, hook_payload_invalid_content_type
 */
export async function callHook(context: HookContext, call: HookCall): Promise<Record<string, unknown> | null> {
  const begun = performance.now();
  try {
    const text = await send(context, call);
    if (text === null) return null;
    const answer = parsed(text);
    if (answer !== null) throwRefusal(answer);
    return answer;
  } finally {
    context.hookDurations.add(call.name, performance.now() - begun);
  }
}

function send(
  { app, database, settings, secrets, addresses, trace }: HookContext,
  call: HookCall,
): Promise<string | null> {
  const { name, payload } = call;
  const id = call.id ?? randomUUID();
  const metadata = {
    uuid: id,
    time: new Date().toISOString(),
    name: hooks[name].event,
    ...(call.address !== null && { ip_address: call.address }),
  };
  const body = JSON.stringify({ metadata, ...payload });
  const uri = settings[`hook_${name}_uri`];
  if (!uri) throw hookMisconfigured(name, `hook_${name}_uri names neither a function nor an address`);
  const target = functionOfHook(uri);
  if (target) return callHookFunction(database, { ...target, uri }, body);
  const secret = secrets[`hook_${name}_secrets`];
  if (!secret) throw hookMisconfigured(name, `hook_${name}_secrets holds no secret to sign its requests with`);
  return sendHookRequest(
    { ref: app.ref, url: uri, secrets: secret, id, body, trace: trace?.context ?? null },
    addresses,
  );
}

/** Parses a response. The JSON value null means no response, as does SQL's NULL. */
function parsed(text: string): Record<string, unknown> | null {
  let answer: unknown;
  try {
    if (!nestsDeeper(text, limits.claimsDepth.default)) answer = JSON.parse(text);
  } catch {
    // Invalid JSON gets the error at the end of this function.
  }
  if (answer === null) return null;
  if (typeof answer === 'object' && !Array.isArray(answer)) return answer as Record<string, unknown>;
  throw hookFailure('Error unmarshaling JSON output.');
}

/** Throws the error in a response (GoTrue, `hookserrors`). An error without a message is ignored. */
function throwRefusal({ error }: Record<string, unknown>): void {
  if (typeof error !== 'object' || error === null) return;
  const { http_code: code, message: words } = error as Record<string, unknown>;
  if (typeof words !== 'string' || words === '') return;
  const message = words.slice(0, limits.hookMessageCharacters.default);
  const status = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 500;
  if (status === 500) throw new NinefoldError('unexpected_failure', { message });
  throw new NinefoldError('unknown', { message, status });
}

/**
 * Waits as long as one of the last calls of the hook took. Used by a request that does not call the hook, because its
 * account does not exist or already exists. Without the wait, its faster response would reveal this.
 */
export async function waitAsHook(
  { settings, hookDurations }: Pick<HookContext, 'settings' | 'hookDurations'>,
  name: HookName,
): Promise<void> {
  if (!settings[`hook_${name}_enabled`]) return;
  const milliseconds = hookDurations.ofAnyCall(name);
  if (milliseconds !== undefined) await delay(milliseconds, undefined, { ref: false });
}
