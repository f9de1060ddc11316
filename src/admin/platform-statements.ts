import { serverRoles } from '../../contract/server-roles.ts';
import { isValidValue, settingsByKey } from '../apps/settings.ts';
import { quoteIdentifier as id, quoteLiteral as literal } from '../database/statement.ts';
import { createdByServer, hostedExtensions, providedExtensions, refusedExtensions } from './hosted-extensions.ts';
import { type ScriptStatement, type Token, tokensOf } from './statements.ts';

/** Facts about the app's database on which the decision about a statement depends. */
export interface DatabaseFacts {
  database: string;
  /** The extensions whose files the server has. Of those that the node provides, only the node's own files count. */
  available: ReadonlySet<string>;
  /** The tables, views and sequences in platform schemas, as schema.name. */
  platformRelations: ReadonlySet<string>;
  /** False for an attached database, which lacks `ninefold.create_extension` and its companions. */
  hasHelpers: boolean;
}

/**
 * The replacement of a statement that a hosted Supabase project accepts, and PostgreSQL or a server of many apps does
 * not. `run` is null if nothing is run. An attempted statement is skipped with the warning if an object that it names
 * is missing.
 */
export interface Replacement {
  run: string | null;
  warning: string | null;
  isAttempt?: true;
  /** The command tag of the original statement. */
  tag: string;
}

/**
 * Returns true if a script may contain a statement to replace, or data of COPY. Other scripts, such as seeds of
 * megabytes, are not split.
 */
export const mayNeedReplacement = (script: string): boolean =>
  /^\s*(\\|copy\b)|\b(extension|event|publication|alter|drop|grant|revoke|trigger|comment|transaction_timeout)\b/im.test(
    script,
  ) || namesPlatformSchema.test(script);

/** Returns the replacement of a statement; null if the statement runs unchanged. */
export function replacementOf(statement: ScriptStatement, facts: DatabaseFacts): Replacement | null {
  if (statement.command === '\\') return psqlCommand(statement.text);
  const rule = rules[statement.command];
  if (!rule) return null;
  const reader = new StatementReader(statement.text, statement.data?.text);
  return rule(reader, facts);
}

const rules: Readonly<Record<string, (reader: StatementReader, facts: DatabaseFacts) => Replacement | null>> = {
  CREATE: (reader, facts) =>
    createExtension(reader, facts) ??
    eventTrigger(reader) ??
    createPublication(reader) ??
    platformTrigger(reader, facts) ??
    platformObject(reader, facts),
  ALTER: (reader, facts) =>
    alterExtension(reader, facts) ??
    eventTrigger(reader) ??
    ownerTo(reader) ??
    defaultPrivileges(reader) ??
    alterRole(reader, facts) ??
    alterDatabase(reader, facts) ??
    platformSchema(reader, facts),
  DROP: (reader, facts) => dropExtension(reader, facts) ?? eventTrigger(reader) ?? platformSchema(reader, facts),
  COMMENT: (reader, facts) => comment(reader, facts),
  COPY: (reader, facts) => platformRows(reader, facts, 1),
  INSERT: (reader, facts) => platformRows(reader, facts, 2),
  SELECT: (reader, facts) => platformSequence(reader, facts),
  GRANT: (reader, facts) => membership(reader) ?? platformSchema(reader, facts),
  REVOKE: (reader, facts) => membership(reader) ?? platformSchema(reader, facts),
  SET: (reader, facts) =>
    reader.is('set', 'transaction_timeout') && facts.hasHelpers
      ? attempt(reader, 'This server has no such setting.')
      : null,
};

/** The tokens of one statement. Names are unquoted, and other words are in lower case. */
class StatementReader {
  readonly text: string;
  /** The data of COPY … FROM STDIN. */
  readonly data: string | undefined;
  readonly tokens: readonly Token[];
  readonly names: readonly string[];

