import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireApp } from './authorise.ts';
import type { AdminCall } from './call.ts';
import type { Caller } from './context.ts';
import type { Params } from './router.ts';

/**
 * Checks that the caller has at least the minimum role of the call.
 * @throws `operator_required`, `role_insufficient`, and what `requireApp` throws
 */
export function requireLeast(caller: Caller, { least }: Pick<AdminCall, 'least'>, params: Params): void {
  if (least === 'owner' || least === 'developer' || least === 'reader') requireApp(caller, params.ref ?? '', least);
  else if (least === 'operator' && caller.kind !== 'operator') throw new NinefoldError('operator_required');
  else if (least === 'creator') requireCreator(caller);
  else if (least === 'node owner') requireNodeOwner(caller);
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
