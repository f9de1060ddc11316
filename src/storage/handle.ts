import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { codesOfEveryCall, type StorageCall } from '../../contract/calls.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Events } from '../observe/events.ts';
import type { Endpoint } from './call.ts';
import { calls } from './calls.ts';
import type { StorageContext } from './context.ts';
import { codeInReply } from './error-reply.ts';
import { capabilities, isTusRequest, tusMethod } from './uploads/tus-headers.ts';

/** A route with the pattern of its path. */
interface Route {
  readonly call: Endpoint;
  readonly pattern: RegExp;
  /** The names in braces of the path. */
  readonly names: readonly string[];
}

const routes: readonly Route[] = calls.map((call) => {
  const path = call.facts.path.slice('/storage/v1'.length);
  const pattern = path.replace(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '(.+)' : '([^/]+)'));
  return {
    call,
    pattern: new RegExp(`^${pattern}/?$`),
    names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
  };
});

/** A call with the values of the names in its path. */
interface Found {
  readonly call: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

/** Returns the call of a method and a path below /storage/v1. HEAD is GET without the body. */
function find(method: string, path: string): Found | null {
  const wanted = method === 'HEAD' ? 'GET' : method;
  for (const { call, pattern, names } of routes) {
    const match = call.facts.method === wanted ? pattern.exec(path) : null;
    if (match) return { call, path: Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? ''])) };
  }
  return null;
}

/** Returns the id of the call that a request means; null if there is no such call. */
export const callOfRequest = (request: CallRequest): StorageCall['id'] | null =>
  find(tusMethod(request), request.path)?.call.facts.id ?? null;

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/**
 * Handles a call of `/storage/v1` as Supabase Storage does.
 * @throws errors that `storageErrorReply` renders
 */
export async function handleStorage(
  context: StorageContext & { readonly events: Pick<Events, 'emit'> },
  request: CallRequest,
): Promise<Reply> {
  const method = tusMethod(request);
  if (method === 'OPTIONS' && isTusRequest(request)) return capabilities(context.settings.storage_file_bytes);
  const found = find(method, request.path);
  if (!found) {
    const allowed = methods.filter((each) => find(each, request.path));
    if (allowed.length === 0) throw new NinefoldError('not_found');
    throw new NinefoldError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
  }
  const { call, path } = found;
  const { facts } = call;
  if (context.trace) context.trace.call = facts.id;
  try {
    const reply = await call.run(context, request, path);
    return method === 'HEAD' ? { ...reply, body: null } : reply;
  } catch (error) {
    if (error instanceof NinefoldError && !declares(facts, codeInReply(error))) {
      context.events.emit({ type: 'undeclared-error', call: facts.id, code: error.code });
    }
    throw error;
  }
}

/** Returns true if the definition of a call names the code. Chapter 8 lists only such codes. */
const declares = ({ errors }: StorageCall, code: string): boolean =>
  [errors, codesOfEveryCall].some((codes: readonly string[]) => codes.includes(code));
