import { type Limit, type LimitName, limitGroups, limits } from '../../../../../contract/limits.ts';
import type { RightName } from '../../../../../contract/server-rights.ts';
import type { RestSettings } from '../../../../../contract/settings.ts';
import type { AuthSettings } from '../../../../../contract/settings-auth.ts';
import type { RealtimeSettings } from '../../../../../contract/settings-realtime.ts';
import type { StorageSettings } from '../../../../../contract/settings-storage.ts';
import type { LimitLine, LimitsChapter } from '../../../../../contract/specification.ts';
import type { Facts } from '../../../../catalog/facts.ts';
import { compareText, idOf, roleName, sqlName } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';
import type { ServerLimitFacts, ServerSetting } from '../../../../catalog/server-limits.ts';
import { isSetByServer } from '../../../../database/startup-settings.ts';
import { documentedRoutines } from '../documented.ts';

export interface LimitsApp {
  settings: RestSettings & AuthSettings & StorageSettings & RealtimeSettings;
  /** Limits that the node's environment sets. */
  environment: Partial<Record<LimitName, number>>;
  missingRights: readonly RightName[];
}

/** Builds chapter 9: every limit of the app. */
export function limitsChapter(facts: Facts, app: LimitsApp): LimitsChapter {
  const order = Object.keys(limitGroups);
  const own = Object.entries<Limit>(limits)
    .map(([name, limit]) => ownLimit(name as LimitName, limit, facts, app))
    .sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
  return {
    limits: [...own, ...databaseLimits(facts), ...functionLimits(facts, app.settings)],
    ...(app.missingRights.length > 0 && { missing_rights: app.missingRights }),
    sources: [
      { kind: 'code', label: 'contract/limits.ts: the numbers and their defaults' },
      { kind: 'setting', label: 'settings of the app', sql: 'select * from ninefold.settings' },
      { kind: 'code', label: 'the environment of the node' },
      { kind: 'catalog', label: 'pg_settings: the server', sql: serverSql },
      {
        kind: 'catalog',
        label: 'pg_db_role_setting, pg_roles, pg_database: this database and its roles',
        sql: databaseSql,
      },
      { kind: 'catalog', label: 'alter function … set statement_timeout, lock_timeout' },
    ],
  };
}

const serverSql = `select name, setting, unit, source from pg_settings
where name in ('max_connections', 'statement_timeout', 'lock_timeout', 'temp_file_limit', 'work_mem') order by 1`;
const databaseSql = `select d.datconnlimit, r.rolname, r.rolconnlimit from pg_database d, pg_roles r
where d.datname = current_database() and r.rolname ~ ('^' || d.datname)`;

const WIDE = ' This node serves its own machine only, so the default is ten times as high.';

function ownLimit(name: LimitName, limit: Limit, facts: Facts, app: LimitsApp): LimitLine {
  const base = {
    id: name,
    ...{ group: limit.group, unit: limit.unit, meaning: limit.meaning, default: limit.default },
    range: limit.range ? ([limit.range[0], limit.range[1]] as [number, number]) : null,
    code: limit.code ?? null,
    may_be_unlimited: limit.isNullable === true,
  };
  const key = limit.setting;
  if (key !== undefined) {
    const set = app.settings[key as keyof typeof app.settings];
    const value = typeof set === 'number' ? set : null;
    const change = { by: 'setting', key } as const;
    const isWide = limit.wideOnLoopback === true && value !== null && value === app.environment[name];
    if (isWide) return { ...base, meaning: `${limit.meaning}${WIDE}`, value, set_in: 'environment', change };
    return { ...base, value, set_in: value === limit.default ? 'code' : 'setting', change };
  }
  if (limit.variable !== undefined) {
    const value = app.environment[name] ?? limit.default;
    const set_in = value === limit.default ? 'code' : 'environment';
    return { ...base, value, set_in, change: { by: 'environment', key: limit.variable } };
  }
  const connections = connectionsOf(name, facts);
  if (connections === null) return { ...base, value: limit.default, set_in: 'code', change: null };
  const value = connections.value < 0 ? null : connections.value;
  return {
    ...base,
    meaning: `${limit.meaning}${connections.words}`,
    value,
    set_in: value === limit.default ? 'code' : 'database',
    change: { by: 'sql', key: connections.sql },
  };
}

