import { quoteIdentifier as id, quoteLiteral as literal } from '../../database/statement.ts';
import {
  createdByServer,
  hostedExtensions,
  isOfMissingExtension,
  providedExtensions,
  refusedExtensions,
} from './hosted-extensions.ts';
import { attempt, type DatabaseFacts, type Replacement, StatementReader } from './replacement.ts';
import {
  alterDatabase,
  alterRole,
  createRole,
  defaultPrivileges,
  dropRole,
  membership,
  onDatabase,
  policyOfSkippedRoles,
  setRole,
} from './shared-objects.ts';
import type { ScriptStatement } from './statements.ts';

/**
 * Returns true if a script may contain a statement to replace, or data of COPY. Other scripts, such as seeds of
 * megabytes, are not split.
 */
export const mayNeedReplacement = (script: string): boolean =>
  /^\s*(\\|copy\b)|\b(extension|event|publication|alter|drop|grant|revoke|trigger|comment|transaction_timeout)\b/im.test(
    script,
  ) ||
  /\b(create\s+(role|user|group)|set\s+(local\s+|session\s+)?(role|session\s+authorization))\b/i.test(script) ||
  namesPlatformSchema.test(script);

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
    createRole(reader, facts) ??
    policyOfSkippedRoles(reader, facts) ??
    eventTrigger(reader) ??
    publication(reader) ??
    platformTrigger(reader, facts) ??
    platformObject(reader, facts),
  ALTER: (reader, facts) =>
    alterExtension(reader, facts) ??
    eventTrigger(reader) ??
    publication(reader) ??
    alterDatabase(reader, facts) ??
    ownerTo(reader) ??
    defaultPrivileges(reader, facts) ??
    alterRole(reader, facts) ??
    policyOfSkippedRoles(reader, facts) ??
    platformSchema(reader, facts),
  DROP: (reader, facts) =>
    dropExtension(reader, facts) ?? dropRole(reader, facts) ?? eventTrigger(reader) ?? platformSchema(reader, facts),
  COMMENT: (reader, facts) => comment(reader, facts),
  COPY: (reader, facts) => platformRows(reader, facts, 1),
  INSERT: (reader, facts) => platformRows(reader, facts, 2),
  SELECT: (reader, facts) => platformSequence(reader, facts),
  GRANT: (reader, facts) => membership(reader, facts) ?? onDatabase(reader, facts) ?? platformSchema(reader, facts),
  REVOKE: (reader, facts) => membership(reader, facts) ?? onDatabase(reader, facts) ?? platformSchema(reader, facts),
  SET: (reader, facts) =>
    reader.is('set', 'transaction_timeout') && facts.hasHelpers
      ? attempt(reader, 'This server has no such setting.')
      : setRole(reader),
};

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
  // Hosted projects have pg_stat_statements in this schema from the start.
  const usual = name === 'pg_stat_statements' ? literal('extensions') : 'pg_catalog.current_schema()';
  const schema = at < 0 ? usual : literal(reader.names[at] ?? '');
  const call = `select ninefold.create_extension(${literal(name)}, ${schema}, ${isIfNotExists})`;
  const needsCube = name === 'earthdistance' && reader.after('cascade') >= 0;
  const cube = at < 0 ? '' : ` with schema ${id(reader.names[at] ?? '')}`;
  return { run: needsCube ? `create extension if not exists cube${cube}; ${call}` : call, warning: null, tag };
}

/** Returns true for an extension that scripts treat as created although it does not exist in the database. */
const isMissing = (name: string, facts: DatabaseFacts): boolean =>
  !facts.available.has(name) && (providedExtensions.has(name) || hostedExtensions.has(name));

function alterExtension(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('alter', 'extension')) return null;
  const name = reader.names[2] ?? '';
  // The node itself updates the extensions that it provides. Their objects exist also before CREATE EXTENSION.
  const isUpdate = providedExtensions.has(name) && reader.after('update') >= 0;
  if (isUpdate || isMissing(name, facts)) return { run: null, warning: null, tag: 'ALTER EXTENSION' };
  const at = reader.after('set', 'schema');
  if (at < 0 || !facts.hasHelpers) return null;
  const run = `select ninefold.move_extension(${literal(name)}, ${literal(reader.names[at] ?? '')})`;
  return { run, warning: null, tag: 'ALTER EXTENSION' };
}

/** Skips DROP EXTENSION of a missing extension. */
function dropExtension(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!reader.is('drop', 'extension') || reader.is('drop', 'extension', 'if', 'exists')) return null;
  const name = reader.names[2] ?? '';
  return isMissing(name, facts) ? { run: null, warning: null, tag: 'DROP EXTENSION' } : null;
}