  constructor(text: string, data?: string) {
    this.text = text;
    this.data = data;
    this.tokens = [...tokensOf(text)];
    this.names = this.tokens.map(({ kind, text: token }) => {
      if (kind === 'quoted') return token.slice(1, -1).replaceAll('""', '"');
      return kind === 'word' ? token.toLowerCase() : token;
    });
  }

  /** Returns true if the statement begins with these words. */
  is(...words: readonly string[]): boolean {
    return words.every((word, i) => this.names[i] === word);
  }

  /** Returns the position after the first occurrence of these words; -1 if there is none. */
  after(...words: readonly string[]): number {
    const at = this.names.findIndex((_, i) => words.every((word, j) => this.names[i + j] === word));
    return at < 0 ? -1 : at + words.length;
  }

  /** Returns the statement with the token at a position replaced. */
  with(place: number, text: string): string {
    const token = this.tokens[place];
    return token ? this.text.slice(0, token.at) + text + this.text.slice(token.at + token.text.length) : this.text;
  }
}

function createExtension(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('create', 'extension')) return null;
  const isIfNotExists = reader.is('create', 'extension', 'if', 'not', 'exists');
  const name = reader.names[isIfNotExists ? 5 : 2] ?? '';
  const tag = 'CREATE EXTENSION';
  if (providedExtensions.has(name) && !facts.available.has(name)) return { run: null, warning: null, tag };
  const refused = refusedExtensions.get(name);
  if (refused) return { run: null, warning: `Extension ${name} is not created: ${refused}.`, tag };
  const hosted = hostedExtensions.get(name);
  if (hosted && !facts.available.has(name)) {
    const warning = `Extension ${name} is not created: this PostgreSQL server does not have it. What does not use it works. ${hosted.instead}`;
    return { run: null, warning, tag };
  }
  if (!createdByServer.has(name) || !facts.hasHelpers) return null;
  const at = reader.after('schema');
  const schema = at < 0 ? 'pg_catalog.current_schema()' : literal(reader.names[at] ?? '');
  const call = `select ninefold.create_extension(${literal(name)}, ${schema}, ${isIfNotExists})`;
  const needsCube = name === 'earthdistance' && reader.after('cascade') >= 0;
  const cube = at < 0 ? '' : ` with schema ${id(reader.names[at] ?? '')}`;
  return { run: needsCube ? `create extension if not exists cube${cube}; ${call}` : call, warning: null, tag };
}

function alterExtension(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('alter', 'extension')) return null;
  const name = reader.names[2] ?? '';
  const isMissing = !facts.available.has(name) && (providedExtensions.has(name) || hostedExtensions.has(name));
  if (isMissing) return { run: null, warning: null, tag: 'ALTER EXTENSION' };
  const at = reader.after('set', 'schema');
  if (at < 0 || !facts.hasHelpers) return null;
  const run = `select ninefold.move_extension(${literal(name)}, ${literal(reader.names[at] ?? '')})`;
  return { run, warning: null, tag: 'ALTER EXTENSION' };
}

/** Skips DROP EXTENSION of an extension that counts as created but does not exist. */
function dropExtension(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('drop', 'extension') || reader.is('drop', 'extension', 'if', 'exists')) return null;
  const name = reader.names[2] ?? '';
  const isMissing = !facts.available.has(name) && (providedExtensions.has(name) || hostedExtensions.has(name));
  return isMissing ? { run: null, warning: null, tag: 'DROP EXTENSION' } : null;
}

function eventTrigger(reader: StatementReader): Replacement | null {
  if (reader.names[1] !== 'event' || reader.names[2] !== 'trigger') return null;
  const [command = ''] = reader.names;
  // PostgreSQL refuses changes of Ninefold's own event triggers.
  const isOwn = reader.names.some((name) => name.startsWith('ninefold_'));
  if (isOwn || reader.is('drop', 'event', 'trigger', 'if', 'exists')) return null;
  const warning =
    command === 'create'
      ? `Event trigger ${reader.names[3]} is not created: it would run in the name of the server’s superuser, too. Its function is not called when the schema changes; do in each migration what it would do, for example ENABLE ROW LEVEL SECURITY.`
      : null;
  return { run: null, warning, tag: `${command.toUpperCase()} EVENT TRIGGER` };
}

