import type { CallRequest } from '../../contract/call-request.ts';
import { authCalls } from '../../contract/calls.ts';
import { groupBy } from '../catalog/group.ts';
import type { CallEvent } from '../observe/events.ts';

/**
 * Returns the name under which a request is counted if its handler has not named it: the id of its call in chapter 7,
 * or `<area>.unresolved`. Clients therefore cannot create arbitrary names in the statistics.
 */
export const callName = (area: CallEvent['area'], request: CallRequest): string =>
  (area === 'auth' ? authCallOf(request) : null) ?? `${area}.unresolved`;

const byAddress = groupBy(
  authCalls.map(({ id, method, path }) => {
    const [address = '', query = ''] = path.slice('/auth/v1'.length).split('?');
    // The query parameter that a request to this call contains; empty if the path alone identifies the call.
    return { id, query, address: `${method} ${address}` };
  }),
  ({ address }) => address,
);
/** Call paths with parameters in braces, each with a pattern for matching requests. */
const patterns: readonly (readonly [RegExp, string])[] = [...byAddress.keys()]
  .filter((address) => address.includes('{'))
  .map((address) => [new RegExp(`^${address.replace(/\{\w+\}/g, '[^/]+')}$`), address]);

function authCallOf({ method, path, query }: CallRequest): string | null {
  const asked = `${method} ${path.replace(/(?<=.)\/$/, '')}`;
  const known = byAddress.get(asked) ?? byAddress.get(patterns.find(([pattern]) => pattern.test(asked))?.[1] ?? '');
  const parts = query.split('&');
  return known?.find((one) => one.query === '' || parts.includes(one.query))?.id ?? null;
}
