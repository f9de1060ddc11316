import { allSettings } from '../../../contract/all-settings.ts';
import { serverRoles } from '../../../contract/server-roles.ts';
import { hasKind } from '../../apps/settings.ts';
import { quoteIdentifier as id, quoteLiteral as literal } from '../../database/statement.ts';
import { statementsOfBlock } from './do-block.ts';
import { type DatabaseFacts, type Replacement, StatementReader } from './replacement.ts';
import { splitStatements } from './statements.ts';

/** Roles that all apps of the server share. */
const shared: ReadonlySet<string> = new Set(['anon', 'authenticated', 'service_role', ...serverRoles]);

/**
 * Matches settings that a hosted project may change for its complete server. On this node, only the operator sets them.
 */
const serverSetting = /^(log_|track_|auto_explain\.|pg_net\.|pg_stat_statements\.|pgaudit\.)/;

/** Advice on a statement about a role that does not exist or that the app's owner must not create. */
export const adviceOnRoles =
  'Roles belong to all apps of the server. “select ninefold.create_database_role(…)” creates a role without login, ninefold.define_role a role of members.';

const skip = (reader: StatementReader, warning: string | null, kind = ''): Replacement => ({
  run: null,
  warning,
  tag: `${(reader.names[0] ?? '').toUpperCase()}${kind}`,
});

/** Matches CREATE ROLE with a plain name in the text of EXECUTE. */
const EXECUTED_CREATE = /\bcreate\s+(?:role|user|group)\s+(\w+)/gi;

/** Returns the names of the roles that the scripts create, without those of all apps. */
export function rolesCreatedBy(scripts: readonly string[]): Set<string> {
  const found = scripts
    .filter((script) => /\bcreate\s+(role|user|group)\b/i.test(script))
    .flatMap(splitStatements)
    .flatMap((statement) => [statement, ...statementsOfBlock(statement)]);
  const names = found.flatMap(({ command, text }) => {
    if (command === 'CREATE') return createdRole(new StatementReader(text)) ?? [];
    // The text of a statement that EXECUTE runs, if it is a constant.
    return command === 'EXECUTE' ? [...text.matchAll(EXECUTED_CREATE)].map(([, name = '']) => name.toLowerCase()) : [];
  });
  return new Set(names.filter((name) => !shared.has(name)));
}

/** Returns the name of the role that CREATE ROLE, USER or GROUP creates; null for other statements. */
function createdRole({ names: [command, kind = '', name = ''] }: StatementReader): string | null {
  return command === 'create' && isRoleKind(kind) && name !== 'mapping' ? name : null;
}

const isRoleKind = (word: string) => word === 'role' || word === 'user' || word === 'group';

/** Returns true for a name that an app may give to a database role, as `ninefold.is_database_role_name` does. */
export const isDatabaseRoleName = (name: string): boolean =>
  Buffer.byteLength(name) <= 63 &&
  name !== '' &&
  !/^(pg_|app_|ninefold|supabase_|replaced_)/.test(name) &&
  !shared.has(name) &&
  !['public', 'none', 'dashboard_user', 'pgbouncer'].includes(name);

/** Words of CREATE ROLE that a role of an app has anyway. */
const plainAttributes: ReadonlySet<string> = new Set(
  'with nologin inherit noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls ;'.split(' '),
);

/** Creates a database role of the app in place of CREATE ROLE. The role gets no login and no attributes. */
function createDatabaseRole(reader: StatementReader, name: string): Replacement {
  const refused = reader.names.slice(3).filter((word) => !plainAttributes.has(word));
  const warning =
    refused.length === 0
      ? null
      : `Role ${name} is made without login and attributes (${reader.names[3] === 'with' ? refused[0] : refused.slice(0, 1).join('')} …): it can be granted privileges and be named by policies.`;
  return { run: `select ninefold.create_database_role(${literal(name)})`, warning, tag: 'CREATE ROLE' };
}

/** Drops database roles of the app in place of DROP ROLE. */
function dropDatabaseRoles(names: readonly string[], isOptional: boolean): Replacement {
  const calls = names.map((name) => `select ninefold.drop_database_role(${literal(name)}, ${isOptional})`);
  return { run: calls.join('; '), warning: null, tag: 'DROP ROLE' };
}

/**
 * Replaces GRANT and REVOKE of the app's database roles. GRANT … TO authenticator lets tokens name the role. Other memberships
 * would hold in all apps of the server, so they are skipped.
 */
