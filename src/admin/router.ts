import type { CallRequest } from '../../contract/call-request.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

export type Params = Readonly<Record<string, string>>;

interface Call {
  readonly route: string;
}

/** A call with the parts of its route. */
interface RoutedCall {
  readonly call: Call;
  readonly method: string;
  /** The parts of the path, for example `['', 'apps', ':ref']`. */
  readonly parts: readonly string[];
}

/** Returns the calls in the order in which `callsAt` returns them: paths with fewer names are first. */
export function route<Routed extends Call>(calls: readonly Routed[]): (RoutedCall & { readonly call: Routed })[] {
  const names = ({ parts }: RoutedCall): number => parts.filter((part) => part.startsWith(':')).length;
  return calls
    .map((call) => {
      const [method = '', path = ''] = call.route.split(' ');
      return { call, method, parts: path.split('/') };
    })
    .sort((a, b) => names(a) - names(b));
}

/** Returns the calls at a path, whatever their method. */
export function callsAt<Routed extends RoutedCall>(routed: readonly Routed[], path: string): Routed[] {
  const segments = path.split('/');
  return routed.filter(
    ({ parts }) =>
      parts.length === segments.length && parts.every((part, i) => part.startsWith(':') || part === segments[i]),
  );
}

/**
 * Returns the call of a request among the calls at its path, with the names in the path.
 * @throws `not_found`, `method_not_allowed`, `bad_request`
 */
export function chooseCall<Routed extends RoutedCall>(
  found: readonly Routed[],
  { method, path }: Pick<CallRequest, 'method' | 'path'>,
): { call: Routed['call']; params: Params } {
  if (found.length === 0) throw new NinefoldError('not_found');
  const chosen = found.find((each) => each.method === method);
  if (!chosen) {
    throw new NinefoldError('method_not_allowed', { headers: { allow: found.map((each) => each.method).join(', ') } });
  }
  const segments = path.split('/');
  const named = chosen.parts.flatMap((part, i) =>
    part.startsWith(':') ? [[part.slice(1), decode(segments[i] ?? '')] as const] : [],
  );
  return { call: chosen.call, params: Object.fromEntries(named) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new NinefoldError('bad_request', { message: 'The path is not well percent-encoded.' });
  }
}
