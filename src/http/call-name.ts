import { authCalls } from '../../contract/calls.ts';
import type { Exchange } from '../../contract/exchange.ts';
import type { CallTrace } from '../observe/call-trace.ts';
import type { CallEvent } from '../observe/events.ts';

/**
 * The name under which a call is counted: its id in chapter 7, so that nobody can fill a table with names of their own making;
 * `<area>.unresolved` for what is no call of the app.
 */
export function callName(area: CallEvent['area'], exchange: Exchange, trace: CallTrace): string {
  return trace.call ?? (area === 'auth' ? authCallOf(exchange) : null) ?? `${area}.unresolved`;
}

interface Known {
  id: string;
  /** What the query must hold. */
  query: string;
}

const byAddress = new Map<string, Known[]>();
/** The addresses that hold names in braces, each with what matches a request to it. */
const patterns: [RegExp, string][] = [];
for (const { id, method, path } of authCalls) {
  const [address = '', query = ''] = path.slice('/auth/v1'.length).split('?');
  const key = `${method} ${address}`;
  if (address.includes('{')) patterns.push([new RegExp(`^${key.replace(/\{\w+\}/g, '[^/]+')}$`), key]);
  byAddress.set(key, [...(byAddress.get(key) ?? []), { id, query }]);
}

function authCallOf({ method, path, query }: Exchange): string | null {
  const asked = `${method} ${path.replace(/(?<=.)\/$/, '')}`;
  const known = byAddress.get(asked) ?? byAddress.get(patterns.find(([pattern]) => pattern.test(asked))?.[1] ?? '');
  const parts = query.split('&');
  return known?.find((one) => one.query === '' || parts.includes(one.query))?.id ?? null;
}