function membershipOfDatabaseRoles(reader: StatementReader, granted: string[], members: string[]): Replacement {
  const isGrant = reader.is('grant');
  const run = members.includes('authenticator')
    ? granted.map((name) => `select ninefold.allow_database_role(${literal(name)}, ${isGrant})`).join('; ')
    : null;
  const others = members.filter(
    (name) => !['authenticator', 'postgres', 'current_user', 'session_user'].includes(name),
  );
  const warning =
    !isGrant || others.length === 0
      ? null
      : `${granted.join(', ')} is not granted to ${others.join(', ')}: a membership would hold in all apps of the server. Name the role itself in privileges and policies.`;
  return { run, warning, tag: isGrant ? 'GRANT ROLE' : 'REVOKE ROLE' };
}

/**
 * Replaces CREATE ROLE with a name that belongs to the server: Ninefold only stores the name of the role. No session of the app could have the role, so
 * privileges that are granted to it would have no effect anyway.
 */
export function createRole(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const name = createdRole(reader);
  if (name === null || shared.has(name) || !facts.hasHelpers) return null;
  if (facts.databaseRoles.has(name)) return createDatabaseRole(reader, name);
  const run = `insert into ninefold.skipped_roles (name) values (${literal(name)}) on conflict do nothing`;
  return {
    run,
    warning: `Role ${name} is not created, and nothing is granted to it. ${adviceOnRoles}`,
    tag: 'CREATE ROLE',
  };
}

/** Skips DROP ROLE and DROP OWNED of roles that were not really created, because apps cannot create roles. */
export function dropRole(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const [, kind = '', second = '', third] = reader.names;
  if (isRoleKind(kind) && second !== 'mapping') {
    const isOptional = second === 'if' && third === 'exists';
    const names = reader.names.slice(isOptional ? 4 : 2).filter((name) => name !== ',');
    const isMissing = (name: string) => facts.skippedRoles.has(name) || (isOptional && !shared.has(name));
    if (
      facts.hasHelpers &&
      names.length > 0 &&
      names.some((name) => facts.databaseRoles.has(name)) &&
      names.every((name) => isOptional || facts.databaseRoles.has(name))
    )
      return dropDatabaseRoles(names, isOptional);
    if (!facts.hasHelpers || !names.every(isMissing)) return null;
    const run = `delete from ninefold.skipped_roles where name in (${names.map(literal).join(', ')})`;
    return { run, warning: null, tag: 'DROP ROLE' };
  }
  return kind === 'owned' && facts.skippedRoles.has(third ?? '') ? skip(reader, null, ' OWNED') : null;
}

/**
 * Replaces ALTER ROLE … SET by a setting of the app if the app has a setting with this meaning. Otherwise skips the
 * statement, because most roles belong to all apps of the server.
 */
export function alterRole(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const [, kind = '', role = ''] = reader.names;
  if (!isRoleKind(kind) || role === 'mapping') return null;
  if (facts.skippedRoles.has(role)) return skip(reader, null, ' ROLE');
  if (facts.databaseRoles.has(role)) {
    return skip(
      reader,
      `Role ${role} stays without login, attributes and settings: roles belong to all apps of the server.`,
      ' ROLE',
    );
  }
  if (!shared.has(role)) return null;
  const at = Math.max(reader.after('set'), reader.after('reset'));
  if (at < 0) return skip(reader, `${role} is a role of all apps of this server, so it stays as it is.`, ' ROLE');
  const parameter = parameterAt(reader, at);
  if (role === 'postgres') {
    if (serverSetting.test(parameter)) return skip(reader, operatorSets(parameter), ' ROLE');
    const place = reader.after('in', 'database');
    const text = reader.with(2, 'current_user');
    const run = place < 0 ? text : new StatementReader(text).with(place, id(facts.database));
    return { run, warning: null, tag: 'ALTER ROLE' };
  }
  const value = valueAfter(reader, parameter.includes('.') ? at + 3 : at + 1);
  const setting = role === 'authenticator' || role === 'authenticated' ? settingOf(parameter, value) : null;
  if (!setting) {
    const warning = `${role} is a role of all apps of this server, so ${parameter} is not set for it. See “ninefold settings”, or ALTER DATABASE … SET.`;
    return skip(reader, warning, ' ROLE');
  }
  const { key, json } = setting;
  const run =
    json === null
      ? `delete from ninefold.settings where key = ${literal(key)}`
      : `insert into ninefold.settings (key, value) values (${literal(key)}, ${literal(json)}::jsonb) on conflict (key) do update set value = excluded.value`;
  return { run, warning: `${parameter} of ${role} is the app’s setting ${key} here.`, tag: 'ALTER ROLE' };
}