function createPublication(reader: StatementReader): Replacement | null {
  if (!reader.is('create', 'publication')) return null;
  const end = reader.after('for', 'all', 'tables');
  const from = reader.tokens[end - 3];
  const last = reader.tokens[end - 1];
  if (end < 0 || !from || !last) return null;
  const run = reader.text.slice(0, from.at) + reader.text.slice(last.at + last.text.length);
  const warning = `Publication ${reader.names[2]} is made without tables: FOR ALL TABLES needs a superuser, and would publish accounts. Add tables with ALTER PUBLICATION … ADD TABLE.`;
  return { run, warning, tag: 'CREATE PUBLICATION' };
}

/** On a hosted project migrations run as `postgres`. Here they run as the app's owner. */
function ownerTo(reader: StatementReader): Replacement | null {
  const at = reader.after('owner', 'to');
  if (at < 0) return null;
  const tag = `ALTER ${(reader.names[1] ?? '').toUpperCase()}`;
  const owner = reader.names[at] ?? '';
  if (owner === 'postgres') return { run: reader.with(at, 'current_user'), warning: null, tag };
  if (owner !== 'supabase_admin') return null;
  return { run: null, warning: 'supabase_admin becomes no owner here: the object stays the app’s.', tag };
}

function defaultPrivileges(reader: StatementReader): Replacement | null {
  if (!reader.is('alter', 'default', 'privileges')) return null;
  const at = Math.max(reader.after('for', 'role'), reader.after('for', 'user'));
  if (at < 0) return null;
  const tag = 'ALTER DEFAULT PRIVILEGES';
  if (reader.names[at] === 'postgres') return { run: reader.with(at, 'current_user'), warning: null, tag };
  if (!/^supabase_/.test(reader.names[at] ?? '')) return null;
  return {
    run: null,
    warning: `${reader.names[at]} creates nothing here, so its default privileges are left out.`,
    tag,
  };
}

/**
 * Replaces ALTER ROLE … SET by a setting of the app if there is one. Otherwise skips the statement, because most roles
 * belong to all apps of the server.
 */
function alterRole(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const [, kind, role = ''] = reader.names;
  if (kind !== 'role' && kind !== 'user') return null;
  const at = Math.max(reader.after('set'), reader.after('reset'));
  if (at < 0 || !shared.has(role)) return null;
  const tag = 'ALTER ROLE';
  if (role === 'postgres') {
    const place = reader.after('in', 'database');
    const text = reader.with(2, 'current_user');
    return { run: place < 0 ? text : new StatementReader(text).with(place, id(facts.database)), warning: null, tag };
  }
  const parameter = [reader.names[at], ...(reader.names[at + 1] === '.' ? ['.', reader.names[at + 2]] : [])].join('');
  const value = valueAfter(reader, parameter.includes('.') ? at + 3 : at + 1);
  const setting = role === 'authenticator' || role === 'authenticated' ? settingOf(parameter, value) : null;
  if (!setting) {
    return {
      run: null,
      warning: `${role} is a role of all apps of this server, so ${parameter} is not set for it. See “ninefold settings”, or ALTER DATABASE … SET.`,
      tag,
    };
  }
  const { key, json } = setting;
  const run =
    json === null
      ? `delete from ninefold.settings where key = ${literal(key)}`
      : `insert into ninefold.settings (key, value) values (${literal(key)}, ${literal(json)}::jsonb) on conflict (key) do update set value = excluded.value`;
  return { run, warning: `${parameter} of ${role} is the app’s setting ${key} here.`, tag };
}