/**
 * Returns the limit of connections that PostgreSQL enforces for a login role of the app. `words` describes other
 * conditions under which PostgreSQL refuses new connections.
 */
function connectionsOf(name: LimitName, facts: Facts): { value: number; words: string; sql: string } | null {
  if (name !== 'appConnections' && name !== 'ownerConnections') return null;
  const wanted = name === 'appConnections' ? facts.authenticator : facts.authenticator.replace(/_authenticator$/, '');
  const found = facts.connection_limits.find(({ role }) => role === wanted);
  if (found) {
    return {
      ...{ value: found.connections, words: validUntilWords(found.valid_until) },
      sql: 'alter role … connection limit …',
    };
  }
  const role = facts.roles.find(({ name }) => name === wanted);
  if (!role) return null;
  return role.can_login
    ? {
        value: 0,
        words: ' Their role may not connect to the database; no new one is opened.',
        sql: 'grant connect on database … to …',
      }
    : { value: 0, words: ' Their role may not log in; no new one is opened.', sql: 'alter role … login' };
}

/**
 * Describes VALID UNTIL of a role. PostgreSQL checks it when a connection is opened and does not close open
 * connections.
 */
function validUntilWords(until: string | null): string {
  if (until === null) return '';
  const moment = until === '-infinity' ? 'no moment' : `${until.replace('T', ' ')} UTC`;
  return ` The password of their role is valid until ${moment} (alter role … valid until …); after that no new one is opened.`;
}

const meanings: Readonly<Record<string, string>> = {
  max_connections: 'Connections that the whole database server takes.',
  statement_timeout: 'How long a statement may run where nothing closer says otherwise; 0 is no limit.',
  transaction_timeout: 'How long a transaction may take; 0 is no limit.',
  lock_timeout: 'How long a statement waits for a lock; 0 is no limit.',
  idle_in_transaction_session_timeout: 'How long an open transaction may do nothing; 0 is no limit.',
  temp_file_limit: 'How much disk space one connection may use for sorting and the like.',
  max_stack_depth:
    'How much stack a connection may use: for functions that call one another, and for values within values.',
  work_mem: 'How much memory one step of a query uses before it turns to the disk.',
};

/** For each unit of PostgreSQL, the unit of the chapter and the factor between both. */
const units: Readonly<Record<string, readonly [LimitLine['unit'], number]>> = {
  ms: ['milliseconds', 1],
  s: ['seconds', 1],
  min: ['seconds', 60],
  kB: ['bytes', 1024],
  MB: ['bytes', 1024 ** 2],
  '8kB': ['bytes', 8192],
};

function databaseLimits(facts: Facts): LimitLine[] {
  const server = facts.server_settings.map((setting) => serverLimit(setting, facts));
  const database: LimitLine = {
    ...{ id: 'database.connections', group: 'database', unit: 'count', default: null, range: null, code: '53300' },
    meaning: 'Connections that the app’s database takes.',
    value: facts.database_connections < 0 ? null : facts.database_connections,
    set_in: facts.database_connections < 0 ? 'code' : 'database',
    change: { by: 'sql', key: 'alter database … connection limit …' },
    may_be_unlimited: true,
  };
  const roles = facts.role_settings.flatMap(({ role, name, value, database: here }) => {
    if (role === facts.authenticator && isSetByServer(name)) return [];
    const line = server.find(({ id }) => id === `database.${name}`);
    const amount = line && amountOf(value, facts.server_settings.find((one) => one.name === name)?.unit ?? null);
    if (!line || amount === undefined || amount === null) return [];
    const whose = role === null ? 'everyone' : nameOf(role, facts);
    const of =
      role === null ? (here ? 'database …' : 'role all') : `role ${sqlName(whose)}${here ? ' in database …' : ''}`;
    return [
      {
        ...line,
        id: `database.${name}.${whose}${here ? '' : '.everywhere'}`,
        meaning: `${line.meaning.replace(/; 0 is no limit\.$|\.$/, '')}, for new connections of ${whose}${isSetByServer(name) && role === null ? ' but the server' : ''}.`,
        value: amount,
        set_in: 'database' as const,
        // Only a superuser may set temp_file_limit, so the app cannot change it. Ninefold sets it as the superuser.
        change: name === 'temp_file_limit' ? null : { by: 'sql' as const, key: `alter ${of} set ${name} = …` },
      },
    ];
  });
  return [...server, database, ...roles].sort((a, b) => compareText(a.id, b.id));
}