const operatorSets = (parameter: string) => `${parameter} is a setting of the whole server, which its operator sets.`;

/** Returns the name of the parameter at a position, which may have two parts. A quoted name has one token. */
function parameterAt(reader: StatementReader, at: number): string {
  return [reader.names[at], ...(reader.names[at + 1] === '.' ? ['.', reader.names[at + 2]] : [])].join('');
}

/**
 * Replaces the name in ALTER DATABASE postgres with the name of the app's database. Skips a change of the owner, and
 * settings that only the operator sets.
 */
export function alterDatabase(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('alter', 'database', 'postgres')) return null;
  if (reader.names[3] === 'owner') return skip(reader, null, ' DATABASE');
  const at = Math.max(reader.after('set'), reader.after('reset'));
  const parameter = at < 0 ? '' : parameterAt(reader, at);
  if (serverSetting.test(parameter)) return skip(reader, operatorSets(parameter), ' DATABASE');
  return { run: reader.with(2, id(facts.database)), warning: null, tag: 'ALTER DATABASE' };
}

/** Replaces the name in COMMENT, GRANT and REVOKE ON DATABASE postgres with the name of the app's database. */
export function onDatabase(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const at = reader.after('on', 'database');
  if (at < 0 || reader.names[at] !== 'postgres') return null;
  return { run: reader.with(at, id(facts.database)), warning: null, tag: (reader.names[0] ?? '').toUpperCase() };
}

/**
 * Replaces SET ROLE postgres and SET SESSION AUTHORIZATION postgres with a reset. On a hosted project the role
 * `postgres` runs migrations; here the app's owner does.
 */
export function setRole(reader: StatementReader): Replacement | null {
  const at = reader.names[1] === 'local' || reader.names[1] === 'session' ? 2 : 1;
  if (reader.names[at] === 'role' && reader.names[at + 1] === 'postgres') {
    return { run: reader.with(at + 1, 'none'), warning: null, tag: 'SET' };
  }
  const place = reader.after('session', 'authorization');
  if (place < 0 || reader.names[place] !== 'postgres') return null;
  return { run: reader.with(place, 'default'), warning: null, tag: 'SET' };
}

export function defaultPrivileges(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('alter', 'default', 'privileges')) return null;
  const granted = grantToSkippedRoles(reader, facts, 'ALTER DEFAULT PRIVILEGES');
  if (granted) return granted;
  const at = Math.max(reader.after('for', 'role'), reader.after('for', 'user'));
  if (at < 0) return null;
  const role = reader.names[at] ?? '';
  const tag = 'ALTER DEFAULT PRIVILEGES';
  if (role === 'postgres') return { run: reader.with(at, 'current_user'), warning: null, tag };
  if (!role.startsWith('supabase_') && !facts.skippedRoles.has(role)) return null;
  return { run: null, warning: `${role} creates nothing here, so its default privileges are left out.`, tag };
}

/**
 * Skips GRANT and REVOKE of role memberships. The roles that all apps share are already granted. PostgreSQL's own roles
 * are never granted, because they give access to the complete server.
 */
export function membership(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const without = grantToSkippedRoles(reader, facts, (reader.names[0] ?? '').toUpperCase());
  if (without) return without;
  const end = Math.max(reader.after('to'), reader.after('from'));
  if (end < 0 || reader.after('on') >= 0) return null;
  const granted = reader.names.slice(1, end - 1).filter((name) => name !== ',');
  if (granted.length > 0 && granted.every((name) => facts.skippedRoles.has(name))) return skip(reader, null);
  if (granted.length > 0 && granted.every((name) => facts.databaseRoles.has(name))) {
    const members = reader.names.slice(end).filter((name) => name !== ',' && name !== ';');
    const stop = members.findIndex((name) => afterRoles.has(name));
    return membershipOfDatabaseRoles(reader, granted, stop < 0 ? members : members.slice(0, stop));
  }
  if (
    granted.length > 0 &&
    granted.every((name) => shared.has(name)) &&
    reader.names.slice(end).some((name) => facts.databaseRoles.has(name))
  ) {
    return skip(reader, `${granted.join(', ')} is not granted: a membership would hold in all apps of the server.`);
  }
  const isPlatform = (name: string) => shared.has(name) || /^(pg_|pgsodium_)/.test(name);
  if (!granted.every(isPlatform) || !reader.names.slice(end).some(isPlatform)) return null;
  const isShared = granted.every((name) => shared.has(name));
  return skip(reader, isShared ? null : `Roles of the server are not an app’s to grant: ${granted.join(', ')}.`);
}

