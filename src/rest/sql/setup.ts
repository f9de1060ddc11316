import type { RestSettings } from '../../../contract/settings.ts';
import { memoize } from '../../catalog/memoize.ts';
import type { Param, Statement } from '../../database/statement.ts';
import type { Identity } from '../../identity/identity.ts';
import type { CallPlan, Plan } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { identifier } from './text.ts';

/**
 * The statement before the query: it makes the transaction the caller's own (PostgREST docs, "Transactions",
 * "Transaction-Scoped Settings"). Everything holds until the end of the transaction.
 *
 * Unlike PostgREST's, it applies no settings of the caller's role (ALTER ROLE … SET): anon and authenticated are roles of all
 * apps, and a role that can become one of them can change its settings, in every app's database.
 */
export function setupStatement(request: ApiRequest, plan: Plan, identity: Identity, settings: RestSettings): Statement {
  const names: string[] = [];
  const params: Param[] = [];
  const set = (name: SettingName, value: string): void => {
    names.push(name);
    params.push(value);
  };
  const setNamed = (name: string, value: string): void => {
    names.push(NAMED);
    params.push(name, value);
  };
  set('search_path', [request.schema, ...settings.db_extra_search_path].map(identifier).join(', '));
  if (settings.db_statement_timeout !== null) set('statement_timeout', String(settings.db_statement_timeout));
  set('application_name', `ninefold ${request.requestId}`);
  set('role', identity.role);
  set('request.jwt.claims', identity.claimsJson);
  set('request.method', request.method);
  set('request.path', request.path);
  set('request.headers', JSON.stringify(request.headers));
  set('request.cookies', JSON.stringify(request.cookies));
  if (request.preferences.timezone !== null) set('timezone', request.preferences.timezone);
  if (plan.kind === 'call') for (const [name, value] of hoistedSettings(plan, settings)) setNamed(name, value);
  // without a dot it would be a setting of PostgreSQL's own, the role among them
  for (const [name, value] of Object.entries(settings.app_settings)) if (name.includes('.')) setNamed(name, value);
  if (isReadOnly(plan)) set('transaction_read_only', 'on');
  return { text: setupText(names.join(' ')), params, preparedFor: 'setup' };
}

/** Stands for a setting whose name is a parameter, too. */
const NAMED = '*';

/** The text for settings in this order; few orders exist. */
const setupText = memoize((names) => {
  let count = 0;
  const next = (): string => {
    count += 1;
    return `$${count}`;
  };
  const calls = names.split(' ').map((name) => {
    const nameText = name === NAMED ? next() : `'${name}'`;
    return `pg_catalog.set_config(${nameText}, ${next()}, true)`;
  });
  return `SELECT ${calls.join(', ')}`;
});

/** The settings that every transaction has. */
type SettingName =
  | 'search_path'
  | 'statement_timeout'
  | 'application_name'
  | 'role'
  | 'request.jwt.claims'
  | 'request.method'
  | 'request.path'
  | 'request.headers'
  | 'request.cookies'
  | 'timezone'
  | 'transaction_read_only';

const isReadOnly = (plan: Plan): boolean => (plan.kind === 'call' ? plan.readOnly : plan.kind !== 'mutate');

/** The isolation level has a statement of its own; the role is the caller's. */
const neverHoisted: ReadonlySet<string> = new Set(['default_transaction_isolation', 'role', 'session_authorization']);

const hoistedSettings = (plan: CallPlan, settings: RestSettings): CallPlan['routine']['settings'] =>
  plan.routine.settings.filter(([name]) => !neverHoisted.has(name) && settings.db_hoisted_tx_settings.includes(name));

const isolationLevels: Readonly<Record<string, string>> = {
  'repeatable read': 'REPEATABLE READ',
  serializable: 'SERIALIZABLE',
};

/**
 * The isolation level that the function of the call has set, when it is not the default one. It must be
 * set before the first query of the transaction, so it takes a statement of its own.
 */
export function isolationStatement(plan: Plan, settings: RestSettings): Statement | null {
  if (plan.kind !== 'call' || !settings.db_hoisted_tx_settings.includes('default_transaction_isolation')) return null;
  const level = isolationLevels[plan.routine.isolation?.toLowerCase() ?? ''];
  return level ? { text: `SET LOCAL transaction_isolation TO '${level}'`, params: [] } : null;
}