/**
 * Returns the name of a role, so that the chapters of two apps are comparable: the owner is called pg_database_owner,
 * and the login role authenticator.
 */
function nameOf(role: string, facts: Facts): string {
  if (role === facts.authenticator) return 'authenticator';
  return roleName(facts, facts.roles.find((one) => one.name === role)?.oid ?? -1);
}

function serverLimit({ name, value, boot, unit }: ServerSetting, _facts: ServerLimitFacts): LimitLine {
  const [shownUnit, times] = units[unit ?? ''] ?? (['count', 1] as const);
  const inUnit = (amount: number): number | null => (amount < 0 ? null : amount * times);
  const isSet = value !== boot;
  return {
    ...{ id: `database.${name}`, group: 'database', unit: shownUnit, meaning: meanings[name] ?? name, range: null },
    default: inUnit(boot),
    value: inUnit(value),
    set_in: isSet ? 'database' : 'code',
    change:
      name === 'max_connections' || name === 'temp_file_limit' || name === 'max_stack_depth'
        ? null
        : { by: 'sql', key: `alter database … set ${name} = …` },
    may_be_unlimited: boot <= 0,
    code:
      name === 'max_connections'
        ? '53300'
        : name === 'max_stack_depth'
          ? '54001'
          : name.endsWith('_timeout')
            ? name === 'lock_timeout'
              ? '55P03'
              : '57014'
            : null,
  };
}

const durations: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const sizes: Readonly<Record<string, number>> = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/**
 * Parses the value of a setting, such as `5s` or `64MB`, into the unit of the chapter. Returns null for other texts.
 * @param unit The unit of a number that is written without a unit.
 */
function amountOf(written: string, unit: string | null): number | null {
  const match = /^\s*'?(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)'?\s*$/.exec(written);
  if (!match) return null;
  const number = Number(match[1]);
  const word = match[2] ?? '';
  if (word === '') return number * (units[unit ?? '']?.[1] ?? 1);
  const scale = durations[word] ?? sizes[word];
  return scale === undefined ? null : number * scale;
}

/**
 * Limits that a function can set with ALTER FUNCTION … SET. A call applies the function's statement_timeout in place of
 * the app's setting only if the setting is hoisted: the call sets it before the statement runs. Otherwise PostgreSQL
 * sets it within a running statement, where it has no effect.
 */
const functionSettings: Readonly<Record<string, { meaning: string; code: string }>> = {
  statement_timeout: { meaning: 'How long a call of % may run in the database.', code: '57014' },
  lock_timeout: { meaning: 'How long a statement within % waits for a lock.', code: '55P03' },
};

/** Returns the limits that functions set. */
const functionLimits = (facts: Facts, settings: RestSettings): LimitLine[] =>
  documentedRoutines(facts).flatMap((routine) => functionLimit(routine, settings.db_hoisted_tx_settings));

function functionLimit(routine: RoutineFact, hoisted: readonly string[]): LimitLine[] {
  return routine.settings.flatMap((setting): LimitLine[] => {
    const [name, written = ''] = setting.split(/=(.*)/s);
    const known = functionSettings[name ?? ''];
    const value = known ? amountOf(written, 'ms') : null;
    if (!known || value === null || (name === 'statement_timeout' && !hoisted.includes(name))) return [];
    const id = idOf(routine);
    return [
      {
        ...{
          id: `function.${id}.${name}`,
          group: 'database',
          unit: 'milliseconds',
          default: null,
          range: null,
        },
        meaning: known.meaning.replace('%', () => id),
        ...{ value, set_in: 'database', change: { by: 'sql', key: `alter function ${id} set ${name} = …` } },
        ...{ may_be_unlimited: true, code: known.code },
      },
    ];
  });
}