/** Removes roles whose CREATE ROLE is skipped from GRANT and REVOKE; null if there are none. */
function grantToSkippedRoles(reader: StatementReader, facts: DatabaseFacts, tag: string): Replacement | null {
  const at = Math.max(reader.names.lastIndexOf('to'), reader.names.lastIndexOf('from'));
  const run = at < 0 ? undefined : withoutSkippedRoles(reader, facts, at + 1);
  return run === undefined ? null : { run, warning: null, tag };
}

/**
 * Removes roles whose CREATE ROLE is skipped from a policy. Skips a policy without any other role, because it would
 * apply to no row.
 */
export function policyOfSkippedRoles(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const [command = '', kind, name = ''] = reader.names;
  if (kind !== 'policy') return null;
  const at = reader.after('to');
  const run = at < 0 || command === 'drop' ? undefined : withoutSkippedRoles(reader, facts, at);
  if (run === undefined) return null;
  const warning = `Policy ${name} is left out: its roles are not created.`;
  return { run, warning: run === null ? warning : null, tag: `${command.toUpperCase()} POLICY` };
}

/**
 * Returns the statement without the skipped roles in the list of roles at `at`. The list ends with the statement or
 * before one of a few words. Returns null if the list has no other roles, and undefined if it has no skipped roles.
 */
function withoutSkippedRoles(reader: StatementReader, facts: DatabaseFacts, at: number): string | null | undefined {
  if (facts.skippedRoles.size === 0) return undefined;
  const found = reader.names.findIndex((name, i) => i >= at && afterRoles.has(name));
  const end = found < 0 ? reader.names.length : found;
  const places = reader.names.slice(at, end).flatMap((name, i) => (name === ',' || name === 'group' ? [] : [at + i]));
  const rest = places.filter((place) => !facts.skippedRoles.has(reader.names[place] ?? ''));
  if (rest.length === places.length) return undefined;
  const [first, last] = [reader.tokens[at], reader.tokens[end - 1]];
  if (rest.length === 0 || !first || !last) return null;
  const roles = rest.map((place) => reader.tokens[place]?.text ?? '').join(', ');
  return reader.text.slice(0, first.at) + roles + reader.text.slice(last.at + last.text.length);
}

/** Words that may follow a list of roles in GRANT, REVOKE and CREATE POLICY. */
const afterRoles: ReadonlySet<string> = new Set(['with', 'granted', 'cascade', 'restrict', 'using']);

/** Returns the value of SET after TO or = as one text; null for DEFAULT and RESET. */
function valueAfter(reader: StatementReader, at: number): string | null {
  if (reader.names[at] !== 'to' && reader.names[at] !== '=') return null;
  const values = reader.tokens.slice(at + 1).flatMap(({ kind, text }, i) => {
    if (kind === 'string') return [text.slice(1, -1).replaceAll("''", "'")];
    return text === ',' ? [] : [reader.names[at + 1 + i] ?? ''];
  });
  return values.length === 1 && values[0] === 'default' ? null : values.join(', ');
}

/** Returns the app's setting for a setting of `authenticator`, with its value as JSON; null for the default. */
function settingOf(parameter: string, value: string | null): { key: string; json: string | null } | null {
  const key =
    parameter === 'statement_timeout' ? 'db_statement_timeout' : parameter.replace(/^pgrst\./, '').replaceAll('-', '_');
  const setting = Object.hasOwn(allSettings, key) ? allSettings[key] : undefined;
  if (!setting || (!parameter.startsWith('pgrst.') && key !== 'db_statement_timeout')) return null;
  if (value === null) return { key, json: null };
  const found = typed(setting.default, key, value);
  return hasKind(setting, found) ? { key, json: JSON.stringify(found) } : null;
}

function typed(standard: unknown, key: string, value: string): unknown {
  if (Array.isArray(standard)) return value.split(',').map((each) => each.trim());
  if (typeof standard === 'boolean') return value === 'true' || value === 'on';
  if (key === 'db_statement_timeout') return milliseconds(value);
  return typeof standard === 'number' ? Number(value) : value;
}

/** Returns milliseconds for a duration in PostgreSQL's format: milliseconds, or a number with a unit. */
function milliseconds(value: string): number | null {
  const [, number = '', unit = 'ms'] = /^\s*(\d+)\s*(ms|s|min|h)?\s*$/.exec(value) ?? [];
  const count = Number(number || Number.NaN) * ({ ms: 1, s: 1000, min: 60_000, h: 3_600_000 }[unit] ?? 1);
  return count === 0 ? null : count;
}
