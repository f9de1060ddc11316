import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AdminContext, BuilderCaller, Caller } from './context.ts';

/** Returns the name under which the changes of a caller are recorded: the builder's name, or `operator`. */
export async function callerName(context: AdminContext, caller: Caller): Promise<string> {
  if (caller.kind === 'operator') return 'operator';
  return (await context.registry.builderName(caller.userId)) ?? caller.userId;
}

/**
 * Returns the builder who calls.
 * @throws `builder_unknown` for the operator, who has no account
 */
export function builderOf(caller: Caller): BuilderCaller {
  if (caller.kind === 'operator') throw new NinefoldError('builder_unknown');
  return caller;
}
