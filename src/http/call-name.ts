import type { CallRequest } from '../../contract/call-request.ts';
import { authCalls } from '../../contract/calls.ts';
import type { CallEvent } from '../observe/events.ts';

/**
 * Returns the name under which a request is counted if its handler has not named it: the id of its call in chapter 7,
 * or `<area>.unresolved`. Clients therefore cannot create arbitrary names in the statistics.
 */
export const callName = (area: CallEvent['area'], request: CallRequest): string =>
  (area === 'auth' ? authCallOf(request) : null) ?? `${area}.unresolved`;

interface Known {
  id: string;
  /** Query parameter that a request to this call contains; empty if the path alone identifies the call. */
  query: string;
}

const byAddress = new Map<string, Known[]>();
/** Call paths with parameters in braces, each with a pattern for matching requests. */
const patterns: [RegExp, string][] = [];
for (const { id, method, path } of authCalls) {
  const [address = '', query = ''] = path.slice('/auth/v1'.length).split('?');
  const key = `${method} ${address}`;
  if (address.includes('{')) patterns.push([new RegExp(`^${key.replace(/\{\w+\}/g, '[^/]+')}$`), key]);
  byAddress.set(key, [...(byAddress.get(key) ?? []), { id, query }]);
}

function authCallOf({ method, path, query }: CallRequest): string | null {
  const asked = `${method} ${path.replace(/(?<=.)\/$/, '')}`;
  const known = byAddress.get(asked) ?? byAddress.get(patterns.find(([pattern]) => pattern.test(asked))?.[1] ?? '');
  const parts = query.split('&');
  return known?.find((one) => one.query === '' || parts.includes(one.query))?.id ?? null;
}