function eventTrigger(reader: StatementReader): Replacement | null {
  if (reader.names[1] !== 'event' || reader.names[2] !== 'trigger') return null;
  const [command = ''] = reader.names;
  // A statement about one of Ninefold's own event triggers is not replaced, because PostgreSQL refuses it.
  const isOwn = reader.names.some((name) => name.startsWith('ninefold_'));
  if (isOwn || reader.is('drop', 'event', 'trigger', 'if', 'exists')) return null;
  const warning =
    command === 'create'
      ? `Event trigger ${reader.names[3]} is not created: it would run in the name of the server’s superuser, too. Its function is not called when the schema changes; do in each migration what it would do, for example ENABLE ROW LEVEL SECURITY.`
      : null;
  return { run: null, warning, tag: `${command.toUpperCase()} EVENT TRIGGER` };
}

/**
 * Removes FOR ALL TABLES and TABLES IN SCHEMA from CREATE PUBLICATION. Skips ALTER PUBLICATION statements with these
 * words. PostgreSQL allows them only to superusers.
 */
function publication(reader: StatementReader): Replacement | null {
  const [command = '', kind, name = ''] = reader.names;
  if (kind !== 'publication') return null;
  const from = reader.after('for', 'all', 'tables') >= 0 ? reader.after('for') - 1 : schemaTables(reader);
  const first = reader.tokens[from];
  if (from < 0 || !first) return null;
  const tag = `${command.toUpperCase()} PUBLICATION`;
  const reason = 'needs a superuser, and may publish accounts. Add tables with ALTER PUBLICATION … ADD TABLE.';
  if (command === 'alter')
    return { run: null, warning: `Publication ${name} stays as it is: TABLES IN SCHEMA ${reason}`, tag };
  const options = reader.tokens[reader.names.indexOf('with', from)];
  const run = reader.text.slice(0, first.at) + (options ? reader.text.slice(options.at) : '');
  const what = reader.after('for', 'all', 'tables') >= 0 ? 'FOR ALL TABLES' : 'TABLES IN SCHEMA';
  return { run, warning: `Publication ${name} is made without tables: ${what} ${reason}`, tag };
}

/** Returns the position of FOR, ADD, SET or DROP before TABLES IN SCHEMA; -1 if there is none. */
const schemaTables = (reader: StatementReader): number => {
  const at = reader.after('tables', 'in', 'schema');
  return at < 0 ? -1 : at - 4;
};

/**
 * Replaces OWNER TO postgres by the app's owner: on a hosted project migrations run as `postgres`, here as the app's
 * owner.
 */
function ownerTo(reader: StatementReader): Replacement | null {
  const at = reader.after('owner', 'to');
  if (at < 0) return null;
  const tag = `ALTER ${(reader.names[1] ?? '').toUpperCase()}`;
  const owner = reader.names[at] ?? '';
  if (owner === 'postgres') return { run: reader.with(at, 'current_user'), warning: null, tag };
  if (owner !== 'supabase_admin') return null;
  return { run: null, warning: 'supabase_admin becomes no owner here: the object stays the app’s.', tag };
}

/** Schemas of a hosted project that an app may lack. */
export const platformSchemas: ReadonlySet<string> = new Set(
  'graphql graphql_public pgsodium pgsodium_masks vault pgbouncer supabase_functions net cron realtime _realtime storage auth pgmq pgtle tiger topology repack'.split(
    ' ',
  ),
);

/**
 * Matches the names of platform schemas before a dot, with or without quotes. A script without a match changes no
 * object in these schemas.
 */
const namesPlatformSchema = new RegExp(`\\b(${[...platformSchemas].join('|')})\\b"?\\.`, 'i');

/**
 * Returns true if the statement changes a platform schema or an object in one. Returns false for a statement that only
 * refers to such an object.
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
  // COMMENT ON POLICY p ON t and DROP TRIGGER g ON t name the table after the ON that follows the kind of object.
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

function platformSchema(reader: StatementReader, facts: DatabaseFacts): Replacement | null {
  if (!facts.hasHelpers) return null;
  if (namesPlatform(reader)) return attempt(reader, 'It concerns the platform of Supabase alone.');
  const at = reader.after('function');
  const name = reader.names.slice(at, reader.names.indexOf('(', at)).join('');
  return at > 0 && isOfMissingExtension(name, facts.available)
    ? attempt(reader, 'It concerns an extension that is not created.')
    : null;
}

/**
 * Tries CREATE of a table, function or view in a platform schema if the statement has IF NOT EXISTS or OR REPLACE.
 * Skips the statement if an object that it names is missing.
 */
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
  if (!reader.is('comment', 'on', 'extension')) return onDatabase(reader, facts) ?? platformSchema(reader, facts);
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
