import type { EdgeFunctionCell } from '../../../../../contract/specification-roles.ts';
import type { ChapterRole } from '../../../../access/calling-roles.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { EdgeFunctionFact } from '../../../../catalog/edge-functions.ts';

/** Decides who may call each edge function: everybody, or only calls with a key of the app or a token (`verify_jwt`). */
export const edgeFunctionCells = (look: Lookup, functions: readonly EdgeFunctionFact[]): EdgeFunctionCell[] =>
  functions.flatMap((one) => look.shared.roles.map((role) => edgeFunctionCell(role, one)));

function edgeFunctionCell(role: ChapterRole, { name, verifies_jwt: verifies }: EdgeFunctionFact): EdgeFunctionCell {
  const of = { role: role.name, edge_function: name, operation: 'execute' } as const;
  if (role.barred !== null) return { ...of, verdict: 'never', words: '', reason: role.barred };
  if (!verifies) return { ...of, verdict: 'always', words: '', reason: 'the function checks its callers itself' };
  return role.caller.user === 'none' && role.name !== 'service_role'
    ? { ...of, verdict: 'when', words: 'the call has a key of the app', reason: 'the function needs a key or a token' }
    : { ...of, verdict: 'always', words: '', reason: 'the key or the token of the call' };
}