/** Roles that all apps of the server share. */
const shared: ReadonlySet<string> = new Set(['anon', 'authenticated', 'service_role', ...serverRoles]);

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
  const setting = Object.hasOwn(settingsByKey, key) ? settingsByKey[key] : undefined;
  if (!setting || (!parameter.startsWith('pgrst.') && key !== 'db_statement_timeout')) return null;
  if (value === null) return { key, json: null };
  const found = typed(setting.default, key, value);
  return isValidValue(setting, found) ? { key, json: JSON.stringify(found) } : null;
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

function alterDatabase(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('alter', 'database', 'postgres')) return null;
  return { run: reader.with(2, id(facts.database)), warning: null, tag: 'ALTER DATABASE' };
}

/**
 * Skips GRANT and REVOKE of roles. Platform roles are already granted, and roles of PostgreSQL see the whole server.
 */
function membership(reader: StatementReader): Replacement | null {
  const end = Math.max(reader.after('to'), reader.after('from'));
  if (end < 0 || reader.after('on') >= 0) return null;
  const [command = '', ...rest] = reader.names;
  const granted = rest.slice(0, end - 2).filter((name) => name !== ',');
  const isPlatform = (name: string) => shared.has(name) || /^(pg_|pgsodium_)/.test(name);
  if (!granted.every(isPlatform) || !reader.names.slice(end).some(isPlatform)) return null;
  const warning = granted.every((name) => shared.has(name))
    ? null
    : `Roles of the server are not an app’s to grant: ${granted.join(', ')}.`;
  return { run: null, warning, tag: command.toUpperCase() };
}

/** Schemas of a hosted project that an app may lack. */
export const platformSchemas: ReadonlySet<string> = new Set(
  'graphql graphql_public pgsodium pgsodium_masks vault pgbouncer supabase_functions net cron realtime _realtime storage auth pgmq pgtle tiger topology repack'.split(
    ' ',
  ),
);

/**
 * Matches the names of platform schemas before a dot, with or without quotes. Other SQL does not contain them there.
 */
const namesPlatformSchema = new RegExp(`\\b(${[...platformSchemas].join('|')})\\b"?\\.`, 'i');

/**
 * Returns true if the statement changes a platform schema or an object in one. A mere reference to such an object does
 * not count.
 */
function namesPlatform(reader: StatementReader): boolean {
  const { names } = reader;
  const isPlatform = (at: number) =>
    platformSchemas.has(names[at] ?? '') && (names[at + 1] === '.' || names[at - 1] === 'schema');
  if (names[0] === 'grant' || names[0] === 'revoke') {
    const objects = names.slice(reader.after('on'), Math.max(reader.after('to'), reader.after('from')) - 1);
    const at = objects.indexOf('schema');
    const schemas =
      at < 0 ? objects.filter((_, i) => objects[i + 1] === '.') : objects.slice(at + 1).filter((name) => name !== ',');
    return schemas.length > 0 && schemas.every((name) => platformSchemas.has(name));
  }
  if (reader.is('alter', 'default', 'privileges')) return isPlatform(reader.after('in', 'schema'));
  // COMMENT ON POLICY … ON, DROP TRIGGER … ON.
  const kind = names[0] === 'comment' ? 2 : 1;
  if (['policy', 'trigger', 'rule', 'constraint'].includes(names[kind] ?? '')) {
    return isPlatform(names.indexOf('on', kind) + 1);
  }
  const target = names.findIndex((name, at) => at >= kind && !beforeNames.has(name));
  return isPlatform(target);
}

/** Words between the command and the name of its object. */
const beforeNames: ReadonlySet<string> = new Set(
  'or replace table unlogged foreign materialized view index concurrently sequence function procedure routine aggregate type domain schema column collation publication if not exists only'.split(
    ' ',
  ),
);

const attempt = (reader: StatementReader, warning: string): Replacement => ({
  run: `select ninefold.attempt(${literal(reader.text).trim()})`,
  warning,
  isAttempt: true,
  tag: (reader.names[0] ?? '').toUpperCase(),
});

function platformSchema(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!facts.hasHelpers || !namesPlatform(reader)) return null;
  return attempt(reader, 'It concerns the platform of Supabase alone.');
}

