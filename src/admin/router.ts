import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

export type Params = Readonly<Record<string, string>>;

export interface Route<Context> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path of the route, for example `/apps/:ref/sql`. */
  readonly path: string;
  readonly handle: (context: Context, request: CallRequest, params: Params) => Promise<Reply>;
}

/**
 * Returns the route of a call, with the names in its path.
 * @throws `not_found`, `method_not_allowed`
 */
export function findRoute<Context>(
  routes: readonly Route<Context>[],
  request: CallRequest,
): { route: Route<Context>; params: Params } {
  const segments = request.path.split('/');
  const allowed: string[] = [];
  for (const route of routes) {
    const params = matchPath(route.path.split('/'), segments);
    if (!params) continue;
    if (route.method === request.method) return { route, params };
    allowed.push(route.method);
  }
  if (allowed.length === 0) throw new NinefoldError('not_found');
  throw new NinefoldError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Params | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i] as string;
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(segment);
      } catch {
        throw new NinefoldError('bad_request', { message: 'The path is not well percent-encoded.' });
      }
    } else if (part !== segment) {
      return null;
    }
  }
  return params;
}

/** Returns a JSON reply of a value. */
export const json = (value: unknown, status = 200): Reply => ({ ...jsonBytes(JSON.stringify(value)), status });

/** Returns a JSON reply of text or bytes that are JSON already. */
export const jsonBytes = (body: string | Uint8Array): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body,
});

export const noContent = (): Reply => ({ status: 204, headers: {}, body: null });
