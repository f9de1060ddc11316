import type { RestSettings } from '../../../contract/settings.ts';
import { memoize } from '../../catalog/memoize.ts';
import type { Param, Statement } from '../../database/statement.ts';
import type { Identity } from '../../identity/identity.ts';
import type { CallPlan, Plan } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { identifier } from './text.ts';

/**
 * Returns the statement before the query. It sets role, claims and settings of the caller until the end of the
 * transaction (PostgREST docs, "Transactions", "Transaction-Scoped Settings").
 *
 * Unlike PostgREST, it does not apply settings of the caller's role (ALTER ROLE … SET): anon and authenticated are
 * roles of all apps, so a role that can become one of them could change these settings for every app.
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
  // A name without a dot would be a setting of PostgreSQL itself, such as the role.
  for (const [name, value] of Object.entries(settings.app_settings)) if (name.includes('.')) setNamed(name, value);
  if (isReadOnly(plan)) set('transaction_read_only', 'on');
  return { text: setupText(names.join(' ')), params, planKey: 'setup' };
}

/** Placeholder for a setting whose name is also a parameter. */
const NAMED = '*';

/** Returns the text for settings in this order. Only few orders occur. */
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

/** The settings that a transaction can have. */
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

/**
 * Settings of a function that are not hoisted: the isolation level needs its own statement, and the role is the
 * caller's.
 */
const neverHoisted: ReadonlySet<string> = new Set(['default_transaction_isolation', 'role', 'session_authorization']);

const hoistedSettings = (plan: CallPlan, settings: RestSettings): CallPlan['routine']['settings'] =>
  plan.routine.settings.filter(([name]) => !neverHoisted.has(name) && settings.db_hoisted_tx_settings.includes(name));

const isolationLevels: Readonly<Record<string, string>> = {
  'repeatable read': 'REPEATABLE READ',
  serializable: 'SERIALIZABLE',
};

/**
 * Returns the statement that sets the isolation level of the called function; null for the default level. It must run
 * before the first query of the transaction.
 */
export function isolationStatement(plan: Plan, settings: RestSettings): Statement | null {
  if (plan.kind !== 'call' || !settings.db_hoisted_tx_settings.includes('default_transaction_isolation')) return null;
  const level = isolationLevels[plan.routine.isolation?.toLowerCase() ?? ''];
  return level ? { text: `SET LOCAL transaction_isolation TO '${level}'`, params: [] } : null;
}
