import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { Identity } from '../identity/identity.ts';
import { planRequest } from './plan/plan-request.ts';
import { parseRequest } from './request/parse-request.ts';
import { optionsReply } from './response/options-reply.ts';
import { queryReply } from './response/query-reply.ts';
import { runBatch } from './run/run-batch.ts';
import { buildStatements } from './sql/build-statements.ts';

export interface RestContext {
  /** Logged in as the role that may take on the caller's. */
  readonly database: Database;
  readonly catalog: Catalog;
  readonly identity: Identity;
  readonly settings: RestSettings;
}

/**
 * One call of `/rest/v1`, the whole way: request → plan → sql → run → response. Row-level security decides what the
 * caller sees and changes; nothing here does.
 * Throws NinefoldError, DatabaseError, ConnectionError and PoolTimeoutError; `restErrorReply` renders them.
 */
export async function handleRest(context: RestContext, exchange: Exchange): Promise<Reply> {
  const { database, catalog, identity, settings } = context;
  const request = parseRequest(exchange, settings);
  const plan = planRequest(request, catalog, settings);
  if (plan.kind === 'options') return optionsReply(plan);
  if (plan.kind === 'describe') throw new Error('not yet');
  const batch = buildStatements(request, plan, identity, settings, catalog);
  const result = await runBatch(database, batch, plan, exchange.signal);
  return queryReply(request, plan, result, settings);
}
