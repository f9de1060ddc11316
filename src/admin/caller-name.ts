import type { AdminContext, Caller } from './context.ts';

/** Returns the name under which the changes of a caller are recorded: the builder's name, or `operator`. */
export async function callerName(context: AdminContext, caller: Caller): Promise<string> {
  if (caller.kind === 'operator') return 'operator';
  return (await context.registry.builderName(caller.userId)) ?? caller.userId;
}
