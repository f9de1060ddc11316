import { leastRoles } from '../../contract/least-roles.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireApp } from './authorise.ts';
import type { Caller } from './context.ts';
import type { Params, Route } from './router.ts';

/**
 * Checks that the caller has at least the minimum role of the route.
 * @throws `operator_required`, `role_insufficient`, and what `requireApp` throws
 */
export function requireLeast(
  caller: Caller,
  { method, path }: Pick<Route<never>, 'method' | 'path'>,
  params: Params,
): void {
  const min = leastRoles[`${method} ${path}`];
  if (min === undefined) throw new Error(`${method} ${path} has no least role`);
  if (min === 'owner' || min === 'developer' || min === 'reader') requireApp(caller, params.ref ?? '', min);
  else if (min === 'operator' && caller.kind !== 'operator') throw new NinefoldError('operator_required');
  else if (min === 'creator') requireCreator(caller);
  else if (min === 'node owner') requireNodeOwner(caller);
}

/**
 * Checks that the caller may create apps.
 * @throws `role_insufficient`
 */
export function requireCreator(caller: Caller): void {
  if (caller.kind === 'builder' && !caller.createsApps) throw insufficient('may create apps');
}

/**
 * Checks that the caller owns the node or is the operator.
 * @throws `role_insufficient`
 */
function requireNodeOwner(caller: Caller): void {
  if (caller.kind === 'builder' && !caller.ownsNode) throw insufficient('owner of the node');
}

export const ownsApp = (caller: Caller, ref: string): boolean =>
  caller.kind === 'operator' || caller.apps.get(ref) === 'owner';

export const isReader = (caller: Caller, ref: string): boolean =>
  caller.kind === 'builder' && caller.apps.get(ref) === 'reader';

const insufficient = (needed: string): NinefoldError => new NinefoldError('role_insufficient', { details: { needed } });
