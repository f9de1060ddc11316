import type { Plan } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';

/**
 * Returns the header Preference-Applied (RFC 7240, section 3) with the preferences that had an effect; null if there
 * are none.
 */
export function preferenceApplied(request: ApiRequest, plan: Plan): string | null {
  const { preferences, parameters } = request;
  const mutation = plan.kind === 'mutate' ? plan : null;
  const isInsert = mutation?.mutation === 'insert';
  const hasConflictTarget = (mutation?.target.primaryKey.length ?? 0) > 0 || parameters.onConflict !== null;
  const limitsRows = plan.kind === 'call' || mutation?.mutation === 'update' || mutation?.mutation === 'delete';
  const applied: string[] = [];
  const add = (name: string, value: unknown, counts = true): void => {
    if (counts && value !== null) applied.push(`${name}=${value}`);
  };
  add('resolution', preferences.resolution, isInsert && hasConflictTarget);
  add('missing', preferences.missing, isInsert || mutation?.mutation === 'update');
  add('return', preferences.representation, mutation !== null);
  add('count', preferences.count);
  add('tx', preferences.transaction);
  add('handling', preferences.handling);
  add('conflict', preferences.conflict, mutation?.mutation === 'update');
  add('timezone', preferences.timezone);
  add('max-affected', preferences.maxAffected, limitsRows && preferences.handling === 'strict');
  return applied.length ? applied.join(', ') : null;
}
