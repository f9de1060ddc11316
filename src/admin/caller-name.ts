import type { Statement } from '../database/statement.ts';
import type { AdminContext, Caller } from './context.ts';

/** What is said of a caller where a change is noted: the builder's name, or that it was the operator. */
export async function callerName(context: AdminContext, caller: Caller): Promise<string> {
  if (caller.kind === 'operator') return 'operator';
  return (await context.registry.builderName(caller.userId)) ?? caller.userId;
}

/** Notes in the journal on whose behalf the connection's changes are made, until its transaction ends or for good. */
export const madeBy = (name: string, until: 'transaction' | 'end'): Statement => ({
  text: `select pg_catalog.set_config('ninefold.made_by', $1, ${until === 'transaction'})`,
  params: [name],
});
