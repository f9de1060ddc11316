import type { CallRequest } from '../../contract/call-request.ts';
import { rethrowAsAppDamaged } from '../apps/provisioning/damaged-app.ts';
import type { Result, Statement } from '../database/statement.ts';
import { type Identity, serviceRole } from '../identity/identity.ts';
import { NAMED, setupText } from '../identity/setup-text.ts';
import type { StorageContext } from './context.ts';
import { fromDatabase } from './database-errors.ts';

/** The role that calls the functions of the node in the app's database. No policy and no call of the app has it. */
const admin: Identity = { ...serviceRole, role: 'supabase_storage_admin', claimsJson: '' };

/** Statements that run as one caller. */
export interface Act {
  readonly as: Identity;
  readonly statements: readonly Statement[];
}

export const asCaller = (as: Identity, ...statements: Statement[]): Act => ({ as, statements });
/** Statements that no policy decides. */
export const asService = (...statements: Statement[]): Act => ({ as: serviceRole, statements });
export const asAdmin = (...statements: Statement[]): Act => ({ as: admin, statements });

interface Options {
  /** Policies can read the operation with `storage.operation()`. */
  readonly operation: string;
  /** True to try the statements and keep nothing. */
  readonly rollsBack?: boolean;
}

/**
 * Runs acts in one transaction and one round trip.
 * @returns the results of the statements of all acts, in order.
 * @throws NinefoldError for what PostgreSQL or the app's triggers refused.
 */
export async function runActs(
  { app, statementMilliseconds, trace }: StorageContext,
  request: CallRequest,
  { operation, rollsBack = false }: Options,
  ...acts: readonly Act[]
): Promise<Result[]> {
  const statements: Statement[] = [];
  const kept: number[] = [];
  for (const [i, { as, statements: own }] of acts.entries()) {
    statements.push(i === 0 ? setUp(request, as, operation, statementMilliseconds) : become(as));
    for (const statement of own) {
      kept.push(statements.length);
      statements.push({ ...statement, planKey: as.role });
    }
  }
  if (rollsBack) {
    statements.push({ text: 'SET CONSTRAINTS ALL IMMEDIATE', params: [] }, { text: 'ROLLBACK', params: [] });
  }
  const results = await app.database
    .run(statements, { signal: request.signal, timing: trace })
    .catch((error: unknown) => rethrowAsAppDamaged(fromDatabase(error)));
  return kept.map((index) => results[index] as Result);
}

/** The search path of Supabase Storage, on which policies and triggers may depend. */
const SEARCH_PATH = 'storage, public, extensions';

function setUp(request: CallRequest, as: Identity, operation: string, statementMilliseconds: number | null): Statement {
  const settings: [string, string][] = [
    ['search_path', SEARCH_PATH],
    ...(statementMilliseconds === null
      ? []
      : [['statement_timeout', String(statementMilliseconds)] as [string, string]]),
    ['application_name', `ninefold ${request.requestId}`],
    ['role', as.role],
    ['request.jwt.claims', as.claimsJson],
    ['request.method', request.method],
    ['request.path', request.path],
    ['request.headers', JSON.stringify(request.headers)],
  ];
  return {
    text: setupText([...settings.map(([name]) => name), NAMED, NAMED].join(' ')),
    params: [
      ...settings.map(([, value]) => value),
      'storage.operation',
      operation,
      // Migrations of Supabase projects can have a trigger that lets only the Storage API delete rows.
      'storage.allow_delete_query',
      'true',
    ],
    planKey: 'setup',
  };
}

/** Policies of Supabase projects can read the role and the subject also as settings of their own, which Supabase Storage sets. */
const become = (as: Identity): Statement => ({
  text: setupText('role request.jwt.claims request.jwt.claim.role request.jwt.claim.sub'),
  params: [as.role, as.claimsJson, as === admin ? '' : as.role, as.userId ?? ''],
  planKey: 'setup',
});