/** Skips CREATE of a table, function or view in a platform schema if the statement allows for an existing object. */
function platformObject(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!facts.hasHelpers) return null;
  const isOptional = reader.is('create', 'or', 'replace') || reader.after('if', 'not', 'exists') >= 0;
  const at = reader.names.findIndex((name, i) => i > 0 && !beforeNames.has(name));
  const isInPlatform = platformSchemas.has(reader.names[at] ?? '') && reader.names[at + 1] === '.';
  const concerns = 'It concerns the platform of Supabase alone.';
  return isOptional && isInPlatform ? attempt(reader, concerns) : null;
}

/**
 * Skips COPY and INSERT of a data dump into a table that only Supabase's platform has.
 *
 * @param at Position of the table's schema.
 */
function platformRows(reader: StatementReader, facts: DatabaseFacts, at: number): Replacement | null {
  const [schema = '', dot, table] = reader.names.slice(at);
  if (!facts.hasHelpers || dot !== '.' || !platformSchemas.has(schema)) return null;
  if (facts.platformRelations.has(`${schema}.${table}`)) return null;
  if (reader.is('insert')) return attempt(reader, 'The rows concern the platform of Supabase alone.');
  if (reader.data === undefined) return null;
  const rows = `Skipped: there is no table ${schema}.${table}. Its rows concern the platform of Supabase alone.`;
  return { run: null, warning: reader.data === '' ? null : rows, tag: 'COPY' };
}

/** Skips SELECT setval(…) at the end of a data dump. */
function platformSequence(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const at = reader.is('select', 'pg_catalog', '.') ? 3 : 1;
  if (!facts.hasHelpers || reader.names[at] !== 'setval') return null;
  const [, quoted, plain] = /^'(?:"([^"]+)"|(\w+))\./.exec(reader.names[at + 2] ?? '') ?? [];
  return platformSchemas.has(quoted ?? plain ?? '')
    ? attempt(reader, 'It concerns the platform of Supabase alone.')
    : null;
}

function comment(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (reader.is('comment', 'on', 'event', 'trigger')) {
    return reader.names[4]?.startsWith('ninefold_') ? null : { run: null, warning: null, tag: 'COMMENT' };
  }
  if (!reader.is('comment', 'on', 'extension')) return platformSchema(reader, facts);
  const name = reader.names[3] ?? '';
  const isOwn = name !== 'plpgsql' && facts.available.has(name) && !refusedExtensions.has(name);
  return isOwn ||
    !(name === 'plpgsql' || hostedExtensions.has(name) || providedExtensions.has(name) || refusedExtensions.has(name))
    ? null
    : { run: null, warning: null, tag: 'COMMENT' };
}

/** Skips a trigger on a platform table, or a trigger whose webhook function the app's database lacks. */
function platformTrigger(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  const isTrigger = reader.names.slice(1, 5).includes('trigger');
  if (!isTrigger || !facts.hasHelpers) return null;
  const at = Math.max(reader.after('execute', 'function'), reader.after('execute', 'procedure'));
  const schema = reader.names[at] ?? '';
  if (at < 0 || reader.names[at + 1] !== '.' || (schema !== 'supabase_functions' && schema !== 'storage')) return null;
  return attempt(
    reader,
    schema === 'storage'
      ? 'It concerns the platform of Supabase alone.'
      : 'The webhook is not called. Call net.http_post in a trigger function.',
  );
}

/** Skips psql commands of recent dumps that have no effect here. */
function psqlCommand(text: string): Replacement | null {
  const [, name = ''] = /^\\(\S*)/.exec(text) ?? [];
  const known = new Set([
    'restrict',
    'unrestrict',
    'connect',
    'c',
    'echo',
    'qecho',
    'set',
    'timing',
    'encoding',
    'pset',
    'x',
  ]);
  return known.has(name) ? { run: null, warning: null, tag: '' } : null;
}
